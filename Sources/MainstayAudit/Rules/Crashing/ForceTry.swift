// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let forceTry = Rule(
    "MS601", "force-try", .error, .default, serves: ["D30", "T15"],
    summary: "A `try!` ends the program when anything is thrown.",
    why: "One failure that a caller could have met becomes a crash for everybody.",
    guess: "An initializer that is fed by one literal fails in the first test or never. Names of "
      + "calls say what tidies up.",
    onPurpose: "A comment that says why it cannot fail, a documentation that says when the program "
      + "ends, `// swiftlint:disable:this force_try`, or an ignore with the reason.",
    remedy: .unsafe("Makes it a plain `try` where the function throws."),
    examples: forceTryExamples,
    checks: .tryExpression { expression, file in
      guard expression.isForced, !expression.endsByContract, !file.measures,
        !file.isTopLevel(expression)
      else { return }
      let tidiesUp = expression.tried.map(file.vocabulary.isCleanUp) ?? false
      let isMild =
        expression.tried?.isFedByLiteral ?? false || expression.tried?.saysItNeverThrows ?? false
        || file.pathClass == .tool || expression.isExcused || expression.isForPreviews
        || tidiesUp || expression.isInCleanUp
      let tried = expression.expression.core
      let name = tried.as(MacroExpansionExprSyntax.self).map { "#" + $0.macroName.bareText }
      file.report(
        expression,
        (name ?? tried.lastName).map { "An error of `\($0)` ends the program" }
          ?? "An error here ends the program",
        severity: isMild ? .info : nil, fix: plainTry(expression))
    })
}

extension FunctionCallExprSyntax {
  /// Whether it is `read(until: end, throwOnOverflow: false)` or the like.
  fileprivate var saysItNeverThrows: Bool {
    arguments.contains { argument in
      guard let label = argument.label, words(of: label.bareText).first == "throw" else {
        return false
      }
      return argument.expression.trimmedDescription == "false"
    }
  }

  /// Whether it is `Regex("…")` or the like: all that it gets is written here.
  fileprivate var isFedByLiteral: Bool {
    guard makesValue, closures.isEmpty, let first = arguments.first else { return false }
    let isText =
      first.expression.firstString?.plainText != nil || first.expression.isEscapedPattern
    return (isText || first.expression.isFixed || first.erasesConstant)
      && arguments.dropFirst().allSatisfy { $0.expression.isFixed || $0.expression.isNameOfType }
  }

  /// Whether it is `Regex(…)`, `Regex.init(…)` or `.init(…)`.
  fileprivate var makesValue: Bool {
    guard calledExpression.lastName == "init" else { return name?.first?.isUppercase ?? false }
    guard let access = calledExpression.as(MemberAccessExprSyntax.self) else { return false }
    return access.base.map { $0.lastName?.first?.isUppercase ?? false } ?? true
  }
}

extension LabeledExprSyntax {
  /// Whether it is `erasing: Null()`, which takes the type of a value and opens nothing; what
  /// `configuration: Configuration()` says may well fail in the field.
  fileprivate var erasesConstant: Bool {
    guard label?.bareText == "erasing", let call = expression.as(FunctionCallExprSyntax.self) else {
      return false
    }
    return call.makesValue && call.closures.isEmpty
      && call.arguments.allSatisfy { $0.expression.isFixed }
  }
}

extension ExprSyntax {
  /// `"…"` of `#"…"#` or of a text that was put together from literals alone.
  fileprivate var firstString: StringLiteralExprSyntax? {
    guard let sum = self.as(SequenceExprSyntax.self),
      sum.elements.allSatisfy({ $0.kind == .stringLiteralExpr || $0.kind == .binaryOperatorExpr })
    else { return nil }
    return sum.elements.first?.as(StringLiteralExprSyntax.self)
  }

  /// Whether it is a text whose every insertion is what `escapedPattern(for:)` has made.
  fileprivate var isEscapedPattern: Bool {
    guard let text = self.as(StringLiteralExprSyntax.self) else { return false }
    let inserted = text.interpolated
    return !inserted.isEmpty && inserted.count == text.interpolations.count
      && inserted.allSatisfy { value in
        let made = value.core.as(DeclReferenceExprSyntax.self)?.localValue ?? value
        return made.core.as(FunctionCallExprSyntax.self)?.name == "escapedPattern"
      }
  }

