// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

private let text = "var errorDescription: String { \"No.\" }"

/// When a text of an error may become an optional one without being asked.
@Suite struct LocalizedTextFixTests {
  @Test(arguments: [
    "func label(_ e: SyncError) -> String { \"! \" + e.errorDescription }",
    "func label(_ e: SyncError) -> String { \"\\(e.errorDescription)\" }",
    "extension SyncError { var title: String { errorDescription.uppercased() } }",
    "func titles(_ all: [SyncError]) -> [String] { all.map(\\.errorDescription) }",
  ])
  func `a text that code reads becomes optional only where that is asked for`(
    reading: String
  ) async throws {
    for declaration in ["struct SyncError: LocalizedError", "struct SyncError: Error"] {
      let code = "import Foundation\n\(declaration) { \(text) }\n"
      #expect(try await isSafe(code, beside: reading) == false, "\(declaration)")
      #expect(try await isSafe(code + reading, beside: "") == false, "\(declaration)")
    }
  }

  @Test(arguments: [
    "", "func label(_ e: SyncError) -> String { e.failureReason }",
    "func label(_ e: any Error) -> String? { (e as? any LocalizedError)?.errorDescription }",
    "func set(_ p: Problem) { p.errorDescription = \"No.\" }",
    "func label(errorDescription: String) -> String { \"! \" + errorDescription }",
  ])
  func `a text that nobody reads becomes optional without being asked for`(
    other: String
  ) async throws {
    for declaration in ["struct SyncError: LocalizedError", "struct SyncError: Error"] {
      let code = "import Foundation\n\(declaration) { \(text) }\n"
      #expect(try await isSafe(code, beside: other) == true, "\(declaration)")
    }
  }

  @Test func `a text that is decoded becomes optional only where that is asked for`() async throws {
    for conformance in ["LocalizedError, Decodable", "Codable, LocalizedError"] {
      let code = "import Foundation\nstruct Answer: \(conformance) { let errorDescription: String }"
      #expect(try await isSafe(code, beside: "") == false, "\(conformance)")
    }
    let own = "import Foundation\nstruct Answer: LocalizedError { let errorDescription: String }"
    #expect(try await isSafe(own, beside: "") == true)
  }

  @Test func `a text that is optional already is completed whoever reads it`() async throws {
    let code =
      "import Foundation\nstruct SyncError: Error { var errorDescription: String? { nil } }"
    let reading = "func label(_ e: SyncError) -> String? { e.errorDescription }"
    #expect(try await isSafe(code, beside: reading) == true)
  }

  private func isSafe(_ code: String, beside other: String) async throws -> Bool? {
    let example = Example.good(code, others: ["Sources/App/Other.swift": other])
    let found = try await report(of: example, profile: .all).findings.filter { $0.rule == "MS106" }
    #expect(found.count == 1, "\(code) \(found.map(\.message))")
    return found.first?.fix?.isSafe
  }
}
