// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

private let handler = "do { try y() } catch {}"
private let send = "do { try self.y() } catch {}"
private let value = "C = { do { return try load() } catch { return C() } }()"

private let log = "let log = Logger()"
private let task = "func f() { Task { \(handler) } }"

/// Fixes that log, and where they may not: what they write has to compile.
@Suite struct LoggerFixTests {
  @Test(arguments: [
    ("final class A { let log: Logger; func f() { Task.detached { try? self.y() } } }", "self.log"),
    ("final class A { let log: Logger; func f() { Task { try? self.y() } } }", "log"),
    ("final class A { let log: Logger; func f() { Task { g { \(send) } } } }", "self.log"),
    ("final class A { let log: Logger; lazy var c: \(value) }", "self.log"),
    ("struct A { static let log = Logger(label: \"a\"); let c: \(value) }", "A.log"),
    ("struct A { static let log = Logger(label: \"a\"); func f(_ c: \(value)) {} }", "A.log"),
    ("struct A { static let log = Logger(label: \"a\"); func f() { \(handler) } }", "Self.log"),
    ("struct A { static let log = Logger(label: \"a\"); static func f() { \(handler) } }", "log"),
    ("final class A { let log: Logger; init() { log = Logger(label: \"a\"); \(handler) } }", "log"),
    ("class A { let log: Logger; convenience init() { self.init(1); \(handler) } }", "log"),
    ("struct A { let log = Logger(); var z: Z; init() { \(handler); z = 1 } }", "log"),
    ("struct A { let log: Logger; mutating func f() { \(handler) } }", "log"),
  ])
  func `a logger is named as the compiler asks for it there`(
    code: String, name: String
  ) async throws {
    let fixed = try #require(try await mended(code), "\(code)")
    #expect(fixed.contains("{ \(name).error("), "\(fixed)")
  }

  @Test(arguments: [
    "final class A { let log: Logger; func f() { Task { [weak self] in try await self?.y() } } }",
    "struct A { let log: Logger; let c: \(value) }",
    "struct A { let log: Logger; func f(_ c: \(value)) {} }",
    "final class A { var log: Logger?; func f() { \(handler) } }",
    "final class A { var log: (any Logger)!; func f() { \(handler) } }",
    "let log: Logger? = nil\nfunc f() { \(handler) }",
    "final class A { let log: Logger; convenience init(z: Int) { \(handler); self.init() } }",
    "final class A { let log: Logger; init() { \(handler); log = Logger(label: \"a\") } }",
    "final class A { let log: Logger = l; init() { g { \(handler) }; z = 1 } }",
    "struct A { let log: Logger; mutating func f() { g { \(handler) } } }",
    "struct A { lazy var log = Logger(label: \"a\"); func f() { \(handler) } }",
    "let log = Logger(label: \"a\")\nfunc f(log: Int) { \(handler) }",
    "let log = Logger(label: \"a\")\nstruct A { var log: String; func f() { \(handler) } }",
  ])
  func `no fix logs where no logger can be named`(code: String) async throws {
    #expect(try await mended(code) == nil)
  }

  @Test(arguments: [
    "actor A { var log = Logger(); nonisolated func f() { \(handler) } }",
    "actor A { var log = Logger(); nonisolated func f() { Task { \(handler) } } }",
    "actor A { lazy var log = Logger(); func f() { Task.detached { \(handler) } } }",
    "@MainActor final class A { var log = Logger(); nonisolated func f() { \(handler) } }",
    "@MainActor final class A { var log = Logger(); func f() { q.async { \(handler) } } }",
    "final class A { let log = Logger(); func f() { q.async { \(handler) } } }",
    "final class A { let log = Logger(); func f() { q.asyncAfter(deadline: t) { \(handler) } } }",
    "final class A { let log = Logger(); func f() { Task.detached { \(handler) } } }",
    "final class A { let log = Logger(); func f() { group.addTask { \(handler) } } }",
  ])
  func `no fix logs where code runs outside of the actor of its logger, or may not send it`(
    code: String
  ) async throws {
    #expect(try await mended(code) == nil)
  }

  @Test(arguments: [
    ("actor A { let log = Logger(); nonisolated func f() { \(handler) } }", "log"),
    ("actor A { let log = Logger(); func f() { Task.detached { \(handler) } } }", "self.log"),
    ("actor A { var log = Logger(); func f() { Task { \(handler) } } }", "log"),
    ("actor A { var log = Logger(); func f() { a.forEach { _ in \(handler) } } }", "self.log"),
    (
      "@MainActor final class A { let log = Logger(); func f() { q.async { \(handler) } } }",
      "self.log"
    ),
    (
      "final class A: Sendable { let log = Logger(); func f() { q.async { \(handler) } } }",
      "self.log"
    ),
    ("struct A { let log = Logger(); func f() { q.async { \(handler) } } }", "self.log"),
    (
      "final class A { static let log = Logger(); func f() { q.async { \(handler) } } }", "Self.log"
    ),
  ])
  func `a logger is named outside of its actor where everybody may read it`(
    code: String, name: String
  ) async throws {
    let fixed = try #require(try await mended(code), "\(code)")
    #expect(fixed.contains("{ \(name).error("), "\(fixed)")
  }

