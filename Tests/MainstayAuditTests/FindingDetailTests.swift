// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// What findings and fixes say of the one place where they stand.
@Suite struct FindingDetailTests {
  private func found(_ rule: String, _ code: String) async throws -> [Finding] {
    try await report(of: .good(code), profile: .default).findings.filter { $0.rule == rule }
  }

  private func model(_ before: String) -> String {
    """
    import Foundation
    @MainActor @Observable final class SignUpModel {
      var errorText: String?
      func submit() async {
        \(before)
        do { try await api.submit(name) } catch { errorText = "No." }
      }
    }
    """
  }

  @Test(arguments: [
    "if name.isEmpty { errorText = \"The name is missing.\"; return }",
    "guard isOpen else { errorText = \"It is closed.\"; return }",
    "switch kind { case .old: errorText = \"It is too old.\"; return; case .new: break }",
  ])
  func `what is set on a way that returns has not to come back`(before: String) async throws {
    let code = model(before)
    let cancelled = try await found("MS301", code)
    #expect(cancelled.map(\.message) == ["`errorText` is set even when the work was cancelled"])
    #expect(cancelled.first?.fix?.isSafe == true)
    #expect(try await found("MS404", code).count == 1, "the old text stays")
  }

  @Test(arguments: [
    "errorText = nil", "if isOld { errorText = nil }",
    "if isOld { errorText = nil; begin() } else { errorText = nil }",
  ])
  func `what is set on a way to the work counts`(before: String) async throws {
    #expect(try await found("MS404", model(before)).isEmpty)
  }

  @Test func `a value that waits for the work has to come back`() async throws {
    let messages = try await found("MS301", model("errorText = waiting")).map(\.message)
    #expect(messages.count == 1 && messages[0].contains("has to come back"))
  }

  @Test(arguments: [
    ("errorDescription", "an"), ("failureReason", "a"), ("recoverySuggestion", "a"),
  ])
  func `a text is asked for by its name`(name: String, article: String) async throws {
    let code = "import Foundation\nstruct E: LocalizedError { var \(name): String { \"No.\" } }"
    let messages = try await found("MS106", code).map(\.message)
    #expect(
      messages == ["`LocalizedError` never asks for \(article) `\(name)` that is no `String?`"])
  }

  @Test(arguments: [
    ("import Foundation\npublic struct E: LocalizedError { public \(text) }", false),
    ("import Foundation\nstruct E: LocalizedError { package \(text) }", false),
    (
      "import Foundation\npublic struct E: LocalizedError {}\npublic extension E { \(text) }", false
    ),
    ("import Foundation\npublic struct E: LocalizedError { \(text) }", true),
    ("import Foundation\nstruct E: LocalizedError { \(text) }", true),
    ("import Foundation\nstruct E: Error { \(text) }", true),
    ("import Foundation\npublic struct E: Error { public \(optional) }", false),
    ("import Foundation\nstruct E: Error { \(optional) }", true),
    ("struct E: Error { \(optional) }", false),
    ("import struct Foundation.URL\nstruct E: Error { \(optional) }", false),
  ])
  func `a text that others may read changes its type only if that is asked for`(
    code: String, isSafe: Bool
  ) async throws {
    #expect(try await found("MS106", code).map(\.fix?.isSafe) == [isSafe], "\(code)")
  }

  @Test func `a fix says what it brings and changes`() async throws {
    let title = try await found("MS106", "public struct E: Error { public \(Self.text) }").first?
      .fix?.title
    #expect(
      title == "add `LocalizedError`, import Foundation, a change for other modules")
  }

  private static let text = "var errorDescription: String { \"No.\" }"
  private static let optional = "var errorDescription: String? { \"No.\" }"
}
