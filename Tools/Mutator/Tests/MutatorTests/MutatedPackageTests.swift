// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Mutator

/// The copy in which the mutants are built.
@Suite struct MutatedPackageTests {
  private static let planted = Repository.mutator.appending(path: "Tests/Fixtures/planted")

  /// A folder that is gone after the test.
  private static func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "mutated-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  /// What the package manager makes of a copy.
  private struct Description: Decodable {
    struct Target: Decodable, Equatable {
      let name: String
      let sources: [String]
    }

    let targets: [Target]
    let dependencies: [[String: String]]
  }

  @Test func `of mixed tests those of the machines are built, with what they import`() async throws
  {
    try await Self.withFolder { folder in
      let campaign = Campaign(
        root: Self.planted, module: "Planted", tests: "MixedTests", paths: [], scratch: folder)
      let files = try campaign.machineTests()
      #expect(files == ["GateStateMachineTests.swift"])
      let copy = folder.appending(path: "package")
      try MutatedPackage(
        root: Self.planted, module: "Planted", tests: "MixedTests", folder: copy, testFiles: files
      ).write([])
      let log = folder.appending(path: "log")
      let describe = [
        "swift", "package", "--package-path", copy.path, "describe", "--type", "json",
      ]
      let end = try await Command(arguments: describe, log: log).run(.generous).end
      let text = try String(contentsOf: log, encoding: .utf8)
      try #require(end == .exited(0), "\(text)")
      let json = Data(text.drop { $0 != "{" }.utf8)
      let description = try JSONDecoder().decode(Description.self, from: json)
      // What the other tests import is neither built nor fetched.
      #expect(description.targets.map(\.name).sorted() == ["MixedTests", "Planted"])
      #expect(description.targets.first { $0.name == "MixedTests" }?.sources == files)
      #expect(description.dependencies.isEmpty)
    }
  }

  @Test func `where there are no tests of machines, none are run in their place`() {
    var campaign = Campaign(
      root: Self.planted, module: "Planted", tests: "PlantedTests", paths: [],
      scratch: Self.planted)
    campaign.takesMachineTestsAlone = true
    #expect(throws: MutatorFailure.self) { try campaign.machineTests() }
  }

  @Test func `modules that take turns in one folder leave the originals alone`() async throws {
    try await Self.withFolder { folder in
      let root = folder.appending(path: "root")
      try FileManager.default.copyItem(at: Self.planted, to: root)
      let files = ["Elsewhere/Elsewhere.swift", "Planted/GateStateMachine.swift"]
      func texts(_ folder: URL) throws -> [String] {
        try files.map {
          try String(contentsOf: folder.appending(path: "Sources/\($0)"), encoding: .utf8)
        }
      }
      let originals = try texts(root)
      let copy = folder.appending(path: "package")
      for (module, file) in zip(["Planted", "Elsewhere", "Planted"], [1, 0, 1]) {
        var mutated = MutatedFile(
          path: "Sources/\(files[file])", text: originals[file] + "func add() { a += 1 }\n",
          enums: EnumCases([]), firstNumber: 1)
        mutated.write(without: [])
        try MutatedPackage(root: root, module: module, tests: "PlantedTests", folder: copy)
          .write([mutated])
        var expected = originals
        expected[file] = mutated.output
        #expect(try texts(copy) == expected)
        #expect(try texts(root) == originals)
        let added = try FileManager.default.subpathsOfDirectory(
          atPath: root.appending(path: "Sources").path)
        #expect(!added.contains { $0.hasSuffix("MutationSwitch.swift") })
      }
    }
  }
}
