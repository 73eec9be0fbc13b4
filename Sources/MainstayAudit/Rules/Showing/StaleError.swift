// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let staleError = Rule(
    "MS404", "stale-error", .warning, .default, serves: ["E9"],
    places: [.production, .example],
    summary: "A catch sets an error for a person to see, and no new attempt takes it away.",
    why: "The old error stays on the screen while the next attempt runs, and after it went well.",
    guess: "State named like an error is shown for as long as it is set.",
    onPurpose: "A call such as `clearError()`, or an alert, which the person dismisses.",
    remedy: .safe(
      "Resets optional and Bool state before the `do`, or before the loop over items around it."),
    examples: staleErrorBad + staleErrorKept + staleErrorGood,
    checks: .catchClause { clause, file in
      guard !clause.body.statements.isEmpty, clause.takesWhateverIsThrown,
        let told = clause.body.assignments.first(where: file.staysOnScreen),
        let routine = told.node.outermostRoutine, let work = clause.doStatement
      else { return }
      guard !clause.body.showsAlert, !routine.runsOnce, !clause.isInFirstLoad,
        !routine.asksWhetherItRan,
        !file.stateChanges.changes(told.path, in: routine, before: clause.position),
        !file.resets(told, around: routine)
      else { return }
      let (names, owners) = (told.pathNames, told.owners)
      file.report(
        told.node, "`\(told.path)` keeps this error while the next attempt runs",
        fix: file.reset(told, before: work),
        when: { index in !index.mayBeInAlert(names, of: owners) })
    })
}

extension Assignment {
  /// The types that have the parts of the path; empty where one of them cannot be told.
  fileprivate var owners: Set<String> {
    guard let type = TypeDeclaration(around: node), pathNames.count <= 2 else { return [] }
    guard pathNames.count == 2 else { return [type.name] }
    guard let base = target.as(MemberAccessExprSyntax.self)?.base?.typeOfValue else { return [] }
    return [type.name, base]
  }
}

extension AuditedFile {
  /// Whether an assignment sets an error that is shown until somebody takes it away; an alert goes
  /// when it is dismissed, and a state of several cases changes as a whole.
  fileprivate func staysOnScreen(_ assignment: Assignment) -> Bool {
    guard let name = assignment.name, setsErrorState(assignment), !isFailureState(assignment),
      isPresentation(assignment.node), !assignment.isRecord
    else { return false }
    return words(of: name).allSatisfy { !Self.passingWords.contains($0) }
  }

  private static let passingWords: Set<String> = [
    "alert", "toast", "banner", "snackbar", "show", "showing", "present", "presented", "dialog",
    "hud",
  ]
}

extension CodeBlockSyntax {
  /// Whether it says that something appears: `showError = true`, `present(alert)`.
  fileprivate var showsAlert: Bool {
    assignments.contains { assignment in
      guard let name = assignment.name else { return false }
      let found = words(of: name)
      return assignment.isBoolean(true) && found.contains(where: Self.showing.contains)
        || found.contains { $0 == "alert" || $0 == "toast" }
    }
      || every(FunctionCallExprSyntax.self).contains { call in
        call.name.map { words(of: $0) }?.first.map(Self.showing.contains) ?? false
      }
  }

  private static let showing: Set<String> = [
    "show", "shows", "showing", "shown", "present", "presents", "presenting", "presented", "is",
    "alert", "toast", "display", "has",
  ]
}

extension CatchClauseSyntax {
  /// Whether it lies in `.task { … }` or `.onAppear { … }`.
  fileprivate var isInFirstLoad: Bool {
    var current = parent
    while let here = current, here.kind != .memberBlock {
      if let closure = here.as(ClosureExprSyntax.self),
        let call = closure.parent?.as(FunctionCallExprSyntax.self)
          ?? closure.parent?.parent?.parent?
          .as(FunctionCallExprSyntax.self),
        ["task", "onAppear"].contains(call.name), call.argument("id") == nil
      {
        return true
      }
      current = here.parent
    }
    return false
  }
}

extension Routine {
  /// Whether there is no second attempt.
  fileprivate var runsOnce: Bool {
    if isClosure { return false }
    guard let name else { return false }
    return name == "init" || name == "viewDidLoad" || name == "awakeFromNib"
      || words(of: name).contains {
        ["initial", "initially", "setup", "configure", "bootstrap", "once", "restore", "set"]
          .contains($0)
      }
  }