  @Test(arguments: [
    "final class A { let log = Logger(); func f() { Task { \(handler) } } }",
    "final class A { let log = Logger(); func f() { Task { try await post() } } }",
    "final class A { let log = Logger(); func f() { Task { Task { \(handler) } } } }",
    "final class A { let log = Logger(); let y: Y; func f() { let y = y; Task { \(handler) } } }",
    "final class A { let log = Logger(); let y: Y; func f() { Task { [y] in \(handler) } } }",
    "final class A { let log = Logger(); static func y() {}; func f() { Task { \(handler) } } }",
    "final class A { let log = Logger(); func f() { Task { a { [weak b] in c() }; \(handler) } } }",
  ])
  func `no fix makes a task send a class that it held nothing of`(code: String) async throws {
    #expect(try await mended(code) == nil)
  }

  @Test(arguments: [
    "final class A { let log = Logger(); func y() throws {}; func f() { Task { \(handler) } } }",
    "final class A { let log = Logger(); let y: Y; func f() { Task { \(handler) } } }",
    "final class A { let log = Logger(); func f() { Task { \(send) } } }",
    "final class A { let log = Logger(); @MainActor func f() { Task { \(handler) } } }",
    "@MainActor final class A { let log = Logger(); func f() { Task { \(handler) } } }",
    "final class A: @unchecked Sendable { let log = Logger(); func f() { Task { \(handler) } } }",
    "actor A { let log = Logger(); func f() { Task { \(handler) } } }",
  ])
  func `a task logs where it holds its class already, or may send it`(code: String) async throws {
    let fixed = try #require(try await mended(code), "\(code)")
    #expect(fixed.contains("{ log.error("), "\(fixed)")
  }

  @Test(arguments: [
    "class C {}; struct A { \(log); let c: C; \(task) }",
    "class C {}; struct A { \(log); var c: [C?]; \(task) }",
    "class C {}; struct A { \(log); let c = C(); func f() { q.async { \(handler) } } }",
    "struct A { \(log); let c: () -> Void; \(task) }",
    "struct A<T> { \(log); let t: T; \(task) }",
    "public struct A { \(log); public \(task) }",
    "enum A { case b(() -> Void); var log: Logger { l }; \(task) }",
  ])
  func `no fix makes a task send a value that may not be sent`(code: String) async throws {
    #expect(try await mended(code) == nil)
  }

  @Test(arguments: [
    "class C: Sendable {}; struct A { \(log); let c: C; \(task) }",
    "@MainActor class C {}; struct A { \(log); let c: C; \(task) }",
    "class C {}; struct A { \(log); let c: C; func f() { Task { \(send) } } }",
    "class C {}; struct A { \(log); let c: C; @MainActor \(task) }",
    "class C {}; struct A { \(log); static let c = C(); \(task) }",
    "struct A { \(log); let c: @Sendable () -> Void; \(task) }",
    "struct A<T: Sendable> { \(log); let t: T; \(task) }",
    "public struct A: Sendable { \(log); public \(task) }",
    "package struct A { \(log); let n: Int; \(task) }",
  ])
  func `a task logs by a value that may be sent, or that it holds already`(
    code: String
  ) async throws {
    let fixed = try #require(try await mended(code), "\(code)")
    #expect(fixed.contains("{ log.error("), "\(fixed)")
  }

  @Test(arguments: ["", "// Header.\n// Two lines.\n"])
  func `an import goes behind the mark that a file starts with`(header: String) async throws {
    let code = "\u{FEFF}" + header + "enum PayError: Error { case declined }\n"
    let found = try await report(of: .good(code), profile: .all).findings
      .filter { $0.rule == "MS102" }
    #expect(found.count == 1)
    let bytes = FixRun(found, in: Array(code.utf8), unsafe: true).bytes
    let gap = header.isEmpty ? "" : "\n"
    let start = "\u{FEFF}" + header + gap + "import Foundation\n\n" + "enum PayError"
    #expect(bytes.starts(with: Array(start.utf8)), "\(String(decoding: bytes, as: UTF8.self))")
  }

  /// The code after its only finding about a lost error was mended; nil where that has no fix.
  private func mended(_ code: String) async throws -> String? {
    let found = try await report(of: .good(code), profile: .default).findings
      .filter { ["MS201", "MS202", "MS203", "MS206"].contains($0.rule) }
    #expect(found.count == 1, "\(code) \(found.map(\.rule))")
    let run = FixRun(found, in: Array(code.utf8), unsafe: false)
    return run.fixed.isEmpty ? nil : String(decoding: run.bytes, as: UTF8.self)
  }
}