  /// Whether it is `Substring.self` or `(Substring, Int).self`.
  fileprivate var isNameOfType: Bool {
    guard let access = self.as(MemberAccessExprSyntax.self), lastName == "self",
      let base = access.base
    else { return false }
    return base.kind == .tupleExpr || base.firstName?.first?.isUppercase ?? false
  }

  /// Whether it is a literal, a member such as `.caseInsensitive`, or a list of them.
  fileprivate var isFixed: Bool {
    switch kind {
    case .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr, .nilLiteralExpr: true
    case .stringLiteralExpr: cast(StringLiteralExprSyntax.self).plainText != nil
    case .memberAccessExpr:
      // `.p521` or `Curve.p521`, but not `settings.curve`.
      lastName != "self" && firstName.map { $0.first?.isUppercase ?? false } ?? true
    case .arrayExpr: cast(ArrayExprSyntax.self).elements.allSatisfy { $0.expression.isFixed }
    default: false
    }
  }
}

extension Routine {
  /// Whether it throws nothing but what it is handed.
  fileprivate var onlyRethrows: Bool {
    node.as(FunctionDeclSyntax.self)?.signature.effectSpecifiers?.throwsClause?.throwsSpecifier
      .tokenKind == .keyword(.rethrows)
      || node.as(InitializerDeclSyntax.self)?.signature.effectSpecifiers?.throwsClause?
        .throwsSpecifier.tokenKind == .keyword(.rethrows)
  }
}

extension FunctionCallExprSyntax {
  /// Whether its arguments may be closures that do not throw: `assert(…)`, `fatalError(…)`,
  /// `logger.info(…)`.
  fileprivate var takesSilentClosures: Bool {
    guard let name else { return false }
    if let free = freeName { return Self.checks.contains(free) }
    return receiver?.lastName.map { $0.lowercased().hasSuffix("log") || $0.hasSuffix("ogger") }
      ?? false && name.first?.isLowercase ?? false
  }

  private static let checks: Set<String> = [
    "assert", "assertionFailure", "precondition", "preconditionFailure", "fatalError",
  ]
}

/// Only where the function around it throws anything, and no closure lies between; not in a clause,
/// where its error would take the place of the one that was caught.
private func plainTry(_ node: TryExprSyntax) -> Fix? {
  guard let mark = node.questionOrExclamationMark, let around = node.enclosingRoutine,
    !around.isClosure, around.isThrowing, !around.onlyRethrows,
    around.thrownType == nil || around.thrownType == "Error",
    !node.isInCleanUp, !node.isOperand, !node.isInGetter, !node.isInMember(of: around.node),
    node.enclosingCatch == nil, !node.isInLazyValue, !node.isInAutoclosure
  else { return nil }
  return .unsafe("throw the error on", Edit(mark.bytes, ""))
}

extension TryExprSyntax {
  /// Whether it stands behind an operator, where no `try` may stand.
  fileprivate var isOperand: Bool {
    guard parent?.parent?.kind == .sequenceExpr, let before = previousSibling else { return false }
    return before.kind != .assignmentExpr
  }

  /// Whether it lies in `var a: T { … }` or in a default value of a nested type.
  fileprivate func isInMember(of routine: Syntax) -> Bool {
    var current = parent
    while let here = current, here.id != routine.id {
      if here.kind == .memberBlock || here.kind == .functionParameter { return true }
      current = here.parent
    }
    return false
  }

  /// Whether it is part of the value of a `lazy var`, which is made where nothing may be thrown.
  fileprivate var isInLazyValue: Bool {
    var current = parent
    while let here = current, here.kind != .codeBlockItem {
      if let variable = here.as(VariableDeclSyntax.self), variable.modifiers.has(.lazy) {
        return true
      }
      current = here.parent
    }
    return false
  }

