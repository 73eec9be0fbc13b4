// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension TryExprSyntax {
  /// Whether the program is meant to end where this fails: a comment says why it cannot fail, the
  /// documentation says that it ends then, or the function returns to nobody.
  var endsByContract: Bool {
    if isAccepted || endsInstead { return true }
    return declarationAround?.documentation.contains(where: \.promisesEnd) ?? false
  }

  /// Whether what it lies in is documented as made for previews or tests.
  var isForPreviews: Bool {
    declarationAround?.documentation.contains(where: \.isForPreviews) ?? false
  }

  /// Whether its function never returns, so that ending is what it is for.
  private var endsInstead: Bool {
    enclosingFunction?.returnType?.lastName == "Never"
  }

  /// The function, initializer, subscript or property that it is part of.
  private var declarationAround: Syntax? {
    var current = parent
    while let here = current, here.kind != .memberBlock {
      switch here.kind {
      case .functionDecl, .initializerDecl, .subscriptDecl: return here
      // What a function keeps for itself is no part of what is documented.
      case .variableDecl where here.parent?.kind == .memberBlockItem: return here
      default: current = here.parent
      }
    }
    return nil
  }
}

extension AuditedFile {
  /// Whether it is a program to be run for what it measures: whoever does so sees how it ends, as
  /// in a test.
  var measures: Bool {
    path.split(separator: "/").dropLast().contains { folder in
      let name = folder.lowercased()
      return name.hasSuffix("benchmarks") || name == "benchmark" || name.hasSuffix("tester")
    }
  }

  /// Whether its statements are the program: `main.swift`, but not `Domain.swift`.
  var isMainFile: Bool { path.split(separator: "/").last == "main.swift" }

  /// Whether an error at this place ends the program anyway: no function, getter, closure or
  /// type is around it, in a file whose statements are run one after the other.
  func isTopLevel(_ node: some SyntaxProtocol) -> Bool {
    guard tree.shebang != nil || isMainFile || path.contains(".playground/") else { return false }
    var current = Syntax(node).parent
    while let here = current {
      // A getter without `get` is a block of accessors that holds statements.
      if here.startsScope || here.kind == .accessorBlock { return false }
      if here.kind == .doStmt { return false }
      current = here.parent
    }
    return true
  }
}

extension Syntax {
  /// What stands in the comments of documentation before it.
  fileprivate var documentation: [RemarkClause] {
    let texts = leadingTrivia.compactMap { piece -> String? in
      switch piece {
      case .docLineComment(let text), .docBlockComment(let text): text
      default: nil
      }
    }
    return RemarkClause.all(in: texts.joined(separator: " "))
  }
}
