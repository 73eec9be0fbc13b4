// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// What a fix brings into a module, and what it takes from those who use that.
@Suite struct FoundationFixTests {
  private static let member = "var localizedDescription: String { \"Declined.\" }"

  @Test func `a text that only its own module reads is renamed safely`() async throws {
    let fix = try await fix(of: "import Foundation\nstruct Declined: Error { \(Self.member) }")
    #expect(fix.isSafe)
    #expect(fix.title == "make it the text of a `LocalizedError`")
  }

  @Test(arguments: [
    "public struct Declined: Error { public ", "package struct Declined: Error { package ",
  ])
  func `a name that others may read goes only where somebody wants that`(
    start: String
  ) async throws {
    let fix = try await fix(of: "import Foundation\n\(start)\(Self.member) }")
    #expect(!fix.isSafe)
    #expect(fix.title.hasSuffix("and take a public name away"))
  }

  @Test(arguments: ["", "import struct Foundation.URL\n", "import Dispatch\n"])
  func `a module without Foundation gets it only where somebody wants that`(
    start: String
  ) async throws {
    let code = "\(start)struct Declined: Error { \(Self.member) }\n"
    let fix = try await fix(of: code)
    #expect(!fix.isSafe)
    #expect(fix.title.hasSuffix("import Foundation"))
    let found = try await findings("MS105", in: code)
    let bytes = FixRun(found, in: Array(code.utf8), unsafe: true).bytes
    let fixed = String(decoding: bytes, as: UTF8.self)
    #expect(fixed.contains("import Foundation\n"), "\(fixed)")
    #expect(fixed.contains("struct Declined: LocalizedError"), "\(fixed)")
  }

  @Test(arguments: [
    ("import Foundation", true), ("import struct Foundation.URL", false),
    ("@preconcurrency import struct Foundation.URL", false),
  ])
  func `one name of Foundation is not all of it`(start: String, isWhole: Bool) async throws {
    let code = """
      \(start)
      @Observable final class Model {
        var failure: (any Error)?
        func load() async {
          do { try await work() } catch { self.failure = error }
        }
      }
      """
    let found = try await findings("MS301", in: code)
    let run = FixRun(found, in: Array(code.utf8), unsafe: true)
    let fixed = String(decoding: run.bytes, as: UTF8.self)
    #expect(fixed.contains("is CancellationError"), "\(fixed)")
    #expect(fixed.contains("URLError") == isWhole, "\(fixed)")
  }

  private func fix(of code: String) async throws -> Fix {
    let found = try await findings("MS105", in: code)
    #expect(found.count == 1, "\(code)")
    return try #require(found.first?.fix)
  }

  private func findings(_ rule: String, in code: String) async throws -> [Finding] {
    try await report(of: .good(code), profile: .all).findings.filter { $0.rule == rule }
  }
}
