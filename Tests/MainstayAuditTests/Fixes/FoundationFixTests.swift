// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// Fixes that need Foundation: what a file has of it, and who decides that it comes.
@Suite struct FoundationFixTests {
  private static let alert = """
    @MainActor @Observable final class M {
      var message: String?
      func load() async {
        message = nil
        do { try await api.load() } catch {
          message = "No."
          log.error("\\(error)")
        }
      }
    }
    """

  @Test(arguments: [
    ("import Foundation", true), ("import struct Foundation.URL", false),
    ("import struct Foundation.URL\nimport Foundation", true),
    ("#if os(Linux)\nimport class Foundation.NSError\n#endif", false),
  ])
  func `what a scoped import does not bring is not named`(
    imports: String, knows: Bool
  ) async throws {
    let text = try await mended("\(imports)\n\(Self.alert)", by: "MS301", unsafe: false)
    #expect(text.contains("if !(error is CancellationError)"))
    #expect(text.contains("URLError") == knows, "\(text)")
  }

  @Test func `beside a scoped import Foundation is imported`() async throws {
    let code = "import struct Foundation.URL\nenum E: Error { case a; \(Self.text) }\n"
    let text = try await mended(code, by: "MS105", unsafe: true)
    #expect(text.hasPrefix("import Foundation\nimport struct Foundation.URL\nenum E: Localized"))
  }

  @Test(arguments: [
    "enum E: Error { case a; \(text) }",
    "import struct Foundation.URL\nenum E: Error { case a; \(text) }",
    "import Foundation\npublic enum E: Error { case a; public \(text) }",
    "import Foundation\nenum E: Error { case a; package \(text) }",
    "import Foundation\npublic enum E: Error { case a }\npublic extension E { \(text) }",
    "import Foundation\npublic enum E: Error { case a; \(text) }",
  ])
  func `no safe fix takes a public text away, or brings Foundation into a file`(
    code: String
  ) async throws {
    #expect(try await mended(code, by: "MS105", unsafe: false) == code)
    #expect(try await mended(code, by: "MS105", unsafe: true).contains("var errorDescription"))
  }

  @Test func `an unsafe fix says what it brings and takes`() async throws {
    let code = "public enum E: Error { case a; public \(Self.text) }"
    let found = try await report(of: .good(code), profile: .default).findings
    let title = found.first { $0.rule == "MS105" }?.fix?.title
    #expect(
      title
        == "make it the text of a `LocalizedError`, import Foundation, and take a public name away"
    )
  }

  @Test(arguments: [
    "import Foundation\nenum E: Error { case a; \(text) }",
    "import SwiftUI\nextension E { \(text) }\nenum E: LocalizedError { case a }",
  ])
  func `a text of the module's own is mended without being asked`(code: String) async throws {
    let text = try await mended(code, by: "MS105", unsafe: false)
    #expect(text.contains("var errorDescription: String?"))
  }

  @Test func `no second blank line stands behind a new import`() async throws {
    let code = "// Header.\n\n#if os(Windows)\nimport WinSDK\n#endif\n\n"
    let text = try await mended(
      code + "enum E: Error { case a; \(Self.text) }\n", by: "MS105", unsafe: true)
    #expect(text.hasPrefix("// Header.\n\nimport Foundation\n\n#if os(Windows)"), "\(text)")
  }

  private static let text = "var localizedDescription: String { \"No.\" }"

  private func mended(_ code: String, by rule: String, unsafe: Bool) async throws -> String {
    let found = try await report(of: .good(code), profile: .all).findings
      .filter { $0.rule == rule }
    #expect(found.count == 1, "\(code)")
    return String(
      decoding: FixRun(found, in: Array(code.utf8), unsafe: unsafe).bytes, as: UTF8.self)
  }
}
