// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// What a type does with one of its collections.
struct StoreUses {
  struct Growth {
    /// Where the finding stands.
    let marked: Syntax
    let statement: CodeBlockItemSyntax?
    /// Whether more than one element may come at once.
    let isBulk: Bool
    let target: String
    /// Whether it is put elsewhere than at the end.
    var isInFront = false
  }

  private(set) var growth: Growth?
  private(set) var isLimited = false

  /// What a type does with each of the named collections, looked for in one walk.
  static func all(of names: Set<String>, in type: TypeDeclaration) -> [String: StoreUses] {
    guard !names.isEmpty else { return [:] }
    var uses: [String: StoreUses] = [:]
    for member in type.members where !member.decl.isType {
      member.decl.walk { node in
        if let name = node.changedStore, names.contains(name) {
          uses[name, default: StoreUses()].look(at: node)
        }
        return true
      }
    }
    return uses
  }

  private mutating func look(at node: Syntax) {
    if let call = node.as(FunctionCallExprSyntax.self) {
      look(at: call)
    } else if let sequence = node.as(SequenceExprSyntax.self) {
      look(at: sequence)
    } else if let access = node.as(MemberAccessExprSyntax.self),
      ["count", "endIndex", "indices"].contains(access.declName.baseName.text),
      let sequence = access.nearest(SequenceExprSyntax.self), sequence.isComparison
    {
      isLimited = true
    }
  }

  private mutating func look(at call: FunctionCallExprSyntax) {
    switch call.name {
    case "append", "insert":
      guard let target = call.receiver, !ExprSyntax(call).isLocalName(target) else { return }
      note(
        target, call.nearest(CodeBlockItemSyntax.self), target.trimmedDescription,
        isBulk: call.argument("contentsOf") != nil)
      if call.name == "insert" { growth?.isInFront = true }
    case "removeFirst", "removeLast", "popFirst", "popLast", "remove", "removeSubrange", "suffix",
      "prefix", "dropFirst", "dropLast":
      isLimited = true
    case "removeAll":
      // Where all goes it may grow as before until then.
      if !call.closures.isEmpty || call.argument("where") != nil { isLimited = true }
    default: break
    }
  }

  private mutating func look(at sequence: SequenceExprSyntax) {
    guard let target = sequence.changedTarget, !ExprSyntax(sequence).isLocalName(target) else {
      return
    }
    let sign = sequence.elements.dropFirst().first?.as(BinaryOperatorExprSyntax.self)?.operator.text
    if sign == "+=" {
      note(
        target, sequence.nearest(CodeBlockItemSyntax.self), target.trimmedDescription, isBulk: true)
    } else if let assignment = Assignment(sequence), assignment.addsToItself {
      note(
        target, sequence.nearest(CodeBlockItemSyntax.self), target.trimmedDescription, isBulk: true)
    } else if let assignment = Assignment(sequence), !assignment.isReset {
      // It is made anew from something else, perhaps from its own end.
      isLimited = true
    }
  }

  private mutating func note(
    _ target: ExprSyntax, _ statement: CodeBlockItemSyntax?, _ text: String, isBulk: Bool
  ) {
    guard growth == nil else { return }
    let marked = target.as(MemberAccessExprSyntax.self).map { Syntax($0.declName) }
    growth = Growth(
      marked: marked ?? Syntax(target), statement: statement, isBulk: isBulk, target: text)
  }
}

extension Assignment {
  /// Whether it is `errors = errors + [error]`.
  fileprivate var addsToItself: Bool {
    values.count == 3 && values[0].trimmedDescription == target.trimmedDescription
      && values[1].as(BinaryOperatorExprSyntax.self)?.operator.text == "+"
      && values[2].kind == .arrayExpr
  }
}

extension StoreUses.Growth {
  /// A line after the one that adds, which takes out the oldest.
  ///
  /// It drops what the program kept: whether that is lost must be decided by a person.
  func fix(in file: AuditedFile) -> Fix? {
    // What is put in front must not be what is taken out.
    guard !isInFront, let statement, !statement.isImplicitResult || statement.isAlone else {
      return nil
    }
    let surplus = isBulk ? "\(target).count - 100" : ""
    let text = "if \(target).count > 100 { \(target).removeFirst(\(surplus)) }"
    return .unsafe("keep the newest 100", file.insertion(text, after: statement))
  }
}

extension CodeBlockItemSyntax {
  /// Whether it lies in the body of a function that returns nothing.
  fileprivate var isAlone: Bool {
    guard let routine = enclosingRoutine else { return false }
    return !routine.isClosure && !routine.returnsValue
  }
}

extension Syntax {
  /// The name of what a call, an assignment or a look at its count is about.
  fileprivate var changedStore: String? {
    switch kind {
    case .functionCallExpr: cast(FunctionCallExprSyntax.self).receiver?.ownName
    case .sequenceExpr: cast(SequenceExprSyntax.self).changedTarget?.ownName
    case .memberAccessExpr: cast(MemberAccessExprSyntax.self).base?.ownName
    default: nil
    }
  }
}

extension ExprSyntax {
  /// The name that it is, or that of the member of `self`.
  fileprivate var ownName: String? {
    switch kind {
    case .declReferenceExpr: return lastName
    case .memberAccessExpr:
      let access = self.as(MemberAccessExprSyntax.self)
      return access?.base?.lastName == "self" ? lastName : nil
    default: return nil
    }
  }
}

extension ExprSyntax {
  /// Whether a bare name belongs to a routine around this node.
  fileprivate func isLocalName(_ target: ExprSyntax) -> Bool {
    guard let reference = target.as(DeclReferenceExprSyntax.self) else { return false }
    return isLocal(reference.baseName.bareText)
  }
}

extension SequenceExprSyntax {
  fileprivate var isComparison: Bool {
    elements.contains {
      let sign = $0.as(BinaryOperatorExprSyntax.self)?.operator.text ?? ""
      return ["<", ">", "<=", ">="].contains(sign)
    }
  }
}

extension DeclSyntax {
  /// Whether it is a type within the type.
  fileprivate var isType: Bool { TypeDeclaration(Syntax(self)) != nil }
}
