// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Mutator

enum Repository {
  /// The folder of the whole repository.
  static let root = mutator.deletingLastPathComponent().deletingLastPathComponent()
  /// The folder of this package.
  static let mutator = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

/// The whole way, over a package that is built for it.
@Suite struct CampaignTests {
  @Test func `planted survivors are found, and everything else is told by its fate`() async throws {
    let scratch = FileManager.default.temporaryDirectory.appending(
      path: "mutator-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    var campaign = Campaign(
      root: Repository.mutator.appending(path: "Tests/Fixtures/planted"), module: "Planted",
      tests: "PlantedTests", paths: ["Sources/Planted/GateStateMachine.swift"], scratch: scratch)
    campaign.shortestTimeLimit = .seconds(5)
    let results = try await campaign.run()
    func fate(_ mutated: String) throws -> Campaign.Fate {
      try #require(results.first { $0.mutant.key.mutated == mutated }).fate
    }
    #expect(try fate("guard ticket >= 3 else { return false }") == .survived)
    #expect(try fate("guard ticket > 4 else { return false }") == .survived)
    #expect(try fate("guard true else { return false }").isKilled)
    #expect(try fate("state = .closed").isKilled)
    #expect(try fate("return false").isKilled)
    #expect(try fate("while visitors > 0 { visitors += 1 }") == .timedOut)
    guard
      case .notCompiled = try fate(#"package func never(_ name: String) -> String { name - "!" }"#)
    else {
      Issue.record("subtracting texts should not compile")
      return
    }
    let report = MutationReport(results, known: try SurvivorList(""))
    #expect(report.score < 95 && report.text.contains("+ guard ticket > 4 else { return false }"))
  }
}
