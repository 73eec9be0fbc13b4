// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// When a failure is left without a word on purpose, and when a remark only speaks of it.
@Suite struct AcceptedFailureTests {
  private func rules(in code: String, path: String = "Sources/App/Code.swift") async throws
    -> [String]
  {
    try await report(of: .good(code, path: path), profile: .default).findings.map(\.rule)
  }

  private static let reasons = [
    "// There is nothing that we can do if this fails.",
    "// Best effort: the next start writes it again.",
    "// A failure is harmless: the cache is filled on the first read.",
    "// It is safe to go on without it.",
    "// The request has failed elsewhere in that case.",
    "// We don’t need to tell anybody about it.",
    "// Whether that works does not matter here.",
    "/* Let the next handler in the row handle it. */",
    "// Only the last attempt counts.\n  // An older one does no harm.",
    "// If the file does not exist, that is fine.", "// This may fail and that's fine.",
    "// If this fails there is nothing we can do.", "// `try?` is fine here: it is a cache.",
  ]
  private static let hints = [
    "// This may fail.", "// ignore", "// Ignore the error here.",
    "// The server can't be reached.",
    "// Save the draft of the user.", "// Nothing was saved before.", "// Not safe to leave out.",
    "// The store is thread-safe, so any queue will do.",
    "// TO" + "DO: nothing is done here if this fails.",
    "// Fine-grained locks are taken for this.",
    "// The order is not guaranteed, so sort first.", "// The order is guaranteed by the store.",
    "// Saving must not fail silently.", "// This must never fail at all.",
    "// Never fail silently in here.", "// Make sure that it cannot fail.",
    "// If the save does not fail then show it.",
    "// It isn't safe to lose this.", "// It’s never okay to lose a draft.",
    "// A lost draft is not harmless at all.", "// This can't be tolerated in production.",
    "// Is it safe to go on without it?", "// It is safe to call from any queue.",
    "// Press OK to save the draft.", "// To be safe the draft is written first.",
    "// The draft is taken from elsewhere.", "// It is not handled elsewhere in the app.",
    "// We don't need the lock any more.", "// The order of both does not matter.",
    "// Save it no matter what happens.", "// Nothing must be lost when the app quits.",
    "// This should never fail in practice.",
    "// It only fails for another family of addresses.", "// It only fails when the disk is full.",
  ]