  /// Whether it leaves where something was loaded before.
  fileprivate var asksWhetherItRan: Bool {
    guard let statements else { return false }
    return statements.contains { item in
      guard let conditions = item.item.as(GuardStmtSyntax.self)?.conditions else { return false }
      return conditions.mentions {
        ["loaded", "once", "initialized"].contains(words(of: $0.text).last)
      }
    }
  }
}

extension AuditedFile {
  /// Whether the state says itself when it changes, or who calls the routine resets it.
  fileprivate func resets(_ told: Assignment, around routine: Routine) -> Bool {
    guard let type = TypeDeclaration(around: told.node), let name = told.name else { return false }
    if told.pathNames.count == 1, let property = type.property(name), property.accessorBlock != nil
    {
      return true
    }
    return stateChanges.takesAway(
      told.path, in: type.node.id, callerOf: routine.isClosure ? nil : routine.name)
  }
}

private let staleErrorBad: [Example] = [
  .bad(
    """
    @Observable final class CartModel {
      var message: String?
      func load() {
        do { items = try store.items() } catch { ↓message = "No items" }
      }
    }
    """,
    fixed: """
      @Observable final class CartModel {
        var message: String?
        func load() {
          message = nil
          do { items = try store.items() } catch { message = "No items" }
        }
      }
      """),
  .bad(
    """
    @MainActor final class FeedModel: ObservableObject {
      @Published var error: (any Error)?
      @Published var posts: [Post] = []

      func refresh() {
        Task {
          do {
            posts = try await api.posts()
          } catch {
            guard !(error is CancellationError) else { return }
            ↓self.error = error
          }
        }
      }
    }
    """),
  .bad(
    """
    struct LoginView: View {
      @State private var hasFailed = false
      @State private var loginFailed: Bool = false

      private func signIn() async {
        do {
          try await api.signIn(name)
        } catch is CancellationError {
        } catch {
          log.error("\\(error)")
          ↓loginFailed = true
        }
      }
    }
    """,
    fixed: """
      struct LoginView: View {
        @State private var hasFailed = false
        @State private var loginFailed: Bool = false

        private func signIn() async {
          loginFailed = false
          do {
            try await api.signIn(name)
          } catch is CancellationError {
          } catch {
            log.error("\\(error)")
            loginFailed = true
          }
        }
      }
      """),
  .bad(
    """
    class SyncViewController: UIViewController {
      func sync() {
        do {
          try store.sync()
          table.reloadData()
        } catch let problem {
          log.error("\\(problem)")
          ↓errorLabel.text = "Could not sync"
        }
      }
    }
    """),
  .bad(
    """
    @MainActor class SaveModel {
      var errorMessage = ""
      func save() async {
        do { try await store.save() } catch {
          if Task.isCancelled { return }
          await MainActor.run { ↓self.errorMessage = "Not saved" }
        }
      }
    }
    """),
  .bad(
    """
    @Observable final class CartModel {
      var errorMessage: String?
      func save() {
        do { try store.save() } catch { ↓errorMessage = "Not saved" }
      }
    }
    @Observable final class LoginModel { var errorMessage: String? }
    """,
    others: [
      "Sources/App/LoginView.swift": """
      struct LoginView: View {
        @State private var shown = false
        @State private var model = LoginModel()
        var body: some View {
          form.alert("Error", isPresented: $shown) {} message: { Text(model.errorMessage ?? "") }
        }
        func retry() { model.errorMessage = nil }
      }
      """
    ],
    fixed: """
      @Observable final class CartModel {
        var errorMessage: String?
        func save() {
          errorMessage = nil
          do { try store.save() } catch { errorMessage = "Not saved" }
        }
      }
      @Observable final class LoginModel { var errorMessage: String? }
      """),
  .bad(
    """
    @Observable final class CartModel {
      var message: String?
      func save(_ items: [Item]) {
        for item in items {
          do { try store.save(item) } catch { ↓message = "Could not save \\(item.name)" }
        }
      }
    }
    """,
    fixed: """
      @Observable final class CartModel {
        var message: String?
        func save(_ items: [Item]) {
          message = nil
          for item in items {
            do { try store.save(item) } catch { message = "Could not save \\(item.name)" }
          }
        }
      }
      """),
]
