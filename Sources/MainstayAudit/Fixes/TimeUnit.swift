// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A unit that code counts time in; its number is how many make a second.
enum TimeUnit: Double {
  case seconds = 1
  case milliseconds = 1_000
  case microseconds = 1_000_000
  case nanoseconds = 1_000_000_000

  /// The unit that a label, a function or a variable is named after: `nanoseconds:`,
  /// `.milliseconds(…)`, `delayInSeconds`.
  init?(in name: String) {
    if name == "usleep" || name == "useconds_t" {
      self = .microseconds
      return
    }
    if name == "forTimeInterval" {
      self = .seconds
      return
    }
    let units = Set(words(of: name).compactMap { Self.names[$0] })
    guard units.count == 1, let only = units.first else { return nil }
    self = only
  }

  private static let names: [String: TimeUnit] = [
    "seconds": .seconds, "secs": .seconds, "milliseconds": .milliseconds, "millis": .milliseconds,
    "ms": .milliseconds, "msec": .milliseconds, "microseconds": .microseconds,
    "micros": .microseconds, "usec": .microseconds, "nanoseconds": .nanoseconds,
    "nanos": .nanoseconds, "ns": .nanoseconds, "nsec": .nanoseconds,
  ]
}

extension FunctionCallExprSyntax {
  /// A minute in the unit of the number that it makes; nil where what stands around it does not
  /// tell the unit.
  ///
  /// That is the unit of the label, call or variable that gets the number, divided by what the
  /// number is multiplied by on its way there: it is 60 in `nanoseconds: UInt64(x) * NSEC_PER_SEC`.
  var minute: String? {
    var place = ExprSyntax(self)
    var factor = 1.0
    var taker: String?
    while taker == nil {
      if let product = place.parent?.parent?.as(SequenceExprSyntax.self) {
        guard let other = product.factor(beside: place) else { return nil }
        factor *= other
        taker = Assignment(product)?.name
        place = ExprSyntax(product)
      } else if let argument = place.parent?.as(LabeledExprSyntax.self) {
        guard let outer = argument.parent?.parent?.as(ExprSyntax.self) else { return nil }
        taker = argument.label?.bareText
        if taker == nil, outer.parenthesized == nil, !outer.isConversion {
          taker = outer.lastName ?? ""
        }
        if taker == nil { place = outer }
      } else {
        taker = place.receivingName ?? ""
      }
    }
    let text = place.trimmedDescription.replacing("_", with: "").lowercased()
    let isInNanoseconds = ["1000000000", "1e9", "nsecpersec"].contains { text.contains($0) }
    guard let unit = taker.flatMap({ TimeUnit(in: $0) }) ?? (isInNanoseconds ? .nanoseconds : nil)
    else { return nil }
    let limit = 60 * unit.rawValue / factor
    guard limit >= 1, limit <= 60 * TimeUnit.nanoseconds.rawValue, limit == limit.rounded()
    else { return nil }
    return Int64(limit).grouped
  }
}

extension SequenceExprSyntax {
  /// What one operand of a product is multiplied by, behind an assignment or alone; nil where that
  /// is not written here, or where it is no product.
  fileprivate func factor(beside operand: ExprSyntax) -> Double? {
    var parts = Array(elements)
    if parts.count > 2, parts[1].kind == .assignmentExpr { parts.removeFirst(2) }
    guard parts.contains(where: { $0.id == operand.id }) else { return nil }
    var factor = 1.0
    for (index, part) in parts.enumerated() where part.id != operand.id {
      if index.isMultiple(of: 2) {
        guard let number = part.knownNumber else { return nil }
        factor *= number
      } else if part.as(BinaryOperatorExprSyntax.self)?.operator.text != "*" {
        return nil
      }
    }
    return factor
  }
}

extension ExprSyntax {
  /// The number that a literal is, or a constant of the system for units of time.
  fileprivate var knownNumber: Double? {
    if let integer { return Double(integer) }
    if let literal = self.as(FloatLiteralExprSyntax.self) {
      return Double(literal.literal.text.replacing("_", with: ""))
    }
    if isConversion, let given = self.as(FunctionCallExprSyntax.self)?.firstArgument {
      return given.knownNumber
    }
    switch self.as(DeclReferenceExprSyntax.self)?.baseName.text {
    case "NSEC_PER_SEC": return 1_000_000_000
    case "NSEC_PER_MSEC", "USEC_PER_SEC": return 1_000_000
    case "NSEC_PER_USEC", "MSEC_PER_SEC": return 1_000
    default: return nil
    }
  }

  /// Whether it makes a number of another type, and no other number.
  fileprivate var isConversion: Bool {
    guard let call = self.as(FunctionCallExprSyntax.self), call.arguments.count == 1,
      let name = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text
    else { return false }
    return name.hasPrefix("Int") || name.hasPrefix("UInt")
      || ["Double", "Float", "TimeInterval"].contains(name)
  }

  /// The name of the variable that starts with it, or of the function or getter that returns it.
  fileprivate var receivingName: String? {
    guard let parent else { return nil }
    switch parent.kind {
    case .initializerClause:
      return parent.parent?.as(PatternBindingSyntax.self)?.pattern
        .as(IdentifierPatternSyntax.self)?.identifier.bareText
    case .returnStmt: return Surroundings(of: self)?.name
    case .codeBlockItem:
      let isResult = parent.as(CodeBlockItemSyntax.self)?.isImplicitResult ?? false
      return isResult ? Surroundings(of: self)?.name : nil
    default: return nil
    }
  }
}

extension Int64 {
  /// The number with a sign between each three digits.
  fileprivate var grouped: String {
    var text = ""
    for (index, digit) in String(self).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text += "_" }
      text.append(digit)
    }
    return String(text.reversed())
  }
}
