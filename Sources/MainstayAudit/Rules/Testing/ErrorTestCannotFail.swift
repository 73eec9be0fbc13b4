// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let errorTestCannotFail = Rule(
    "MS801", "error-test-cannot-fail", .warning, .default, serves: ["B29", "D31"],
    places: [.test],
    summary: "A test checks the error in a catch, and passes when nothing is thrown.",
    why: "The day the code stops throwing, nothing in this test runs, and it stays green.",
    guess: "Calls named after asserting, checking, expecting or failing check something.",
    onPurpose: "A check after the `do`, or `#expect(throws:)`.",
    remedy: .safe("Adds a call that fails the test behind what should throw."),
    examples: errorTestCannotFailBad + errorTestCannotFailGood,
    checks: .doStatement { node, file in
      guard file.pathClass == .test, !node.catchClauses.isEmpty, !node.body.statements.isEmpty,
        let clause = node.catchClauses.first(where: \.checksItsError)
      else { return }
      guard !node.body.checks, !node.catchClauses.contains(where: \.leavesTrace),
        !node.isCheckedAfterwards, !(node.enclosingFunction?.isCheckItself ?? false)
      else { return }
      guard let loop = node.loopOfTest else {
        return file.report(
          node, "This passes when nothing is thrown", fix: file.fix(node, clause))
      }
      // Of many inputs some may be right: what is thrown, if anything, is the question then.
      guard loop.goesOverItems else { return }
      file.report(node, "This passes when nothing is thrown for any of these", severity: .info)
    })
}

extension DoStmtSyntax {
  /// The loop within the test that it lies in.
  fileprivate var loopOfTest: Syntax? {
    var current = Syntax(self).parent
    while let here = current, here.kind != .functionDecl, here.kind != .memberBlock {
      if [.forStmt, .whileStmt, .repeatStmt].contains(here.kind) { return here }
      if let call = here.as(FunctionCallExprSyntax.self), call.name == "forEach" { return here }
      current = here.parent
    }
    return nil
  }
}

extension Syntax {
  /// Whether it is a loop over what somebody wrote down, rather than so many times.
  fileprivate var goesOverItems: Bool {
    let items =
      self.as(ForStmtSyntax.self)?.sequence ?? self.as(FunctionCallExprSyntax.self)?.receiver
    guard let items else { return false }
    return !items.contains { node in
      let sign = node.as(BinaryOperatorExprSyntax.self)?.operator.text
      return sign == "..<" || sign == "..."
    }
  }
}

extension CatchClauseSyntax {
  /// Whether it expects an error: it checks something, and does not merely fail.
  fileprivate var checksItsError: Bool {
    body.every(FunctionCallExprSyntax.self).contains { $0.isCheck && !$0.isFailure }
      || body.every(MacroExpansionExprSyntax.self).contains { $0.isCheck && !$0.isAlwaysFalse }
      || body.statements.contains { $0.acceptsOneError(of: errorNames) }
  }

  /// Whether something after the `do` can tell that it ran: a variable or an expectation.
  fileprivate var leavesTrace: Bool {
    !body.assignments.isEmpty
      || body.contains { node in
        if node.kind == .throwStmt { return true }
        if let sign = node.as(BinaryOperatorExprSyntax.self) { return sign.operator.text == "+=" }
        guard let call = node.as(FunctionCallExprSyntax.self), let name = call.name else {
          return false
        }
        return ["fulfill", "confirm", "confirmation", "append", "signal", "succeed", "insert"]
          .contains(name)
          || call.calledExpression.lastName == "confirmed" || call.confirms
      }
  }
}

extension FunctionCallExprSyntax {
  /// Whether it calls what `confirmation { thrown in … }` around it counts.
  fileprivate var confirms: Bool {
    guard let name = calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.bareText else {
      return false
    }
    var closure = nearest(ClosureExprSyntax.self)
    while let here = closure {
      if here.receiver?.call.name == "confirmation" {
        if here.signature == nil ? name == "$0" : here.parameterNames.contains(name) { return true }
      }
      closure = here.nearest(ClosureExprSyntax.self)
    }
    return false
  }
}

extension CodeBlockItemSyntax {
  /// Whether it is a `switch` over the error that fails for all but some.
  fileprivate func acceptsOneError(of names: Set<String>) -> Bool {
    let expression = item.as(ExpressionStmtSyntax.self)?.expression ?? item.as(ExprSyntax.self)
    guard let choice = expression?.as(SwitchExprSyntax.self), choice.subject.mentionsAny(of: names)
    else { return false }
    let arms = choice.cases.compactMap { $0.as(SwitchCaseSyntax.self) }
    let failing = arms.filter { $0.ownCalls.contains(where: \.isFailure) }
    return !failing.isEmpty && failing.count < arms.count
  }
}

