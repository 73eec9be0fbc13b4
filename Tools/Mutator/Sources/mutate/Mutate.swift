// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Mutator

/// Changes the pure machines in every small way, and counts which changes their tests notice.
@main
struct Mutate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Changes source files in small ways and counts which changes the tests notice.",
    discussion: """
      Without names it takes every state machine, sliding window and backoff of the policies, and \
      the queue of alarms. All mutants are built at once, and one is switched on for each run of \
      the tests. Exit code 1: the score is too low, or the list of survivors is out of date.
      """)

  @Argument(help: "Names of any files, or parts of the names of those; only these are changed.")
  var files: [String] = []

  @Option(help: "The folder of the package.") var root = "."
  @Option(help: "The module that the files belong to.") var module = "Mainstay"
  @Option(help: "The test target whose tests are run.") var tests = "MainstayTests"
  @Option(help: "Where the mutants are built.") var scratch = ".build/mutate"
  @Option(help: "The list of known survivors.") var survivors = "Tools/Mutator/survivors.txt"
  @Option(help: "The lowest score that is good enough, in percent.") var minimumScore = 95.0
  @Option(help: "How many mutants run at a time.") var jobs = 2
  @Flag(help: "Lists the mutants and runs nothing.") var list = false

  func run() async throws {
    let root = URL(filePath: root).standardizedFileURL
    let scratch = URL(filePath: scratch, relativeTo: root).standardizedFileURL
    var campaign = Campaign(
      root: root, module: module, tests: tests, paths: try paths(in: root), scratch: scratch)
    campaign.jobs = jobs
    campaign.buildFlags = ["--enable-all-traits"]
    let start = ContinuousClock.now
    campaign.progress = { message in
      let seconds = (ContinuousClock.now - start).components.seconds
      FileHandle.standardError.write(Data("[\(seconds) s] \(message)\n".utf8))
    }
    if list { return try printMutants(of: campaign) }

    let known = try SurvivorList(
      String(contentsOf: URL(filePath: survivors, relativeTo: root), encoding: .utf8))
    let report = MutationReport(try await campaign.run(), known: known)
    try report.text.write(
      to: scratch.appending(path: "report.md"), atomically: true, encoding: .utf8)
    print(report.text)
    guard report.isGood(minimumScore: minimumScore) else { throw ExitCode(1) }
  }

  private func paths(in root: URL) throws -> [String] {
    let folder = "Sources/\(module)"
    let all = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
    return all.filter { path in
      let name = path.split(separator: "/").last.map(String.init) ?? path
      if files.contains(name) { return true }
      let isMachine = name.contains("StateMachine") || name.hasPrefix("SlidingWindow")
      let isPure = isMachine || ["Backoff.swift", "AlarmQueue.swift"].contains(name)
      return isPure && (files.isEmpty || files.contains { name.contains($0) })
    }
  }

  private func printMutants(of campaign: Campaign) throws {
    for mutant in try campaign.mutatedFiles().flatMap(\.mutants) {
      print("\(mutant.number) \(mutant.key.file):\(mutant.line) \(mutant.kind.rawValue)")
      print("- \(mutant.key.original)\n+ \(mutant.key.mutated)")
    }
  }
}
