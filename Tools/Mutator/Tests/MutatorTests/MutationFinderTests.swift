// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Mutator

@Suite struct MutationFinderTests {
  /// What a line of code becomes, wrapped in what makes it a program.
  private static func mutants(_ text: String, enums: String = "") -> [String] {
    let table = EnumCases([("A.swift", text), ("B.swift", enums)])
    return MutatedFile(path: "Sources/M/A.swift", text: text, enums: table, firstNumber: 1)
      .mutants.map(\.key.mutated)
  }

  @Test(arguments: [
    ("a < b", ["a <= b"]), ("a <= b", ["a < b"]), ("a > b", ["a >= b"]), ("a >= b", ["a > b"]),
    ("a == b", ["a != b"]), ("a != b", ["a == b"]), ("a && b", ["a || b"]),
    ("a || b", ["a && b"]), ("a + b", ["a - b"]), ("a - b", ["a + b"]), ("a * b", ["a / b"]),
    ("a / b", ["a * b"]), ("!a", ["a"]), ("-a", ["a"]), ("7", ["8", "6"]), ("0", ["1"]),
    ("0.5", ["0.5 + 1", "0.5 - 1"]), ("true", ["false"]), ("min(a, b)", ["max(a, b)"]),
    ("max(a, b)", ["min(a, b)"]), ("min(a)", []), ("a % b", ["a * b"]), ("a &+ b", ["a &- b"]),
    ("a === b", ["a !== b"]), ("false", ["true"]),
    ("a..<b", ["a..<(b) - 1"]), ("a...b", ["a...(b) - 1"]), ("a", []), ("\"1 < 2\"", []),
  ])
  func `each operator has its counterpart`(expression: String, expected: [String]) {
    #expect(Self.mutants("let x = \(expression)") == expected.map { "let x = \($0)" })
  }

