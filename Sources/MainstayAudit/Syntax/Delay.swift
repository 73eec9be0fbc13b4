// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// What the length of a wait between attempts depends on.
struct Delay {
  /// Whether nothing in it differs from one round to the next.
  private(set) var isFixed = true
  /// Whether it grows by multiplication, powers or shifts.
  private(set) var grows = false
  /// Whether chance is part of it.
  private(set) var isRandom = false
  /// The functions that it is left to.
  private(set) var helpers: [FunctionCallExprSyntax] = []

  private let body: CodeBlockSyntax
  private let written: Set<String>
  private var seen: Set<String> = []

  init(_ expression: ExprSyntax, in loop: Loop) {
    body = loop.body
    written = body.writtenNames.union(loop.boundNames)
    add(expression)
  }

  /// The same of a function that calls itself: each round is a call of it.
  init(_ expression: ExprSyntax, in routine: Routine, _ body: CodeBlockSyntax) {
    self.body = body
    written = body.writtenNames.union(routine.parameters.map(\.name.bareText))
    add(expression)
  }

  private mutating func add(_ expression: ExprSyntax) {
    var names: [DeclReferenceExprSyntax] = []
    var calls: [FunctionCallExprSyntax] = []
    var isProduct = false
    expression.walk { node in
      switch node.kind {
      case .declReferenceExpr: names.append(node.cast(DeclReferenceExprSyntax.self))
      case .functionCallExpr: calls.append(node.cast(FunctionCallExprSyntax.self))
      case .closureExpr: isFixed = false
      case .binaryOperatorExpr:
        let sign = node.cast(BinaryOperatorExprSyntax.self).operator.text
        if sign.contains("*") || sign.contains("<<") { isProduct = true }
      default: break
      }
      return true
    }
    for call in calls { add(call, &isProduct) }
    let wasFixed = isFixed
    for name in names { add(name) }
    if isProduct, !isFixed || !wasFixed { grows = true }
  }

  private mutating func add(_ call: FunctionCallExprSyntax, _ isProduct: inout Bool) {
    guard let name = call.name else { return }
    if ["pow", "exp2", "exp", "scalbn"].contains(name) { isProduct = true }
    guard !Self.plain.contains(name) else { return }
    isFixed = false
    helpers.append(call)
  }

  private mutating func add(_ reference: DeclReferenceExprSyntax) {
    let name = reference.baseName.bareText
    let parts = words(of: name)
    if parts.contains(where: Self.chance.contains) { isRandom = true }
    if parts.contains(where: Self.policies.contains) { isFixed = false }
    guard !reference.isMemberName || reference.isMemberOfSelf else { return }
    guard seen.insert(name).inserted else { return }
    if written.contains(name) {
      isFixed = false
      if body.multiplies(name) { grows = true }
    }
    if let value = body.value(of: name) {
      add(value)
    } else if body.binds(name) {
      isFixed = false
    }
  }

  /// Calls that change what kind of value it is, and no more.
  private static let plain: Set<String> = [
    "seconds", "milliseconds", "microseconds", "nanoseconds", "minutes", "UInt64", "Int64", "Int",
    "UInt32", "Double", "Float", "TimeInterval", "Duration", "useconds_t", "init", "now",
    "advanced", "pow", "exp2", "exp", "scalbn", "min", "max", "rounded", "round", "magnitude",
    "sleep",
  ]
  private static let chance: Set<String> = ["random", "jitter", "jittered", "randomize", "rand"]
  private static let policies: Set<String> = [
    "random", "jitter", "jittered", "next", "policy", "strategy", "backoff", "schedule", "after",
    "rand", "drand48", "arc4random",
  ]
}

extension DeclReferenceExprSyntax {
  /// Whether it is `b` in `self.b`.
  var isMemberOfSelf: Bool {
    guard isMemberName, let access = parent?.as(MemberAccessExprSyntax.self) else { return false }
    return access.base?.lastName == "self"
  }
}

extension SyntaxProtocol {
  /// What a `let` or `var` in its own statements gives a name.
  fileprivate func value(of name: String) -> ExprSyntax? {
    var found: ExprSyntax?
    _ = containsOwn { node in
      guard let binding = node.as(PatternBindingSyntax.self),
        binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText == name,
        let value = binding.initializer?.value
      else { return false }
      found = value
      return true
    }
    return found
  }

  /// Whether a pattern in its own statements introduces a name.
  fileprivate func binds(_ name: String) -> Bool {
    containsOwn { $0.as(IdentifierPatternSyntax.self)?.identifier.bareText == name }
  }

  /// Whether its own statements multiply what a name holds: `d *= 2`, `d = d * 2`, `d += d`.
  func multiplies(_ name: String) -> Bool {
    containsOwn { $0.as(SequenceExprSyntax.self)?.multiplies(name) ?? false }
  }
}

extension SequenceExprSyntax {
  /// Whether it multiplies what a name holds.
  func multiplies(_ name: String) -> Bool {
    guard let target = changedTarget, target.lastName == name else { return false }
    let parts = elements.dropFirst()
    guard let sign = parts.first else { return false }
    let text = sign.as(BinaryOperatorExprSyntax.self)?.operator.text
    if text == "*=" || text == "<<=" || text == "&*=" { return true }
    let values = parts.dropFirst()
    if text == "+=" { return values.count == 1 && values.first?.lastName == name }
    guard text == nil else { return false }
    return ExprSyntax(self).multiplies(name, values: Array(values))
  }
}

extension ExprSyntax {
  fileprivate func multiplies(_ name: String, values: [ExprSyntax]) -> Bool {
    let isNamed = values.contains { $0.mentions(name) || $0.lastName == name }
    return isNamed
      && values.contains { value in
        value.contains {
          guard let sign = $0.as(BinaryOperatorExprSyntax.self)?.operator.text else { return false }
          return sign == "*" || sign == "<<"
        }
      }
  }
}
