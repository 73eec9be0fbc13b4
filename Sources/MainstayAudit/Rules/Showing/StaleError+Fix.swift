// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension AuditedFile {
  /// A reset before the attempt, where the code there may set the state as the clause does and
  /// nothing in the attempt reads it.
  func reset(_ told: Assignment, before work: DoStmtSyntax) -> Fix? {
    guard let name = told.name, told.pathNames.count == 1,
      told.node.enclosingRoutine?.node.id == work.enclosingRoutine?.node.id,
      let item = work.startOfAttempt, !stateChanges.callsForEach(work.enclosingFunction),
      !item.reads(name, before: Loop(of: item) == nil ? told.node.endPosition : item.endPosition),
      let type = TypeDeclaration(around: work)?.property(name)?.typeAnnotation?.type
    else { return nil }
    let value: String
    if type.kind == .optionalType {
      value = "nil"
    } else if type.lastName == "Bool" {
      value = "false"
    } else {
      return nil
    }
    return .safe(
      "reset it before the next attempt",
      insertion("\(told.target.trimmedDescription) = \(value)", before: item))
  }
}

extension DoStmtSyntax {
  /// The statement with which an attempt begins: its own, or that of the outermost loop around it.
  ///
  /// It is nil where a reset in each round, or in each call of a closure, would take away what went
  /// wrong with another item, and where a round is another attempt.
  fileprivate var startOfAttempt: CodeBlockItemSyntax? {
    var start = parent?.as(CodeBlockItemSyntax.self)
    var isInClosure = false
    var current = parent
    while let here = current, here.kind != .memberBlock, here.kind != .functionDecl {
      if let loop = Loop(here) {
        guard !isInClosure, loop.goesOverItems(of: self) else { return nil }
        start = here.nearest(CodeBlockItemSyntax.self)
      } else if let closure = here.as(ClosureExprSyntax.self) {
        if closure.runsForEachItem { return nil }
        isInClosure = true
      }
      current = here.parent
    }
    return start
  }
}

extension ClosureExprSyntax {
  /// Whether it is called once for each of some items: `items.forEach { … }`.
  fileprivate var runsForEachItem: Bool {
    guard let name = receiver?.call.name else { return false }
    return words(of: name).last == "each" && name.first?.isLowercase ?? false
      || ["map", "compactMap", "flatMap", "filter", "reduce", "concurrentPerform"].contains(name)
  }
}

extension Loop {
  /// The loop that a statement is.
  fileprivate init?(of item: CodeBlockItemSyntax) {
    let statement = Syntax(item.item)
    self.init(statement.as(LabeledStmtSyntax.self).map { Syntax($0.statement) } ?? statement)
  }
}

extension CodeBlockItemSyntax {
  /// Whether a property of that name is read in it before a place.
  fileprivate func reads(_ name: String, before place: AbsolutePosition) -> Bool {
    let set = Set(
      every(SequenceExprSyntax.self).compactMap {
        Assignment($0)?.target.lastToken(viewMode: .sourceAccurate)?.position
      })
    return mentions { token in
      token.bareText == name && token.position < place && !set.contains(token.position)
        && token.isProperty
    }
  }
}

extension TokenSyntax {
  /// Whether it may be a property of `self`: no label, no member of something else, and not what a
  /// clause calls its error.
  fileprivate var isProperty: Bool {
    if let reference = parent?.as(DeclReferenceExprSyntax.self), reference.isMemberName {
      guard let access = reference.parent?.as(MemberAccessExprSyntax.self) else { return true }
      return ["self", "strongSelf", "weakSelf"].contains(access.base?.lastName)
    }
    guard parent?.kind == .declReferenceExpr || parent?.kind == .identifierPattern else {
      return false
    }
    return !(nearest(CatchClauseSyntax.self)?.boundNames.contains(bareText) ?? false)
  }
}

/// Attempts before which nothing may be reset.
let staleErrorKept: [Example] = [
  .bad(
    """
    @Observable final class CartModel {
      var message: String?
      func save() {
        do { try store.save(after: message) } catch { ↓message = "Not saved" }
      }
    }
    """,
    fixed: """
      @Observable final class CartModel {
        var message: String?
        func save() {
          do { try store.save(after: message) } catch { message = "Not saved" }
        }
      }
      """),
  .bad(
    """
    @Observable final class CartModel {
      var message: String?
      func save(_ items: [Item]) {
        for item in items {
          if self.message != nil { break }
          do { try store.save(item) } catch { ↓message = "Not saved" }
        }
      }
    }
    """,
    fixed: """
      @Observable final class CartModel {
        var message: String?
        func save(_ items: [Item]) {
          for item in items {
            if self.message != nil { break }
            do { try store.save(item) } catch { message = "Not saved" }
          }
        }
      }
      """),
  .bad(
    """
    @Observable final class CartModel {
      var message: String?
      func follow() async {
        while isOpen {
          do { items = try await store.items() } catch { ↓message = "No items" }
        }
      }
    }
    """,
    fixed: """
      @Observable final class CartModel {
        var message: String?
        func follow() async {
          while isOpen {
            do { items = try await store.items() } catch { message = "No items" }
          }
        }
      }
      """),
  .bad(
    """
    @Observable final class CartModel {
      var message: String?
      func save(_ items: [Item]) {
        items.forEach { item in
          do { try store.save(item) } catch { ↓message = "Not saved" }
        }
      }
    }
    """,
    fixed: """
      @Observable final class CartModel {
        var message: String?
        func save(_ items: [Item]) {
          items.forEach { item in
            do { try store.save(item) } catch { message = "Not saved" }
          }
        }
      }
      """),
  .bad(
    """
    @Observable final class CartModel {
      var message: String?
      func save(_ items: [Item]) {
        for item in items { save(item) }
      }
      private func save(_ item: Item) {
        do { try store.save(item) } catch { ↓message = "Not saved" }
      }
    }
    """,
    fixed: """
      @Observable final class CartModel {
        var message: String?
        func save(_ items: [Item]) {
          for item in items { save(item) }
        }
        private func save(_ item: Item) {
          do { try store.save(item) } catch { message = "Not saved" }
        }
      }
      """),
]
