// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Makes all mutants of some files, builds them at once, and runs the tests on each.
public struct Campaign: Sendable {
  /// What became of a mutant.
  public enum Fate: Sendable, Equatable {
    /// A test noticed it.
    case killed(by: String)
    /// The tests did not end.
    case timedOut
    /// No test noticed it.
    case survived
    /// No test comes by the place.
    case notReached
    /// The compiler noticed it.
    case notCompiled(String)
  }

  /// The folder of the package.
  public var root: URL
  /// The module that the files belong to.
  public var module: String
  /// The test target whose tests are run.
  public var tests: String
  /// The files, relative to the root.
  public var paths: [String]
  /// Where the copy and its build are kept.
  public var scratch: URL
  /// What else `swift build` is told.
  public var buildFlags: [String] = []
  /// Whether of the tests only those of the machines are built and run, the files with
  /// `StateMachineTests` in their names, with what they import; the others may want a server.
  public var takesMachineTestsAlone = false
  /// How many mutants are run at a time; 1 or more.
  public var jobs = 2
  /// Whether only the tests that are named after a file are run; more survives them.
  public var isQuick = false
  /// What is known to survive: it meets the tests that are named after its file, and no others.
  public var known: Set<Mutant.Key> = []
  /// How long a run may do nothing before it counts as one that never ends; it also may use half of
  /// this of the processor's time, and five times as much as without a change.
  public var shortestTimeLimit = Duration.seconds(20)
  /// Is told what goes on.
  public var progress: @Sendable (String) -> Void = { _ in }

  /// Makes a campaign.
  public init(root: URL, module: String, tests: String, paths: [String], scratch: URL) {
    self.root = root
    self.module = module
    self.tests = tests
    self.paths = paths
    self.scratch = scratch
  }

  /// Makes the mutants without building anything.
  public func mutatedFiles() throws -> [MutatedFile] {
    let folder = root.appending(path: "Sources/\(module)")
    let inside = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") }.sorted()
    let enums = EnumCases(
      try inside.map { path in
        (
          name: path.split(separator: "/").last.map(String.init) ?? path,
          text: try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        )
      })
    var files: [MutatedFile] = []
    for path in paths.sorted() {
      let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
      let first = 1 + files.reduce(0) { $0 + $1.mutants.count }
      files.append(MutatedFile(path: path, text: text, enums: enums, firstNumber: first))
    }
    return files
  }

  /// Does it all.
  ///
  /// - Returns: Every mutant and its fate, in the order of the files.
  public func run() async throws -> [(mutant: Mutant, fate: Fate)] {
    let files = try mutatedFiles()
    let mutants = files.flatMap(\.mutants)
    guard !mutants.isEmpty else { throw MutatorFailure.noMutants }
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    progress("\(mutants.count) mutants of \(files.count) files")
    var build = MutantBuild(
      package: MutatedPackage(
        root: root, module: module, tests: tests, folder: scratch.appending(path: "package"),
        testFiles: takesMachineTestsAlone ? try machineTests() : nil),
      scratch: scratch, flags: buildFlags, files: files)
    try await build.run(progress: progress)

    let trial = try Trial(
      program: build.testProgram, tests: tests, scratch: scratch, mutantCount: mutants.count,
      shortestTimeLimit: shortestTimeLimit, isQuick: isQuick, known: known)
    let standards = try await trial.standards(for: Set(mutants.map(\.key.file)))
    let time = (standards.near.values + [standards.whole].compactMap(\.self)).map(\.time)
    progress("the tests pass unmutated in \(time.reduce(.zero, +).formatted())")
    let dropped = build.dropped
    let living = mutants.filter { dropped[$0.number] == nil }
    let fates = try await fates(of: living, trial, standards)
    return mutants.map { mutant in
      (mutant, dropped[mutant.number].map(Fate.notCompiled) ?? fates[mutant.number] ?? .notReached)
    }
  }

  /// The files with the tests of the machines, relative to the folder of the tests.
  func machineTests() throws -> [String] {
    let folder = root.appending(path: "Tests/\(tests)").path
    let found = try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".swift") && $0.contains("StateMachineTests") }
    guard !found.isEmpty else { throw MutatorFailure.noTests(folder) }
    return found.sorted()
  }

  /// Runs the mutants, a few at a time.
  private func fates(
    of mutants: [Mutant], _ trial: Trial, _ standards: Trial.Standards
  ) async throws -> [Int: Fate] {
    try await withThrowingTaskGroup(of: (Mutant, Fate).self) { group in
      var waiting = mutants[...]
      var fates: [Int: Fate] = [:]
      func startNext() {
        guard let mutant = waiting.popFirst() else { return }
        group.addTask { (mutant, try await trial.fate(of: mutant, standards)) }
      }
      for _ in 0..<max(1, jobs) { startNext() }
      while let (mutant, fate) = try await group.next() {
        fates[mutant.number] = fate
        if case .killed = fate {
        } else {
          let place = "\(mutant.key.file):\(mutant.line)"
          progress("\(fates.count)/\(mutants.count) \(place) \(fate): \(mutant.key.mutated)")
        }
        startNext()
      }
      return fates
    }
  }
}