  @Test(arguments: reasons)
  func `a remark that says why a failure does no harm is a reason`(remark: String) async throws {
    #expect(try await rules(in: "func f() {\n  \(remark)\n  try? a()\n}").isEmpty)
    #expect(
      try await rules(in: "func f() {\n  do { try a() } catch {\n  \(remark)\n  b()\n  }\n}")
        .isEmpty)
    #expect(
      try await rules(
        in: "func f() throws {\n  do { try a() } catch {\n  \(remark)\n  throw E.no\n  }\n}"
      ).isEmpty)
  }

  @Test(arguments: hints)
  func `a remark that only speaks of a failure is none`(remark: String) async throws {
    #expect(try await rules(in: "func f() {\n  \(remark)\n  try? a()\n}") == ["MS203"])
    let clause = "func f() {\n  do { try a() } catch {\n  \(remark)\n  b()\n  }\n}"
    #expect(try await rules(in: clause).contains("MS202"))
    let thrown = "func f() throws {\n  do { try a() } catch {\n  \(remark)\n  throw E.no\n  }\n}"
    #expect(try await rules(in: thrown).contains("MS205"))
    #expect(try await rules(in: "func f() {\n  \(remark)\n  try! a()\n}") == ["MS601"])
  }

  @Test(arguments: [
    "// Encoding numbers cannot fail.", "// This can never actually throw.",
    "// The check above makes this safe.",
    "// The bytes are ours, so it will not fail.", "// It is guaranteed to be valid here.",
  ])
  func `a remark that says why nothing can fail is a reason`(remark: String) async throws {
    #expect(try await rules(in: "func f() {\n  \(remark)\n  try! a()\n}").isEmpty)
    #expect(try await rules(in: "func f() {\n  \(remark)\n  handlers { try! a() }\n}").isEmpty)
    #expect(
      try await rules(in: "func f() {\n  \(remark)\n  handlers { b(); try! a() }\n}") == ["MS601"])
  }

  @Test(arguments: [
    ("/// Ends with a fatal error where the row has no such column.", false),
    ("/// The program crashes where it is of another type.", false),
    ("/// A column of the row.", true),
    ("/// Never crashes.", true), ("/// It must never end with a fatal error.", true),
    ("/// Traps where the index is out of bounds.", false),
    ("/// Ends the program if the file is broken.", false),
    ("/// The first column.\n  /// - Precondition: The row has one.", false),
    ("/// Sends the crash report of the last run.", true), ("/// Traps SIGTERM.", true),
    ("/// How fatal an error is.", true), ("/// Shows a fatal error if there is one.", true),
    ("/// Terminates the session when it is idle.", true),
    ("/// Called before the app terminates.", true),
    ("/// Checks the precondition of a request.", true),
  ])
  func `a trap that the documentation promises is none`(text: String, isFound: Bool) async throws {
    for member in [
      "subscript(_ index: Int) -> Int { try! decode(index) }",
      "var first: Int { try! decode(0) }", "func first() -> Int { try! decode(0) }",
      "init() { try! open() }",
    ] {
      let code = "struct Row {\n  \(text)\n  \(member)\n}"
      #expect(try await rules(in: code) == (isFound ? ["MS601"] : []), "\(code)")
    }
  }

  @Test(
    arguments: [
      ("Sources/server/main.swift", "defer { try! group.close() }", nil),
      ("Sources/server/main.swift", "if isFirst { try! create() }", nil),
      ("Sources/server/main.swift", "queue.async { try! create() }", Severity.info),
      ("Sources/server/main.swift", "do { try! create() } catch { print(error) }", .info),
      ("Sources/server/main.swift", "var config: Config { try! load() }", .info),
      ("Sources/server/main.swift", "let config = try! load()", nil),
      ("main.swift", "let config = try! load()", nil),
      ("Sources/App/Domain.swift", "let config = try! load()", .error),
      ("Sources/App/Code.swift", "let store = try! Store()", .error),
      ("Tour.playground/Contents.swift", "try! migrate()", nil),
      ("Sources/AppPerformanceTester/Run.swift", "func run() { try! serve() }", nil),
      ("Sources/Shop/PriceTester.swift", "func run() { try! serve() }", .error),
      ("Sources/App/Code.swift", "func f() { try! file.close() }", .info),
      ("Sources/App/Code.swift", "/// For previews.\nfunc f() { try! fill() }", .info),
      ("Sources/App/Code.swift", "/// A full store for tests.\nfunc f() { try! fill() }", .info),
      ("Sources/App/Code.swift", "/// Tests whether it opens.\nfunc f() { try! open() }", .error),
      ("Sources/App/Code.swift", "/// Looks for tests.\nfunc f() { try! search() }", .error),
    ] as [(String, String, Severity?)])
  func `where a try! lies tells how bad it is`(
    path: String, code: String, severity: Severity?
  ) async throws {
    let found = try await report(of: .good(code, path: path), profile: .default).findings
      .filter { $0.rule == "MS601" }
    #expect(found.map(\.severity) == (severity.map { [$0] } ?? []), "\(code)")
  }

  @Test(arguments: [
    ("Sources/CacheCrashTester/Tests+Loop.swift", false), ("Sources/LoadTester/Run.swift", true),
    ("Sources/App/Features/CrashTester/Run.swift", true),
  ])
  func `a program that waits for crashes is a test`(path: String, isFound: Bool) async throws {
    let code = "let test = CrashTest(pattern) { try? loop.submit(); b() }\nfunc f() { try? a() }"
    #expect(try await rules(in: code, path: path).isEmpty != isFound)
  }
}
