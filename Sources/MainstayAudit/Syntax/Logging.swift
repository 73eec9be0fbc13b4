// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension AuditedFile {
  /// Whether it writes to a log: `log.error(…)`, `os_log(…)`.
  func isLogCall(_ call: FunctionCallExprSyntax) -> Bool {
    guard let name = call.name else { return false }
    if name == "os_log" { return true }
    guard let receiver = call.receiver?.lastName else { return false }
    return vocabulary.isLogger(receiver)
  }

  /// The same, at a level that says that something failed.
  func isErrorLogCall(_ call: FunctionCallExprSyntax) -> Bool {
    // The level first: it is cheap to read, and most calls have other names.
    guard let access = call.calledExpression.as(MemberAccessExprSyntax.self) else {
      guard call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text == "os_log"
      else { return false }
      return call.argument("type").map { ["error", "fault"].contains($0.lastName) } ?? false
    }
    switch access.declName.baseName.text {
    case "error", "critical", "fault", "emergency", "alert": return isLogCall(call)
    default: return false
    }
  }
}

extension FunctionCallExprSyntax {
  /// Whether it prints to the console: `print(…)`, `Swift.dump(…)`, `NSLog(…)`.
  var isPrint: Bool {
    let callee: DeclReferenceExprSyntax
    if let reference = calledExpression.as(DeclReferenceExprSyntax.self) {
      callee = reference
    } else if let access = calledExpression.as(MemberAccessExprSyntax.self),
      access.base?.as(DeclReferenceExprSyntax.self)?.baseName.text == "Swift"
    {
      callee = access.declName
    } else {
      return false
    }
    switch callee.baseName.text {
    case "print", "debugPrint", "dump", "NSLog": return argument("to") == nil
    default: return false
    }
  }
}

extension CodeBlockItemSyntax {
  /// The call that it is, alone or behind `await`.
  var plainCall: FunctionCallExprSyntax? {
    item.as(ExprSyntax.self)?.core.as(FunctionCallExprSyntax.self)
  }
}
