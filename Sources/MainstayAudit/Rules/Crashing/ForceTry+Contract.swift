// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension TryExprSyntax {
  /// Whether the program is meant to end where this fails: a comment says why it cannot fail, the
  /// documentation says that it ends then, or the function returns to nobody.
  var endsByContract: Bool {
    if isAccepted || endsInstead { return true }
    return declarationAround?.documentation.speaksOf(Self.ends) ?? false
  }

  /// Whether what it lies in is documented as made for previews or tests.
  var isForPreviews: Bool {
    declarationAround?.documentation.speaksOf(["preview", "previews", "tests"]) ?? false
  }

  /// Whether its function never returns, so that ending is what it is for.
  private var endsInstead: Bool {
    enclosingFunction?.returnType?.lastName == "Never"
  }

  /// Words for the end of a program.
  private static let ends: Set<String> = [
    "fatal", "crash", "crashes", "trap", "traps", "precondition", "terminates", "fatalerror",
  ]

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
  fileprivate var documentation: String {
    leadingTrivia.compactMap { piece -> String? in
      switch piece {
      case .docLineComment(let text), .docBlockComment(let text): text
      default: nil
      }
    }.joined(separator: " ")
  }
}

extension String {
  /// Whether one of the words is in it, and nothing denies it.
  fileprivate func speaksOf(_ wanted: Set<String>) -> Bool {
    let words = lowercased().split { !$0.isLetter && $0 != "'" }.map(String.init)
    return words.indices.contains { place in
      guard wanted.contains(words[place]) else { return false }
      return words[max(0, place - 2)..<place].allSatisfy {
        !["not", "never", "no", "without", "doesn't", "don't", "won't", "cannot"].contains($0)
      }
    }
  }
}