extension SyntaxProtocol {
  /// Whether something in it checks, fails, tells who waits for it that it came to there, or leaves
  /// with an error of its own.
  fileprivate var checks: Bool {
    contains { node in
      switch node.kind {
      case .functionCallExpr: node.cast(FunctionCallExprSyntax.self).checksOrTells
      case .macroExpansionExpr: node.cast(MacroExpansionExprSyntax.self).isCheck
      case .throwStmt: true
      default: false
      }
    }
  }
}

extension DoStmtSyntax {
  /// Whether what follows sees that nothing was thrown: it checks something that the `do` sets, or
  /// fails where every clause has left; or the caller gets another value.
  fileprivate var isCheckedAfterwards: Bool {
    let names = Set(body.assignments.compactMap(\.baseName))
    if itemsAfter.contains(where: { $0.checks && $0.mentionsAny(of: names) }) { return true }
    let clausesLeave = catchClauses.allSatisfy { clause in
      [.returnStmt, .throwStmt].contains(clause.body.statements.last?.item.kind)
    }
    guard clausesLeave else { return false }
    if body.statements.last?.item.kind == .returnStmt { return true }
    return itemsAfter.contains { $0.plainCall?.isFailure ?? false }
  }
}

extension Routine {
  /// Whether it is no test, but what tests call to check something.
  fileprivate var isCheckItself: Bool {
    guard let name, !name.hasPrefix("test"), name.namesACheck else { return false }
    return !(node.as(FunctionDeclSyntax.self)?.attributes.names.contains("Test") ?? false)
  }
}

extension String {
  /// Whether it says that something is checked: `assertThrows`.
  fileprivate var namesACheck: Bool {
    words(of: self).contains(where: FunctionCallExprSyntax.checking.contains)
  }
}

extension FunctionCallExprSyntax {
  /// Whether it checks or fails a test by its name: `XCTAssertEqual`, `Issue.record`, `expectOK`.
  fileprivate var isCheck: Bool {
    guard let name else { return false }
    if name.hasPrefix("XCT") { return name != "XCTestExpectation" && name != "XCTWaiter" }
    return name.namesACheck
  }

  /// Whether nothing can pass it.
  fileprivate var isFailure: Bool {
    guard let name else { return false }
    if [
      "XCTFail", "fail", "fatalError", "record", "preconditionFailure", "XCTAssertNil",
      "XCTAssertNoThrow", "XCTSkip",
    ].contains(name) {
      return true
    }
    let value = firstArgument?.trimmedDescription
    return (name == "XCTAssert" || name == "XCTAssertTrue") && value == "false"
      || name == "XCTAssertFalse" && value == "true"
  }

  fileprivate var checksOrTells: Bool { isCheck || name == "fulfill" || confirms }

  fileprivate static let checking: Set<String> = [
    "assert", "expect", "verify", "check", "require", "fail", "failure", "record", "should",
    "precondition", "fatal", "confirm", "confirmation", "ensure", "validate",
  ]
}

extension MacroExpansionExprSyntax {
  fileprivate var isCheck: Bool { ["expect", "require"].contains(macroName.text) }

  /// Whether it is `#expect(Bool(false))` or the like.
  fileprivate var isAlwaysFalse: Bool {
    guard let value = arguments.first?.expression.trimmedDescription else { return false }
    return value == "false" || value == "Bool(false)" || value == "error == nil"
  }
}

extension AuditedFile {
  /// A failing call at the end of the `do`.
  fileprivate func fix(_ node: DoStmtSyntax, _ clause: CatchClauseSyntax) -> Fix? {
    guard let last = node.body.statements.last, last.item.kind != .returnStmt else { return nil }
    let usesMacros = !clause.body.every(MacroExpansionExprSyntax.self).isEmpty
    let isNew = imports.contains("Testing") && (usesMacros || !imports.contains("XCTest"))
    guard isNew || imports.contains("XCTest") else { return nil }
    let call =
      isNew ? "Issue.record(\"Expected an error\")" : "XCTFail(\"Expected an error\")"
    return .safe("fail where nothing is thrown", insertion(call, after: last))
  }
}

private let place = "Tests/AppTests/StoreTests.swift"

