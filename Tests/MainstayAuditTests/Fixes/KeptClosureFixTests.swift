// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

private let lost = "do { try store.clear() } catch {}"

/// Fixes that log in closures: one that somebody keeps must not begin to hold the object.
@Suite struct KeptClosureFixTests {
  @Test(arguments: [
    "token = center.addObserver(forName: .x, object: nil, queue: nil) { _ in \(lost) }",
    "timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in \(lost) }",
    "onChange = { \(lost) }",
    "weak var me = self; onChange = { do { try me?.clear() } catch {} }",
    "signal.onEvent { _ in \(lost) }",
    "hooks.append { \(lost) }",
    "pipe.map { _ in \(lost) }.sink { use($0) }.store(in: &bag)",
    "withObservationTracking { read() } onChange: { \(lost) }",
    "onChange = { items.forEach { _ in \(lost) } }",
  ])
  func `no fix makes a closure that is kept hold an object that it did not hold`(
    statement: String
  ) async throws {
    for kind in ["final class", "actor"] {
      let code = Self.type(kind, statement)
      #expect(try await mended(code) == nil, "\(code)")
    }
  }

  @Test(arguments: [
    "items.forEach { _ in \(lost) }",
    "lock.withLock { \(lost) }",
    "context.performAndWait { \(lost) }",
    "queue.sync { \(lost) }",
    "onChange = { self.count += 1; \(lost) }",
    "use({ \(lost) }())",
  ])
  func `a closure that ends with its call, or holds the object already, logs`(
    statement: String
  ) async throws {
    let code = Self.type("final class", statement)
    let fixed = try #require(try await mended(code), "\(code)")
    #expect(fixed.contains("self.log.error("), "\(fixed)")
  }

  @Test(arguments: ["static let log", "let log"])
  func `a logger of no object is named in closures that are kept`(logger: String) async throws {
    let property = "\(logger) = Logger(label: \"a\")"
    let work = "func f() { onChange = { \(lost) } }"
    let code =
      logger.hasPrefix("static")
      ? "final class A { \(property); \(work) }" : "\(property)\nfinal class A { \(work) }"
    let fixed = try #require(try await mended(code), "\(code)")
    #expect(fixed.contains("log.error("), "\(fixed)")
  }

  private static func type(_ kind: String, _ statement: String) -> String {
    """
    \(kind) A {
      let log = Logger(label: "a")
      func f() {
        \(statement)
      }
    }
    """
  }

  /// The code after its only finding about a lost error was mended; nil where that has no fix.
  private func mended(_ code: String) async throws -> String? {
    let found = try await report(of: .good(code), profile: .default).findings
      .filter { ["MS201", "MS202", "MS203"].contains($0.rule) }
    #expect(found.count == 1, "\(code) \(found.map(\.rule))")
    let run = FixRun(found, in: Array(code.utf8), unsafe: false)
    return run.fixed.isEmpty ? nil : String(decoding: run.bytes, as: UTF8.self)
  }
}
