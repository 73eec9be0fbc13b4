// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Where a file sets which state, read once so that a rule can ask often.
struct StateChanges {
  /// What one function does to one path.
  private struct Key: Hashable {
    let routine: SyntaxIdentifier
    let path: String
  }

  private var firstSet: [Key: AbsolutePosition] = [:]
  /// The places from which a path is set on a way that then leaves the routine, to its end there.
  private var setsOnTheWayOut: [Key: [Range<AbsolutePosition>]] = [:]
  /// The places where a path gets a value that says something.
  private var fillings: [Key: [Filling]] = [:]
  private var firstClearing: [SyntaxIdentifier: AbsolutePosition] = [:]
  private var resets: [String: [Reset]] = [:]
  private var deferred: Set<Key> = []
  /// The names that functions with a reset mention.
  private var mentioned: [SyntaxIdentifier: Set<String>] = [:]
  /// The functions that loops call, or closures in them, with what they go over.
  private var calledForEach: Set<String> = []

  private struct Filling {
    let place: Range<AbsolutePosition>
    /// Where the way ends that it lies on, if that leaves the routine.
    let wayOut: AbsolutePosition?
  }

  private struct Reset {
    let routine: SyntaxIdentifier
    let type: SyntaxIdentifier?
    let hides: Bool
  }

  init(_ tree: SourceFileSyntax) {
    for sequence in tree.every(SequenceExprSyntax.self) {
      if let assignment = Assignment(sequence) { add(assignment) }
    }
    for call in tree.every(FunctionCallExprSyntax.self) where call.clears {
      guard let routine = call.outermostRoutine?.node.id else { continue }
      firstClearing[routine] = min(firstClearing[routine] ?? call.position, call.position)
    }
    for loop in tree.every(ForStmtSyntax.self).map({ Loop($0) }) {
      let names = loop.boundNames
      for call in loop.body.every(FunctionCallExprSyntax.self) {
        guard let name = call.name, call.arguments.mentionsAny(of: names) else { continue }
        // `store.save(item)` in a function `save` is none of its own.
        if call.isOfAnother, call.enclosingFunction?.name == name { continue }
        calledForEach.insert(name)
      }
    }
  }

  private mutating func add(_ assignment: Assignment) {
    guard let routine = assignment.node.outermostRoutine else { return }
    let key = Key(routine: routine.node.id, path: assignment.path)
    let position = assignment.node.position
    let wayOut = assignment.wayOut
    if let wayOut {
      setsOnTheWayOut[key, default: []].append(position..<wayOut)
    } else {
      firstSet[key] = min(firstSet[key] ?? position, position)
    }
    if !assignment.isEmptying {
      fillings[key, default: []].append(
        Filling(place: position..<assignment.node.endPosition, wayOut: wayOut))
    }
    guard assignment.isReset else { return }
    if assignment.node.isDeferred { deferred.insert(key) }
    resets[assignment.path, default: []].append(
      Reset(
        routine: key.routine, type: TypeDeclaration(around: assignment.node)?.node.id,
        hides: routine.name?.saysItHides ?? false || assignment.node.isInObserver))
    if mentioned[key.routine] == nil {
      mentioned[key.routine] = Set(
        routine.node.every(DeclReferenceExprSyntax.self).map(\.baseName.bareText))
    }
  }

  /// Whether a routine sets a path, or what holds it, before a place, or resets it anywhere.
  func changes(_ path: String, in routine: Routine, before place: AbsolutePosition) -> Bool {
    let id = routine.node.id
    if let clearing = firstClearing[id], clearing < place { return true }
    if resets[path]?.contains(where: { $0.routine == id }) ?? false { return true }
    var names = path.split(separator: ".").map(String.init)
    while !names.isEmpty {
      let key = Key(routine: id, path: names.joined(separator: "."))
      if let first = firstSet[key], first < place { return true }
      // What is set before a `return` counts for what lies before that alone.
      if setsOnTheWayOut[key]?.contains(where: { $0.contains(place) }) ?? false { return true }
      names.removeLast()
    }
    return false
  }

