// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// Where a `try!` may become a `try` that compiles.
@Suite struct ForceTryFixTests {
  @Test(arguments: [
    "func f() rethrows { try! a() }",
    "func f() throws { lazy var b = try! a(); c(b) }",
    "func f() throws { assert(try! a()) }",
    "func f() throws { precondition(b, \"\\(try! a())\") }",
    "func f() throws { logger.debug(\"\\(try! a())\") }",
  ])
  func `where no try may stand nothing is changed`(code: String) async throws {
    let found = try await report(of: .good(code), profile: .default).findings
      .filter { $0.rule == "MS601" }
    #expect(found.count == 1 && found.allSatisfy { $0.fix == nil }, "\(code)")
  }

  @Test(arguments: [
    "func f() throws { try! a() }", "init() throws { b = try! a() }",
    "func f() throws { let b = try! a(); assert(b) }", "func f() throws { catalog(try! a()) }",
    "func f() throws { store(try! a()) }",
  ])
  func `where one may stand it does, if that is asked for`(code: String) async throws {
    let found = try await report(of: .good(code), profile: .default).findings
      .filter { $0.rule == "MS601" }
    #expect(found.map(\.fix?.isSafe) == [false], "\(code)")
    let run = FixRun(found, in: Array(code.utf8), unsafe: true)
    #expect(String(decoding: run.bytes, as: UTF8.self) == code.replacing("try!", with: "try"))
  }
}
