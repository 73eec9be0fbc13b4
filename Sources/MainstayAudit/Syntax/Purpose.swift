// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// What the function, accessor or getter around a place is called and gives back.
struct Surroundings {
  let name: String
  let returnType: TypeSyntax?
  let routine: Routine?
  let node: Syntax

  init?(of node: some SyntaxProtocol) {
    var current = node.parent
    while let here = current {
      if here.kind != .closureExpr, let routine = Routine(here) {
        self.init(
          name: routine.name ?? "", returnType: routine.returnType, routine: routine, node: here)
        return
      }
      if let getter = here.as(AccessorBlockSyntax.self) {
        guard let binding = getter.parent?.as(PatternBindingSyntax.self) else { return nil }
        self.init(
          name: binding.pattern.trimmedDescription, returnType: binding.typeAnnotation?.type,
          routine: nil, node: here)
        return
      }
      if here.kind == .memberBlock { return nil }
      current = here.parent
    }
    return nil
  }

  private init(name: String, returnType: TypeSyntax?, routine: Routine?, node: Syntax) {
    self.name = name
    self.returnType = returnType
    self.routine = routine
    self.node = node
  }

  /// Whether it answers a question with yes or no: `isValid`, `canOpen`, `var exists: Bool`.
  var isPredicate: Bool {
    guard returnType?.lastName == "Bool" else { return false }
    if routine == nil || routine?.node.kind == .accessorDecl { return true }
    let said = words(of: name)
    guard let first = said.first else { return false }
    // `isOpen`, `fileExists`, `snapshotIsLost`, `valueEquals`
    return Self.questions.contains(first) || said.contains("is") || said.contains("has")
      || said.contains("verify")
      || said.last.map(Self.answers.contains) ?? false
  }

  /// Whether it is `init(from: any Decoder)`.
  var isDecoding: Bool {
    name == "init" && routine?.parameters.first?.type?.lastName == "Decoder"
  }

  /// Whether it is `init?`.
  var isFailableInitializer: Bool {
    node.as(InitializerDeclSyntax.self)?.optionalMark != nil
  }

  /// Whether `nil` is its way to say no: `init?`, a getter of an optional, `parse…() -> Tree?`.
  var answersWithNil: Bool {
    if isFailableInitializer { return true }
    guard returnType?.is(OptionalTypeSyntax.self) ?? false, !(routine?.isAsync ?? false) else {
      return false
    }
    guard let routine, routine.node.kind != .accessorDecl else { return true }
    return ["parse", "from"].contains(words(of: name).first)
  }

  private static let questions: Set<String> = [
    "is", "has", "can", "should", "contains", "supports", "matches", "exists", "validate",
    "verify", "check", "are", "was", "does", "needs", "equals", "test", "detect", "probe",
  ]
  private static let answers: Set<String> = [
    "exists", "equals", "matches", "contains", "supported",
  ]
}

extension SyntaxProtocol {
  /// Whether it runs while something ends: in a `defer` or a `deinit`.
  var isInCleanUp: Bool {
    var current = parent
    while let here = current {
      if here.kind == .deferStmt || here.kind == .deinitializerDecl { return true }
      if here.startsScope { return false }
      current = here.parent
    }
    return false
  }

  /// The nearest `catch` around it in the same routine.
  var enclosingCatch: CatchClauseSyntax? {
    var current = parent
    while let here = current {
      if let clause = here.as(CatchClauseSyntax.self) { return clause }
      if here.startsScope { return nil }
      current = here.parent
    }
    return nil
  }
}

extension FunctionCallExprSyntax {
  /// Whether it reads on in a text: its error says that something else stands there, or nothing.
  var scans: Bool {
    guard let name, let verb = words(of: name).first, Self.steps.contains(verb) else {
      return false
    }
    if arguments.first?.label?.text == "until" { return true }
    let written = receiver?.lastName
    let owner = written == nil || written == "self" ? TypeDeclaration(around: self)?.name : written
    return owner.flatMap { words(of: $0).last }.map(Self.scanners.contains) ?? false
  }

  private static let steps: Set<String> = [
    "read", "advance", "retreat", "peek", "skip", "scan", "consume", "expect", "take", "match",
  ]
  private static let scanners: Set<String> = [
    "parser", "scanner", "lexer", "tokenizer", "cursor",
  ]
}

extension TryExprSyntax {
  /// The call that it tries, also where a part of its result is taken: `read(until: a).text`.
  fileprivate var owner: FunctionCallExprSyntax? {
    var current = expression.core
    while let access = current.as(MemberAccessExprSyntax.self), let base = access.base {
      current = base.core
    }
    return current.as(FunctionCallExprSyntax.self)
  }
}

extension SyntaxProtocol {
  /// Whether all that it can throw comes from reading on in a text, or from what that finds.
  var onlyScans: Bool {
    let origins = escapingErrors()
    let scans = origins.filter { $0.as(TryExprSyntax.self)?.owner?.scans ?? false }
    return !scans.isEmpty
      && origins.count == scans.count + origins.count { $0.kind == .throwStmt }
  }
}
