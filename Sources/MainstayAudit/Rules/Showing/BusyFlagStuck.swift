// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let busyFlagStuck = Rule(
    "MS407", "busy-flag-stuck", .warning, .default, serves: ["E5"],
    places: [.production, .example],
    summary: "A flag says that work is going on, and one way out of the work leaves it set.",
    why: "After the first failure the spinner turns for ever, and the button stays disabled.",
    guess: "A Bool whose name says that something is under way is reset when it no longer is.",
    onPurpose: "A name that says why the flag outlives the work, such as `isEditing`.",
    remedy: .safe("Resets it in one `defer`, where all resets stand at the ends."),
    examples: busyFlagStuckBad + busyFlagStuckGood,
    checks: .doStatement { node, file in
      guard !node.catchClauses.isEmpty else { return }
      var seen: Set<String> = []
      for item in node.itemsBefore + node.body.statements.untilFirstTry {
        guard let start = item.assignment, start.isBoolean(true), let name = start.name,
          name.isBusyName, start.isState, seen.insert(start.path).inserted
        else { continue }
        file.check(start, node)
      }
    })
}

extension CodeBlockItemListSyntax {
  /// What surely ran when something throws.
  fileprivate var untilFirstTry: [CodeBlockItemSyntax] {
    Array(prefix { item in !item.contains { $0.kind == .tryExpr || $0.kind == .throwStmt } })
  }
}

extension AuditedFile {
  /// Reports the first clause that leaves the flag set, if the code resets it elsewhere.
  fileprivate func check(_ start: Assignment, _ work: DoStmtSyntax) {
    let path = start.path
    let after = work.itemsAfter
    if after.contains(where: { $0.isEnding }) { return }
    let isResetInside = work.body.setsFalse(path)
    let isResetAfter = after.contains { $0.setsFalse(path) }
    let isOverAfter = isResetAfter || after.contains { $0.replaces(path) }
    guard isResetInside || isResetAfter,
      !(work.outermostRoutine.map { stateChanges.defers(path, in: $0) } ?? false),
      work.body.contains(where: { $0.kind == .tryExpr || $0.kind == .throwStmt })
    else { return }
    let type = TypeDeclaration(around: work)
    let stuck = work.catchClauses.first { clause in
      guard !clause.isForCancellation, !clause.body.setsFalse(path), !clause.body.replaces(path),
        !(isOverAfter && !clause.leavesForGood)
      else { return false }
      return !clause.body.every(FunctionCallExprSyntax.self).contains {
        $0.mayReset(path, type, vocabulary)
      }
    }
    guard let stuck else { return }
    report(
      stuck, "`\(path)` stays true when this catch runs", fix: fix(start, work, isResetAfter))
  }
}

extension String {
  /// Whether it says that something is under way: `isLoading`, `saveInProgress`, `busy`.
  var isBusyName: Bool {
    let found = words(of: self)
    if found.contains(where: Self.lasting.contains) { return false }
    return found.contains { word in
      Self.busy.contains(word) || word.count > 4 && word.hasSuffix("ing")
    }
  }

  private static let busy: Set<String> = [
    "busy", "progress", "flight", "spinner", "loader", "hud",
  ]
  /// Words ending in `ing` that do not end with the work, or are no verbs.
  private static let lasting: Set<String> = [
    "pending", "missing", "string", "setting", "existing", "remaining", "showing", "presenting",
    "editing", "warning", "heading", "rating", "binding", "trailing", "leading", "thing", "bring",
    "nothing", "something", "onboarding", "needs", "should", "allows", "has", "did", "can",
    "following", "using", "tracking", "hiding", "displaying",
  ]
}

extension SyntaxProtocol {
  /// Whether something in it, also in a closure, sets the flag back.
  fileprivate func setsFalse(_ path: String) -> Bool {
    contains { node in
      if let sequence = node.as(SequenceExprSyntax.self), let found = Assignment(sequence) {
        return found.path == path && !found.isBoolean(true)
      }
      // `isLoading.toggle()`
      guard let call = node.as(FunctionCallExprSyntax.self), call.name == "toggle" else {
        return false
      }
      return call.receiver?.lastName == path.split(separator: ".").last.map(String.init)
    }
  }
}

extension SyntaxProtocol {
  /// Whether something in it, also in a closure, gives a new value to what holds the flag.
  fileprivate func replaces(_ path: String) -> Bool {
    assignments.contains { found in
      found.path.isEmpty ? found.isOnSelf : path.hasPrefix(found.path + ".")
    }
  }
}

extension CodeBlockItemSyntax {
  /// Whether it is a plain call named after coming to an end: `stopLoading()`.
  fileprivate var isEnding: Bool {
    guard let call = item.as(ExprSyntax.self)?.core.as(FunctionCallExprSyntax.self),
      let name = call.name
    else { return false }
    return FunctionCallExprSyntax.endings.contains(words(of: name).first ?? "")
  }
}

extension FunctionCallExprSyntax {
  fileprivate static let endings: Set<String> = [
    "stop", "end", "finish", "hide", "dismiss", "reset", "clear", "complete", "did", "set",
    "update", "cancel", "fatal", "exit",
  ]

  /// Whether it may set the flag back: a function of the same type that does, or one that lies
  /// elsewhere.
  fileprivate func mayReset(
    _ path: String, _ type: TypeDeclaration?, _ vocabulary: Vocabulary
  ) -> Bool {
    guard let name, name.first?.isLowercase ?? false else { return false }
    // `.other(error)` makes a value.
    if let access = calledExpression.as(MemberAccessExprSyntax.self), access.base == nil {
      return false
    }
    if Self.endings.contains(words(of: name).first ?? "") { return true }
    if let receiver {
      let first = receiver.firstName
      if first != "self" { return first != nil && path.hasPrefix((first ?? "") + ".") }
    }
    if let own = type?.function(name) { return own.setsFalse(path) || own.replaces(path) }
    return !Self.harmless.contains(name) && !closuresAlone
  }