  /// Whether a routine gives a path a value that says something, such as `.loading`, and waits
  /// for some work after it: cancelled then, the work leaves the value as it is.
  ///
  /// What is set behind the last thing that may throw, or to what that returns, is its end.
  func fills(_ path: String, in routine: Routine, beforeTheEndOf work: DoStmtSyntax) -> Bool {
    guard let all = fillings[Key(routine: routine.node.id, path: path)],
      let last = work.body.escapingErrors().last
    else { return false }
    let end = last.outermostLoop(in: work)?.endPosition ?? last.endPosition
    return all.contains { filling in
      let place = filling.place
      if let wayOut = filling.wayOut, wayOut <= work.position { return false }
      return place.lowerBound < end
        && !(place.lowerBound <= last.position && last.endPosition <= place.upperBound)
    }
  }

  /// Whether a person, or a change of something else, takes the state away in a type, or a function
  /// of it that calls the named one.
  func takesAway(_ path: String, in type: SyntaxIdentifier, callerOf name: String?) -> Bool {
    resets[path]?.contains { reset in
      guard reset.type == type else { return false }
      return reset.hides || name.map { mentioned[reset.routine]?.contains($0) ?? false } ?? false
    } ?? false
  }

  /// Whether a loop of this file calls a function with each of its items.
  func callsForEach(_ routine: Routine?) -> Bool {
    routine?.name.map(calledForEach.contains) ?? false
  }

  /// Whether a `defer` in a routine resets a path.
  func defers(_ path: String, in routine: Routine) -> Bool {
    deferred.contains(Key(routine: routine.node.id, path: path))
  }
}

extension Assignment {
  /// The end of the statements that it is one of, where they end with a `return` or `throw`.
  fileprivate var wayOut: AbsolutePosition? {
    guard let item, let list = item.parent?.as(CodeBlockItemListSyntax.self),
      list.parent?.kind != .closureExpr, let last = list.last,
      [.returnStmt, .throwStmt].contains(last.item.kind)
    else { return nil }
    return list.endPosition
  }
}

extension Syntax {
  /// The outermost loop around it that lies in some work.
  fileprivate func outermostLoop(in work: DoStmtSyntax) -> Syntax? {
    var found: Syntax?
    var current: Syntax? = self
    while let here = current, here.id != work.id {
      if [.forStmt, .whileStmt, .repeatStmt].contains(here.kind) { found = here }
      current = here.parent
    }
    return found
  }
}

extension FunctionCallExprSyntax {
  /// Whether it calls a member of something else than `self`.
  fileprivate var isOfAnother: Bool {
    guard let access = calledExpression.as(MemberAccessExprSyntax.self) else { return false }
    return !["self", "strongSelf"].contains(access.base?.lastName)
  }
}

extension SyntaxProtocol {
  /// Whether it lies in a `defer` of its function.
  fileprivate var isDeferred: Bool {
    lies { $0.kind == .deferStmt }
  }

  /// Whether it lies in `didSet`, `willSet` or a closure of `.onChange { … }`.
  fileprivate var isInObserver: Bool {
    lies { node in
      if let accessor = node.as(AccessorDeclSyntax.self) {
        let kind = accessor.accessorSpecifier.tokenKind
        return kind == .keyword(.didSet) || kind == .keyword(.willSet)
      }
      guard let name = node.as(FunctionCallExprSyntax.self)?.name, name.hasPrefix("on") else {
        return false
      }
      return name.dropFirst(2).first?.isUppercase ?? false
    }
  }

  private func lies(in matches: (Syntax) -> Bool) -> Bool {
    var current = parent
    while let here = current, here.kind != .memberBlock, here.kind != .functionDecl {
      if matches(here) { return true }
      current = here.parent
    }
    return false
  }
}

extension String {
  /// Whether a function of this name takes something off the screen.
  fileprivate var saysItHides: Bool {
    ["clear", "dismiss", "reset", "hide"].contains(words(of: self).first)
  }
}

extension FunctionCallExprSyntax {
  /// Whether it takes something away by its name: `clearError()`, `reset()`.
  fileprivate var clears: Bool {
    guard let name else { return false }
    let found = words(of: name)
    return ["clear", "reset", "dismiss", "hide", "prepare", "begin", "start"].contains(found.first)
      && found.count <= 3
  }
}
