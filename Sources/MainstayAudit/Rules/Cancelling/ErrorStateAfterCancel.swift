// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let errorStateAfterCancel = Rule(
    "MS301", "error-state-after-cancel", .warning, .default, serves: ["E8", "E12", "E35"],
    summary: "A catch-all behind `try await` shows an error without asking whether the work was "
      + "cancelled.",
    why: "Leaving a screen or typing the next letter cancels the work; whoever did that gets a "
      + "message about a failure that never was.",
    guess: "State is what no routine around declares; what it is for is told by its name. "
      + "A function of the same type that the clause gives the error is followed by its name.",
    onPurpose: "A clause `catch is CancellationError` before, or a condition that asks the error.",
    remedy: .safe(
      "Sets the state only for an error that is no cancellation; in a file with Foundation that "
        + "of `URLSession` is one, too. What else the clause sets stays as it is. Nothing is "
        + "written where the work has set the same state before, such as to `.loading`: that has "
        + "to come back."
    ),
    examples: errorStateAfterCancelBad + errorStateAfterCancelGood,
    checks: .catchClause { clause, file in
      guard clause.isCatchAll, let work = clause.doStatement, !clause.body.statements.isEmpty,
        work.throwsWhileWaiting
      else { return }
      let told = clause.body.assignments.filter(file.setsErrorState)
      let calls = told.isEmpty ? clause.callsWithError : []
      guard !told.isEmpty || !calls.isEmpty,
        !clause.earlierClauses.contains(where: \.speaksOfCancellation),
        !clause.speaksOfCancellation, !clause.asksWhetherItIsLate,
        !told.contains(where: \.isMadeByMainstay)
      else { return }
      if let first = told.first(where: { !$0.isForOneType(in: clause) }) {
        file.report(first, of: told, in: clause)
      } else if let call = calls.first {
        file.report(call, in: clause)
      }
    })
}

extension AuditedFile {
  /// Reports state that the clause sets itself.
  fileprivate func report(
    _ first: Assignment, of told: [Assignment], in clause: CatchClauseSyntax
  ) {
    let asked = clause.questions
    var holds: (@Sendable (ProjectIndex) -> Bool)?
    if !asked.isEmpty { holds = { index in !index.tellsCancellation(asked) } }
    let also = clause.emptiedState(besides: told).map { ", and `\($0)` is emptied, too" } ?? ""
    let left = told.first { isLeftUnderWay($0, clause) }.map {
      "; the value that `\($0.path)` had before the work has to come back then"
    }
    report(
      first.node, "`\(first.path)` is set even when the work was cancelled" + also + (left ?? ""),
      severity: clause.isInDiscardedTask ? .info : nil,
      fix: left == nil ? fix(told, clause) : nil, when: holds)
  }

  /// Reports state that a function sets to which the clause gives the error.
  fileprivate func report(_ call: FunctionCallExprSyntax, in clause: CatchClauseSyntax) {
    guard let name = call.name else { return }
    let type = TypeDeclaration(around: call)?.name
    let asked = clause.questions
    report(
      call, "`\(name)` shows the error even when the work was cancelled",
      severity: clause.isInDiscardedTask ? .info : nil, fix: nil,
      judging: { index -> Verdict? in
        guard let state = index.stateShown(by: name, calledIn: type),
          !index.tellsCancellation(asked)
        else { return nil }
        return Verdict(message: "`\(name)` sets `\(state)` even when the work was cancelled")
      })
  }
}

extension CatchClauseSyntax {
  /// Whether it leaves where another run has begun: `guard generation == token else { return }`.
  fileprivate var asksWhetherItIsLate: Bool {
    body.contains { node in
      let conditions =
        node.as(GuardStmtSyntax.self)?.conditions ?? node.as(IfExprSyntax.self)?.conditions
      guard let conditions else { return false }
      return conditions.contains { condition in
        condition.contains {
          ["==", "===", "!=", "!=="].contains($0.as(BinaryOperatorExprSyntax.self)?.operator.text)
        } && !condition.mentionsAny(of: errorNames) && !condition.contains { $0.isLiteralZero }
      }
    }
  }
}

