// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension AuditedFile {
  /// Leaves a loop behind its sleep, where the end of the routine is next; else the routine, since
  /// what follows may hold only for a wait that ended.
  ///
  /// Not from inside a `switch`, where `break` means less, or a `defer`, and not to where nothing
  /// returns what has to be returned.
  func exit(from loop: Loop, after item: CodeBlockItemSyntax) -> Fix? {
    var current = Syntax(item)
    while current.id != loop.body.id, let parent = current.parent {
      if parent.kind == .switchExpr || parent.kind == .deferStmt { return nil }
      current = parent
    }
    let next = loop.next
    let isOfValue = loop.isOfValue
    if !isOfValue, next != .more {
      return .safe(
        "leave the loop once the task is cancelled",
        insertion("if Task.isCancelled { break }", after: item))
    }
    if loop.mayThrow {
      return .unsafe(
        "throw once the task is cancelled",
        insertion("if Task.isCancelled { throw CancellationError() }", after: item))
    }
    if !isOfValue, loop.node.enclosingRoutine != nil {
      return .unsafe(
        "return once the task is cancelled",
        insertion("if Task.isCancelled { return }", after: item))
    }
    guard next == .returns, !loop.isEndless || loop.isLeftByBreak else { return nil }
    return .unsafe(
      "leave the loop once the task is cancelled",
      insertion("if Task.isCancelled { break }", after: item))
  }
}

extension Loop {
  /// Whether something leads behind it already.
  fileprivate var isLeftByBreak: Bool {
    ExitFinder(label: label).exits(of: body.statements).contains(.endsLoop)
  }

  /// Whether the function, getter or closure that it lies in returns a value, or never returns.
  fileprivate var isOfValue: Bool {
    var current = node.parent
    while let here = current {
      if here.kind == .accessorBlock { return true }
      if let accessor = here.as(AccessorDeclSyntax.self) {
        return accessor.accessorSpecifier.tokenKind == .keyword(.get)
      }
      if let routine = Routine(here) {
        if !routine.isClosure || routine.returnType != nil {
          return routine.returnsValue && routine.name != "init"
        }
        return routine.statements?.containsOwn {
          $0.as(ReturnStmtSyntax.self)?.expression != nil
        } ?? false
      }
      current = here.parent
    }
    return false
  }

  /// What comes behind it in its routine, where a wait that was broken off could pass for one that
  /// ended.
  fileprivate var next: Next {
    var current = node
    while let parent = current.parent, parent.kind != .memberBlock, parent.kind != .accessorBlock {
      if let list = parent.as(CodeBlockItemListSyntax.self),
        let item = current.as(CodeBlockItemSyntax.self)
      {
        guard list.count <= longestList else { return .more }
        let rest = list.statements(after: item).first { !$0.item.is(FunctionDeclSyntax.self) }
        if let rest { return rest.item.is(ReturnStmtSyntax.self) ? .returns : .more }
      }
      if Loop(parent) != nil { return .more }
      if Routine(parent) != nil { return .end }
      current = parent
    }
    return .end
  }

  fileprivate enum Next { case end, returns, more }

  /// Whether what is thrown in it leaves its routine, which says `throws` for any error.
  fileprivate var mayThrow: Bool {
    guard let routine = node.enclosingRoutine, routine.isThrowing,
      routine.thrownType ?? "Error" == "Error"
    else { return false }
    var current = node
    while current.id != routine.node.id, let parent = current.parent {
      if let work = parent.as(DoStmtSyntax.self), work.body.id == current.id,
        !work.catchClauses.isEmpty
      {
        return false
      }
      current = parent
    }
    return true
  }
}