  /// Whether it is part of an argument that a check or a log takes as a closure, which may not
  /// throw.
  fileprivate var isInAutoclosure: Bool {
    var current = parent
    while let here = current, here.kind != .codeBlockItem {
      if here.kind == .labeledExpr, let call = here.parent?.parent?.as(FunctionCallExprSyntax.self),
        call.takesSilentClosures
      {
        return true
      }
      current = here.parent
    }
    return false
  }

  fileprivate var isInGetter: Bool {
    guard let around = Surroundings(of: self) else { return false }
    return around.node.kind == .accessorBlock
  }
}

private let forceTryExamples: [Example] = [
  .bad(
    """
    func encode() throws -> Data {
      let data = ↓try! JSONEncoder().encode(item)
      return data
    }
    """,
    fixed: """
      func encode() throws -> Data {
        let data = try JSONEncoder().encode(item)
        return data
      }
      """),
  .bad("func f() { let items = ↓try! load() }"),
  .bad("let store = ↓try! Store(path: path)"),
  .bad("let tag = ↓try! Tag(number: 0x1c)"),
  .bad("let group = ↓try! Group(settings.curve)"),
  .bad("func f() { Task { items = ↓try! await load() } }"),
  .bad("var data: Data { ↓try! Data(contentsOf: url) }"),
  .bad(
    "let digits = ↓try! NSRegularExpression(pattern: \"[0-9]+\", options: [.anchorsMatchLines])"),
  .bad("func f() throws { let a = b ?? ↓try! load() }"),
  .bad("func f() throws { list.map { ↓try! g($0) } }"),
  .good(
    """
    func f() -> Data {
      // Encoding numbers cannot fail.
      return try! encoder.encode(numbers)
    }
    """, because: "it says why"),
  .bad(
    """
    func f() -> Data {
      // May fail.
      return ↓try! encoder.encode(numbers)
    }
    """),
  .bad(
    """
    /// The bytes of the numbers.
    func bytes() -> Data { ↓try! encoder.encode(numbers) }
    """),
  .good(
    """
    struct Row {
      /// A column's value; a fatal error where it is of another type.
      subscript<Value>(_ index: Int) -> Value { try! decode(index) }
    }
    """, because: "its documentation says so"),
  .bad(
    """
    /// Sends what is known of the last crash.
    func send() { ↓try! client.send(report) }
    """),
  .good("func stop(_ error: any Error) -> Never { try! { throw error }() }"),
  .good(
    """
    let group = EventLoopGroup()
    defer { try! group.close() }
    try! await Server(group).run()
    """, path: "Sources/server/main.swift", because: "there a plain `try` ends it in the same way"),
  .bad("func run() { ↓try! serve() }\nrun()", path: "Sources/server/main.swift"),
  .bad("var a: A { ↓try! load() }", path: "Sources/server/main.swift"),
  .bad("let a = ↓try! load()", path: "Sources/App/Domain.swift"),
  .good("func run() { try! serve() }", path: "Benchmarks/Encoding/Encoding.swift"),
  .bad("func f() { defer { ↓try! file.close() }; read(file) }"),
  .bad(
    """
    func word(_ text: String) -> NSRegularExpression {
      let escaped = NSRegularExpression.escapedPattern(for: text)
      return ↓try! NSRegularExpression(pattern: "\\\\b\\(escaped)\\\\b")
    }
    """),
  .bad("func f() { let r = ↓try! Regex(\"a\\(b)\") }"),
  .bad(
    """
    func copy() throws {
      do { try write() } catch {
        ↓try! file.close()
        throw error
      }
    }
    """,
    fixed: """
      func copy() throws {
        do { try write() } catch {
          try! file.close()
          throw error
        }
      }
      """),
  .good(
    """
    func encode() throws -> Data {
      let data = try JSONEncoder().encode(item)
      return data
    }
    """),
  .good("func f() { do { try load() } catch { show(error) } }"),
  .good("func f() { let a = try? load(); show(a) }"),
  .good("func test() { let a = try! load() }", path: "Tests/AppTests/LoadTests.swift"),
  .good(
    "let a = try! load() // swiftlint:disable:this force_try", because: "it was meant"),
  .good("func f() throws { _ = try (load())! }"),
]