extension Syntax {
  fileprivate var isLiteralZero: Bool { kind == .integerLiteralExpr || kind == .nilLiteralExpr }
}

extension CatchClauseSyntax {
  /// Other state that it empties, which no fix knows what to do about.
  fileprivate func emptiedState(besides told: [Assignment]) -> String? {
    let known = Set(told.map(\.node.id))
    return body.assignments.first { assignment in
      guard !known.contains(assignment.node.id), assignment.isState,
        let value = assignment.value
      else { return false }
      return value.as(ArrayExprSyntax.self)?.elements.isEmpty
        ?? (value.trimmedDescription == "[:]")
    }?.path
  }
}

extension Assignment {
  /// Whether it takes what Mainstay makes of an error, which is nil for a cancelled one.
  fileprivate var isMadeByMainstay: Bool {
    values.contains { $0.mentionsAny(of: ["ErrorPresentation"]) }
  }
}

extension AuditedFile {
  /// Whether the state would say for ever that the work is under way, were it not set here.
  fileprivate func isLeftUnderWay(_ told: Assignment, _ clause: CatchClauseSyntax) -> Bool {
    guard let work = clause.doStatement, let routine = told.node.outermostRoutine else {
      return false
    }
    return stateChanges.fills(told.path, in: routine, beforeTheEndOf: work)
  }

  /// Puts the assignments into a condition, where they follow each other.
  fileprivate func fix(_ told: [Assignment], _ clause: CatchClauseSyntax) -> Fix? {
    let items = told.compactMap(\.item)
    guard items.count == told.count, let first = items.first, let last = items.last,
      let list = first.parent?.as(CodeBlockItemListSyntax.self), list.id == last.parent?.id,
      let error = clause.boundNames.first, clause.boundNames.count == 1
    else { return nil }
    let range = list.drop { $0.id != first.id }.prefix {
      $0.position <= last.position && $0.item.as(SequenceExprSyntax.self) != nil
    }
    guard range.last?.id == last.id else { return nil }
    return wrapping(first, last, in: "if \(isNoCancellation(error))").map {
      .safe("set it only for an error that is no cancellation", $0)
    }
  }

  /// What asks an error whether it is no cancellation, in the words that the file's imports bring.
  ///
  /// A call of `URLSession` that is cancelled throws an error of its own, which is no
  /// `CancellationError`.
  private func isNoCancellation(_ error: String) -> String {
    if imports.contains("Mainstay") || imports.contains("MainstayUI") {
      return "!\(error).isCancellation"
    }
    let plain = "!(\(error) is CancellationError)"
    let modules = foundationModules.subtracting(["FoundationEssentials"])
    let knowsURLError = !wholeImports.isDisjoint(with: modules)
    return knowsURLError ? plain + ", (\(error) as? URLError)?.code != .cancelled" : plain
  }
}