  /// Whether it only runs its closure, whose code is looked at itself: `withAnimation { … }`.
  private var closuresAlone: Bool { arguments.isEmpty && trailingClosure != nil }

  private static let harmless: Set<String> = [
    "print", "debugPrint", "NSLog", "dump", "os_log", "assertionFailure", "assert", "log", "type",
    "withAnimation", "present", "dismiss",
  ]
}

extension CatchClauseSyntax {
  /// Whether its last statement leaves the function.
  fileprivate var leavesForGood: Bool {
    guard let last = body.statements.last?.item else { return false }
    return last.kind == .returnStmt || last.kind == .throwStmt
  }
}

extension AuditedFile {
  /// One `defer` behind the start in place of the resets, if they are the last statements.
  fileprivate func fix(_ start: Assignment, _ work: DoStmtSyntax, _ isResetAfter: Bool) -> Fix? {
    let path = start.path
    guard let first = start.item, let item = work.parent?.as(CodeBlockItemSyntax.self),
      let list = first.parent?.as(CodeBlockItemListSyntax.self), list.id == item.parent?.id,
      list.last?.id == item.id || isResetAfter && list.dropLast().last?.id == item.id,
      !work.body.contains(where: { $0.kind == .forStmt || $0.kind == .whileStmt })
    else { return nil }
    var ends: [CodeBlockItemSyntax] = []
    let blocks = [work.body] + work.catchClauses.map(\.body)
    for block in blocks where block.setsFalse(path) {
      guard let reset = block.statements.last, reset.isReset(of: path), block.statements.count > 1,
        block.assignments.count(where: { $0.path == path }) == 1
      else { return nil }
      ends.append(reset)
    }
    if isResetAfter {
      guard let last = list.last, last.isReset(of: path) else { return nil }
      ends.append(last)
    }
    let reset = "\(start.target.trimmedDescription) = false"
    return Fix(
      isSafe: true, title: "reset it in one `defer`",
      edits: [insertion("defer { \(reset) }", after: first)] + ends.map(removal))
  }
}

extension CodeBlockItemSyntax {
  fileprivate func isReset(of path: String) -> Bool {
    assignment.map { $0.path == path && $0.isBoolean(false) } ?? false
  }
}

private let busyFlagStuckBad: [Example] = [
  .bad(
    "func f() { busy = true; do { try g(); busy = false } ↓catch { print(error) } }",
    fixed: "func f() { busy = true; defer { busy = false }; do { try g() } catch { print(error) } }"
  ),
  .bad(
    """
    @MainActor final class FeedModel {
      func load() async {
        isLoading = true
        message = nil
        do {
          posts = try await api.posts()
          isLoading = false
        } ↓catch {
          log.error("\\(error)")
        }
      }
    }
    """,
    fixed: """
      @MainActor final class FeedModel {
        func load() async {
          isLoading = true
          defer { isLoading = false }
          message = nil
          do {
            posts = try await api.posts()
          } catch {
            log.error("\\(error)")
          }
        }
      }
      """),
  .bad(
    """
    final class ScanModel {
      func scan() {
        self.isScanning = true
        Task {
          do {
            self.result = try await scanner.scan()
            self.isScanning = false
          } catch ScanError.denied {
            self.isScanning = false
          } ↓catch {
            self.failure = error
          }
        }
      }
    }
    """),
  .bad(
    """
    final class SendModel {
      func send() async {
        inFlight = true
        do {
          try await api.send(text)
        } ↓catch {
          failure = error
          return
        }
        inFlight = false
        text = ""
      }
    }
    """),
  .bad(
    """
    struct PayView: View {
      func pay() {
        Task {
          state.isPaying = true
          do {
            try await shop.pay()
            await MainActor.run { state.isPaying = false }
          } ↓catch {
            await MainActor.run { state.failure = error }
          }
        }
      }
    }
    """),
]

private let busyFlagStuckGood: [Example] = [
  .good(
    """
    func f() {
      busy = true
      defer { busy = false }
      do { try g() } catch { print(error) }
    }
    """),
  .good("func f() { busy = true; do { try g() } catch { print(error) }; busy = false }"),
  .good(
    """
    func f() {
      state.isLoading = true
      do { try g(); state.isLoading = false } catch { state = State(error: error) }
    }
    """, because: "the whole state is replaced"),
  .good(
    """
    func f() {
      isLoading = true
      do {
        try g()
        isLoading = false
      } catch {
        log.error("\\(error)")
        isLoading = false
      }
    }
    """),
  .good(
    """
    final class SyncModel {
      func save() {
        isSaving = true
        do { try store.save(); isSaving = false } catch { finish(error) }
      }
      func finish(_ error: any Error) { isSaving = false }
    }
    """, because: "a function of the type resets it"),
  .good(
    "func f() { needsSaving = true; do { try g(); needsSaving = false } catch { print(error) } }",
    because: "what was not saved is still to be saved"),
  .good(
    """
    func f() {
      var isRetrying = true
      do { try g(); isRetrying = false } catch { print(error) }
    }
    """, because: "a local variable ends with the function"),
  .good(
    """
    func f() {
      isLoading = true
      do { try g(); isLoading = false } catch {
        DispatchQueue.main.async { self.isLoading = false }
      }
    }
    """),
]