private let errorTestCannotFailBad: [Example] = [
  .bad(
    """
    import Testing
    @Test func `refuses nothing`() {
      ↓do { try save(nil) } catch { #expect(error is Refusal) }
    }
    """, path: place,
    fixed: """
      import Testing
      @Test func `refuses nothing`() {
        do { try save(nil); Issue.record("Expected an error") } catch { #expect(error is Refusal) }
      }
      """),
  .bad(
    """
    import XCTest
    final class StoreTests: XCTestCase {
      func testRefusesNothing() async {
        ↓do {
          _ = try await store.save(nil)
        } catch let error as StoreError {
          XCTAssertEqual(error, .empty)
        } catch {
          XCTFail("Unexpected error: \\(error)")
        }
      }
    }
    """, path: place,
    fixed: """
      import XCTest
      final class StoreTests: XCTestCase {
        func testRefusesNothing() async {
          do {
            _ = try await store.save(nil)
            XCTFail("Expected an error")
          } catch let error as StoreError {
            XCTAssertEqual(error, .empty)
          } catch {
            XCTFail("Unexpected error: \\(error)")
          }
        }
      }
      """),
  .bad(
    """
    func testDecodes() {
      ↓do {
        let value = try decode("{")
        print(value)
      } catch {
        guard case DecodingError.dataCorrupted = error else { return XCTFail("\\(error)") }
        XCTAssertTrue(true)
      }
    }
    """, path: place),
  .bad(
    """
    @Test func cancels() async throws {
      let task = Task { try await work() }
      task.cancel()
      ↓do { try await task.value } catch is CancellationError { #expect(counter.value == 1) }
    }
    """, path: place),
  .bad(
    """
    @Test func `refuses nothing`() async {
      await confirmation { thrown in
        thrown()
        ↓do { try await save(nil) } catch { #expect(error is Refusal); shown() }
      }
    }
    """, path: place),
  .bad(
    """
    func testWraps() {
      ↓do { try f() } catch { expect(error).to(matchError(StoreError.empty)) }
    }
    """, path: place),
]

private let errorTestCannotFailGood: [Example] = [
  .good(
    """
    import Testing
    @Test func `refuses nothing`() {
      #expect(throws: StoreError.self) { try save(nil) }
    }
    """, path: place),
  .good(
    "func testSave() { do { try save(nil); XCTFail(\"no\") } catch { XCTAssertNotNil(error) } }",
    path: place),
  .good(
    """
    func testSave() {
      do {
        let saved = try save(item)
        XCTAssertEqual(saved.id, 1)
      } catch {
        XCTAssertNil(error)
      }
    }
    """, path: place, because: "no error is expected"),
  .good("func testSave() { do { try save(item) } catch { XCTFail(\"\\(error)\") } }", path: place),
  .good(
    """
    func testSave() {
      var caught: (any Error)?
      do { try save(nil) } catch {
        XCTAssertTrue(error is StoreError)
        caught = error
      }
      XCTAssertNotNil(caught)
    }
    """, path: place, because: "a later check sees that nothing was caught"),
  .good(
    """
    func testSave() {
      do { try save(nil) } catch {
        XCTAssertTrue(error is StoreError)
        expectation.fulfill()
      }
      wait(for: [expectation])
    }
    """, path: place, because: "the expectation waits for the catch"),
  .good(
    """
    @Test func `refuses nothing`() async {
      await confirmation("thrown", expectedCount: 1) { thrown in
        do { try await save(nil) } catch {
          #expect(error is Refusal)
          thrown()
        }
      }
    }
    """, path: place, because: "the confirmation counts the catch"),
  .good(
    """
    @Test func `refuses nothing`() async {
      await confirmation { do { try await save(nil) } catch { #expect(error is Refusal); $0() } }
    }
    """, path: place),
  .good(
    """
    func testSave() {
      do { try save(nil) } catch {
        XCTAssertTrue(error is StoreError)
        return
      }
      XCTFail("nothing thrown")
    }
    """, path: place, because: "what follows fails the test"),
  .good(
    """
    func testSave() {
      #expect(throws: StoreError.self) {
        do { try save(nil) } catch {
          #expect(count == 1)
          throw error
        }
      }
    }
    """, path: place, because: "it is thrown on to a check"),
  .good(
    """
    func testGarbage() {
      for seed in 0..<100 {
        do { _ = try decode(random(seed)) } catch { XCTAssertTrue(error is DecodeError) }
      }
    }
    """, path: place, because: "some of many inputs may be right"),
  .good(
    """
    func testSave() {
      do {
        try save(item)
        saved.fulfill()
      } catch {
        XCTAssertNotNil(error)
      }
      wait(for: [saved])
    }
    """, path: place, because: "the expectation waits for what is saved"),
  .good(
    "func expectEmpty() { do { try save(nil) } catch { XCTAssertTrue(error is StoreError) } }",
    path: place, because: "tests call it, with or without an error"),
  .good("func f() { do { try save(nil) } catch { assert(error is StoreError) } }"),
]