private let errorStateAfterCancelBad: [Example] = [
  .bad(
    """
    import Foundation
    @MainActor final class NotesModel {
      func load() async {
        do { notes = try await service.notes() } catch {
          ↓message = "No luck"
          notes = []
        }
      }
    }
    """,
    fixed: """
      import Foundation
      @MainActor final class NotesModel {
        func load() async {
          do { notes = try await service.notes() } catch {
            if !(error is CancellationError), (error as? URLError)?.code != .cancelled {
              message = "No luck"
            }
            notes = []
          }
        }
      }
      """),
  .bad(
    """
    do { try await load() } catch { ↓message = text }
    """,
    fixed: """
      do { try await load() } catch { if !(error is CancellationError) { message = text } }
      """),
  .bad(
    """
    @MainActor final class CartModel {
      func refresh() async {
        do {
          items = try await service.items()
        } catch {
          log.error("\\(error)")
          ↓self.errorMessage = error.localizedDescription
          showError = true
        }
      }
    }
    """,
    fixed: """
      @MainActor final class CartModel {
        func refresh() async {
          do {
            items = try await service.items()
          } catch {
            log.error("\\(error)")
            if !(error is CancellationError) {
              self.errorMessage = error.localizedDescription
              showError = true
            }
          }
        }
      }
      """),
  .bad(
    """
    import Mainstay
    import SwiftUI
    struct CartView: View {
      func load() {
        Task {
          isLoading = true
          defer { isLoading = false }
          do { items = try await api.items() } catch let problem {
            ↓state = .failed(problem)
          }
        }
      }
    }
    """,
    fixed: """
      import Mainstay
      import SwiftUI
      struct CartView: View {
        func load() {
          Task {
            isLoading = true
            defer { isLoading = false }
            do { items = try await api.items() } catch let problem {
              if !problem.isCancellation {
                state = .failed(problem)
              }
            }
          }
        }
      }
      """),
  .bad(
    """
    final class CartViewModel: ObservableObject {
      func load() async {
        do { items = try await api.items() } catch { ↓handle(error) }
      }
      private func handle(_ error: any Error) { errorMessage = error.localizedDescription }
    }
    """),
  .bad(
    """
    final class CartViewModel: BaseViewModel {
      func load() async {
        do { items = try await api.items() } catch { await MainActor.run { ↓self.show(error) } }
      }
    }
    """,
    others: [
      "Sources/App/Base.swift": """
      @MainActor class BaseViewModel {
        func show(_ error: Error) {
          log.error("\\(error)")
          alertMessage = text(for: error)
        }
      }
      """
    ]),
  .bad(
    """
    final class FeedViewModel: ObservableObject {
      func start() async {
        do {
          for try await post in feed.posts { posts.append(post) }
        } catch FeedError.closed {
          reconnect()
        } catch {
          await MainActor.run { ↓self.error = error }
        }
      }
    }
    """),
  .bad(
    """
    class LoginViewController: UIViewController {
      func submit() {
        Task { [weak self] in
          do {
            try await self?.api.signIn()
          } catch let error {
            print(error)
            if let self { ↓self.errorLabel.text = "Sign-in failed" }
          }
        }
      }
    }
    """),
  .bad("do { try await load() } catch (let error) { ↓message = text(error) }"),
  .bad(feedModel, fixed: feedModel.replacing("↓", with: "")),
  .bad(uploadModel, fixed: uploadModel.replacing("↓", with: "")),
  .bad(
    """
    @MainActor final class NotesModel {
      func load() async {
        phase = .idle
        do { phase = .loaded(try await api.notes()) } catch {
          ↓phase = .failed(error)
        }
      }
    }
    """,
    fixed: """
      @MainActor final class NotesModel {
        func load() async {
          phase = .idle
          do { phase = .loaded(try await api.notes()) } catch {
            if !(error is CancellationError) {
              phase = .failed(error)
            }
          }
        }
      }
      """),
  .bad(
    """
    do { try await f() } catch { ↓message = text; log(error) }
    """,
    fixed: """
      do { try await f() } catch { if !(error is CancellationError) { message = text }; log(error) }
      """),
  .bad(
    """
    do { try await load() } catch {
      ↓message = text;
      alertMessage = text /* shown */;
      log(error)
    }
    """,
    fixed: """
      do { try await load() } catch {
        if !(error is CancellationError) {
          message = text;
          alertMessage = text
        } /* shown */;
        log(error)
      }
      """),
]

/// State that would stay at `.loading` if a cancelled load set nothing.
private let feedModel = """
  @MainActor @Observable final class FeedModel {
    var state: State = .idle
    func load() async {
      guard state != .loading else { return }
      state = .loading
      do { state = .loaded(try await api.posts()) } catch { ↓state = .failed(error) }
    }
  }
  """

/// The same of what the work sets on its way.
private let uploadModel = """
  @MainActor final class UploadModel {
    func send(_ files: [URL]) async {
      do {
        for file in files {
          try await api.send(file)
          uploadState = .sent(file)
        }
        uploadState = .done
      } catch let problem {
        log.error("\\(problem)")
        ↓uploadState = .failed(problem)
      }
    }
  }
  """