  @Test func `each part of an expression is changed alone`() {
    #expect(
      Self.mutants("let x = a + b * c < d")
        == ["a + b * c <= d", "a - b * c < d", "a + b / c < d"].map { "let x = \($0)" })
  }

  /// A line of code for each kind of change, so that none of them ever stops to be made.
  @Test(arguments: [
    (Mutant.Kind.comparison, "let x = a < b"), (.condition, "if ready { }"),
    (.connective, "let x = a && b"), (.guardPasses, "guard ready else { return }"),
    (.bindingFails, "if case .on = x { }"), (.arithmetic, "x *= 2"), (.constant, "let x = 1"),
    (.bound, "for x in 0..<n { }"), (.state, "enum E { case a, b }\nlet x = E.a"),
    (.choice, "let x = max(a, b)"), (.literal, "let x = true"), (.removed, "x.wake()"),
  ])
  func `each kind of change is made`(kind: Mutant.Kind, text: String) {
    let file = MutatedFile(
      path: "A.swift", text: text, enums: EnumCases([("A.swift", text)]), firstNumber: 1)
    #expect(file.mutants.contains { $0.kind == kind })
  }

  @Test func `the page names each kind of change`() throws {
    let page = try String(
      contentsOf: Repository.root.appending(path: "Documentation/MutationTesting.md"),
      encoding: .utf8)
    for kind in Mutant.Kind.allCases {
      #expect(page.contains("| \(kind.rawValue) |"), "\(kind.rawValue)")
    }
  }

  @Test func `conditions are negated, and guards let everything pass`() {
    #expect(Self.mutants("if ready { }") == ["if !(ready) { }"])
    #expect(Self.mutants("while a < b { }") == ["while !(a < b) { }", "while a <= b { }"])
    #expect(
      Self.mutants("guard ready else { return }")
        == ["guard !(ready) else { return }", "guard true else { return }"])
    #expect(Self.mutants("while true { }").isEmpty)
    #expect(Self.mutants("for x in y where z { }") == ["for x in y where !(z) { }"])
    #expect(Self.mutants("let x = a ? b : c") == ["let x = !(a) ? b : c"])
  }

  @Test func `bindings and matches fail`() {
    #expect(Self.mutants("if let x { }") == ["if false, let x { }"])
    #expect(
      Self.mutants("guard ready, case .on(3) = x else { return }").contains(
        "guard ready, false, case .on(3) = x else { return }"))
  }

  @Test func `statements are left out, but not what gives a first value`() {
    #expect(Self.mutants("func f() { g(); x = y }").count == 2)
    #expect(Self.mutants("func f() { x = y }") == ["func f() { }"])
    #expect(Self.mutants("x += y") == ["(removed)", "x -= y"])
    #expect(Self.mutants("func f() { let x: Int; x = y }").isEmpty)
    #expect(Self.mutants("func f() { let x: Int; (x, z) = (y, y) }").isEmpty)
    #expect(Self.mutants("func f() { let x: Int; (w, z) = (y, y) }").count == 1)
    #expect(Self.mutants("init() { x = y }").isEmpty)
    #expect(Self.mutants("_ = try await f()") == ["(removed)"])
    #expect(Self.mutants("precondition(a < b)").isEmpty)
  }

  @Test func `what a block amounts to is not left out`() {
    #expect(Self.mutants("func f() -> Int { g() }").isEmpty)
    #expect(Self.mutants("var f: Int { g() }").isEmpty)
    #expect(Self.mutants("let x = if let a { g() } else { h() }").count == 1)
    #expect(Self.mutants("let x = switch a { case .b: g() default: h() }").isEmpty)
    #expect(Self.mutants("func f() { switch a { case .b: g() default: h() } }").count == 2)
    #expect(Self.mutants("func f() -> Int { switch a { case .b: g() default: h() } }").isEmpty)
  }

  @Test func `a state becomes another one of its enum without a payload`() {
    let state = "enum State { case closed, open(until: Int), isolated }\n"
    #expect(Self.mutants(state + "x = .closed") == ["(removed)", "x = .isolated"])
    #expect(Self.mutants(state + "x = .open(until: y)") == ["(removed)", "x = .isolated"])
    #expect(Self.mutants(state + "let x = State.isolated") == ["let x = State.closed"])
    #expect(Self.mutants("x = .far", enums: "enum E { case far, near }").contains("x = .near"))
    #expect(Self.mutants(state + "x = .elsewhere") == ["(removed)"])
  }

  @Test func `an enum of the file that this one is a part of is meant first`() {
    let text = "x = .isolated"
    let table = EnumCases([
      ("Event.swift", "enum Event { case isolated, told }"),
      ("A.swift", "enum State { case isolated, closed }"), ("A+B.swift", text),
    ])
    let file = MutatedFile(path: "A+B.swift", text: text, enums: table, firstNumber: 1)
    #expect(file.mutants.map(\.key.mutated) == ["(removed)", "x = .closed"])
  }

  @Test func `patterns and texts are left alone`() {
    let text = """
      enum State { case a, b }
      switch x {
      case .a: break
      case .b: break
      case 3: break
      }
      """
    #expect(Self.mutants(text).isEmpty)
    #expect(Self.mutants("@available(macOS 15, *) func f() { }").isEmpty)
    #expect(Self.mutants("#if os(Linux) || DEBUG\n#endif").isEmpty)
  }

  @Test func `what returns an optional returns nil`() {
    #expect(Self.mutants("func f() -> Int? { return x }") == ["func f() -> Int? { return nil }"])
    #expect(Self.mutants("func f() -> Int { return x }").isEmpty)
    #expect(Self.mutants("func f() -> Int? { g { return x } }").isEmpty)
  }

  @Test func `a mutant is known by its lines and not by their number`() {
    let text = "let x = a < b  // why\n"
    let table = EnumCases([])
    let above = MutatedFile(path: "A.swift", text: "\n\n" + text, enums: table, firstNumber: 7)
    let here = MutatedFile(path: "A.swift", text: text, enums: table, firstNumber: 1)
    #expect(above.mutants.map(\.key) == here.mutants.map(\.key))
    #expect(above.mutants.map(\.number) == [7] && above.mutants.map(\.line) == [3])
    #expect(here.mutants.map(\.key.original) == ["let x = a < b"])
    let twice = MutatedFile(path: "A.swift", text: text + text, enums: table, firstNumber: 1)
    #expect(twice.mutants.map(\.key.occurrence) == [1, 2])
  }
}
