// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

@Suite(.requirement("P10", "P23", "T8")) struct BulkheadConfigurationTests {
  @Test(
    arguments: [
      Bulkhead.Configuration(name: "\t", limit: 0, queue: -1, maximumWait: .zero),
      .init(name: "", limit: .min, queue: 1_000_001, maximumWait: .seconds(-1)),
      .init(
        name: " ", limit: -1, queue: .max,
        maximumWait: Duration(secondsComponent: .min, attosecondsComponent: 0)),
    ])
  func `everything that is wrong is said at once`(configuration: Bulkhead.Configuration) throws {
    let error = try #require(throws: ConfigurationError.self) {
      try Bulkhead(validating: configuration)
    }
    #expect(error.subject == "Bulkhead")
    #expect(error.violations.map(\.option) == ["name", "limit", "queue", "maximumWait"])
    #expect(error.description.contains("limit: \(configuration.limit) is not legal: it must be 1"))
  }

  @Test(
    .requirement("P18"),
    arguments: [
      Bulkhead.Configuration(name: "a", limit: 1),
      .init(name: "a", limit: .max, queue: 1_000_000),
      .init(name: "a", limit: 1, queue: 1, maximumWait: Duration(attoseconds: 1)),
      .init(
        name: "a", limit: 1, queue: 1,
        maximumWait: Duration(secondsComponent: .max, attosecondsComponent: 0)),
    ])
  func `settings at the edge of what is legal are legal`(
    configuration: Bulkhead.Configuration
  ) async throws {
    let bulkhead = try Bulkhead(validating: configuration)
    #expect(try await bulkhead.run { 42 } == 42)
  }

  @Test func `settings survive JSON, and missing keys get their defaults`() throws {
    let short = try JSONDecoder().decode(
      Bulkhead.Configuration.self, from: Data(#"{"name": "a", "limit": 3}"#.utf8))
    #expect(short == Bulkhead.Configuration(name: "a", limit: 3))
    let long = Bulkhead.Configuration(
      name: "a", limit: 3, queue: 7, maximumWait: .milliseconds(2_500), order: .lifoUnderOverload)
    #expect(
      try JSONDecoder().decode(
        Bulkhead.Configuration.self, from: JSONEncoder().encode(long)) == long)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Bulkhead.Configuration.self, from: Data(#"{"name": "a"}"#.utf8))
    }
  }

  @Test func `a limit of zero in the code stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = Bulkhead("catalog", limit: 0) }
  }

  @Test func `a wait of zero in the code stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = Bulkhead("catalog", limit: 1, queue: 1, maximumWait: .zero)
    }
  }

  @Test(.requirement("P39")) func `one bulkhead twice in one pipeline stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let bulkhead = Bulkhead("catalog", limit: 1)
      _ = Pipeline("reads") {
        bulkhead
        bulkhead
      }
    }
  }
}
