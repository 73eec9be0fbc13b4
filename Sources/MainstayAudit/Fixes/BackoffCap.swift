// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension SequenceExprSyntax {
  /// The same with a bound of a minute, in the unit that the wait takes.
  func cap(for sleep: Sleep, named name: String) -> String? {
    guard let target = changedTarget?.trimmedDescription else { return nil }
    let label = sleep.call.arguments.first?.label?.text
    let limit: String
    if sleep.delay.lastName == name, !sleep.delay.is(FunctionCallExprSyntax.self) {
      switch label {
      case "for": limit = ".seconds(60)"
      case "nanoseconds": limit = "60_000_000_000"
      case "forTimeInterval": limit = "60"
      default: return nil
      }
    } else if let call = sleep.delay.as(FunctionCallExprSyntax.self),
      call.firstArgument?.lastName == name
    {
      switch call.name {
      case "seconds": limit = "60"
      case "milliseconds": limit = "60_000"
      default: return nil
      }
    } else {
      return nil
    }
    let parts = Array(elements)
    if parts[1].kind == .assignmentExpr {
      guard let last = parts.last, let first = parts.dropFirst(2).first else { return nil }
      let start = first.bytes.lowerBound - bytes.lowerBound
      let text = trimmedDescription.utf8
      let value = String(decoding: text.dropFirst(start), as: UTF8.self)
      return last.id == first.id ? nil : "\(target) = min(\(value), \(limit))"
    }
    guard parts.count == 3,
      let sign = parts[1].as(BinaryOperatorExprSyntax.self)?.operator.text.dropLast()
    else { return nil }
    return "\(target) = min(\(target) \(sign) \(parts[2].trimmedDescription), \(limit))"
  }
}
