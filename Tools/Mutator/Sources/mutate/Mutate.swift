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
      Without names it takes every state machine and what else is pure in the policies. All \
      mutants of a module are built at once, and one is switched on for each run of the tests. \
      Exit code 1: the score is too low, or the list of survivors is out of date.
      """)

  /// What is pure although its name does not say so.
  static let pureFiles = [
    "AlarmQueue.swift", "Backoff.swift", "LatencyWindow.swift", "LimitAlgorithm.swift",
    "RateSchedule.swift", "SleepWatch.swift", "VerdictQueue.swift", "CoalescingOperation.swift",
    "HybridLogicalClock.swift", "HybridLogicalClock+Stamp.swift", "MergePolicy.swift",
    "MergeRule.swift", "MergeStrategy.swift", "MergeStrategy+Collections.swift",
    "MergePolicy+Work.swift", "RebaseQueue.swift", "Register.swift", "ThreeWayMerge.swift",
    "Tombstones.swift", "FloodGate.swift", "GroupBook.swift", "RecentRing.swift",
    "TrendRing.swift", "DuplicateFilter.swift", "ObjectIdentities.swift", "Ledger.swift",
    "RecoveryBook.swift", "SnapshotHistory.swift", "ControlGroups.swift", "DegradationPlan.swift",
    "ToastQueue.swift", "ConnectionNotice.swift", "CachePolicy+Use.swift", "TextCheck.swift",
  ]

  /// Of these the tests of the machines alone are run: the others want a network or a database.
  static let connectedModules = [
    "MainstayHTTP", "MainstayHTTPTesting", "MainstayJSONRPC", "MainstayOgmios", "MainstayServer",
    "MainstayOutboxPostgres",
  ]

  @Argument(help: "Names of any files, or parts of the names of those; only these are changed.")
  var files: [String] = []

  @Option(help: "The folder of the package.") var root = "."
  @Option(
    name: .customLong("module"),
    help: "A module with files to change; its tests are those of the target with Tests at its end.")
  var modules = ["Mainstay", "MainstayOutbox", "MainstayUI"] + connectedModules
  @Option(help: "Where the mutants are built.") var scratch = ".build/mutate"
  @Option(help: "The list of known survivors.") var survivors = "Tools/Mutator/survivors.txt"
  @Option(help: "The lowest score that is good enough, in percent.") var minimumScore = 95.0
  @Option(help: "How many mutants run at a time.") var jobs = 2
  @Flag(help: "Runs only the tests that are named after a file; more survives them.")
  var quick = false
  @Flag(help: "Lists the mutants and runs nothing.") var list = false

  func run() async throws {
    let root = URL(filePath: root).standardizedFileURL
    let scratch = URL(filePath: scratch, relativeTo: root).standardizedFileURL
    let start = ContinuousClock.now
    var campaigns = try campaigns(root, scratch) { message in
      let seconds = (ContinuousClock.now - start).components.seconds
      FileHandle.standardError.write(Data("[\(seconds) s] \(message)\n".utf8))
    }
    if list { return try campaigns.forEach(printMutants) }

    let known = try SurvivorList(
      String(contentsOf: URL(filePath: survivors, relativeTo: root), encoding: .utf8))
    var results: [(mutant: Mutant, fate: Campaign.Fate)] = []
    for index in campaigns.indices {
      campaigns[index].known = Set(known.entries.map(\.key))
      results += try await campaigns[index].run()
    }
    let report = MutationReport(results, known: known)
    try report.text.write(
      to: scratch.appending(path: "report.md"), atomically: true, encoding: .utf8)
    try report.fates.write(
      to: scratch.appending(path: "fates.tsv"), atomically: true, encoding: .utf8)
    print(report.text)
    print("It took \((ContinuousClock.now - start).components.seconds) s.")
    guard report.isGood(minimumScore: minimumScore) else { throw ExitCode(1) }
  }

  /// One for each module that has such files, in a folder of its own; those with a network or a
  /// database take turns in one folder, since what they need takes long to build.
  private func campaigns(
    _ root: URL, _ scratch: URL, progress: @escaping @Sendable (String) -> Void
  ) throws -> [Campaign] {
    let campaigns = try modules.compactMap { module -> Campaign? in
      let paths = try paths(of: module, in: root)
      guard !paths.isEmpty else { return nil }
      let isConnected = Self.connectedModules.contains(module)
      var campaign = Campaign(
        root: root, module: module, tests: module + "Tests", paths: paths,
        scratch: scratch.appending(path: isConnected ? "connected" : module))
      campaign.takesMachineTestsAlone = isConnected
      campaign.jobs = jobs
      campaign.isQuick = quick
      campaign.buildFlags = ["--enable-all-traits"]
      campaign.progress = progress
      return campaign
    }
    guard !campaigns.isEmpty else { throw MutatorFailure.noMutants }
    return campaigns
  }

  private func paths(of module: String, in root: URL) throws -> [String] {
    let folder = "Sources/\(module)"
    let all = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
    return all.filter { path in
      let name = path.split(separator: "/").last.map(String.init) ?? path
      if files.contains(name) { return true }
      let isPure =
        name.contains("StateMachine") || name.hasPrefix("SlidingWindow")
        || Self.pureFiles.contains(name)
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
