// SPDX-License-Identifier: Apache-2.0
// The examples on the page about presenting errors.

import Mainstay
import MainstayUI

protocol Account: Sendable {
  func signIn(_ progress: @Sendable (Double) async -> Void) async throws
}

struct Draft: Sendable, Identifiable {
  let id: Int
  let key = IdempotencyKey()
  var title = ""

  func save(under key: IdempotencyKey) async throws {}
}

@MainActor final class Screen {
  let errors: ErrorPresenter
  let toasts = Toasts()

  init(_ monitor: ErrorMonitor, _ account: any Account) {
    errors = ErrorPresenter(monitor: monitor, performs: [.signIn]) { _, _, progress in
      try await account.signIn { await progress.report($0) }
      return .retry
    }
  }

  func save(_ draft: Draft) async {
    do {
      try await draft.save(under: draft.key)
      toasts.show(.success, "Saved.")
    } catch {
      errors.present(error, during: "Save", of: draft.id) { [weak self] in
        await self?.save(draft)
      }
    }
  }
}

@MainActor
func follow(_ connection: ConnectivityMonitor, _ errors: ErrorPresenter) async {
  for await status in connection.statuses where status == .connected {
    errors.retry { $0.kind == .offline }
  }
}

struct Card: Sendable {
  func renew() async throws {}
}

// snippet.actions
extension RecoveryAction {
  static let renewCard = RecoveryAction(id: "library.renew-card", title: "Renew the Card")
}

func expired() -> AppError {
  AppError(
    code: "library.card-expired", kind: .denied, disposition: .needsUser,
    title: "Your library card has expired", message: "Books can be borrowed with a valid card.",
    actions: [.renewCard, .retry, .dismiss])
}

@MainActor func presenter(_ card: Card, _ account: any Account) -> ErrorPresenter {
  ErrorPresenter(performs: [.renewCard, .signIn]) { action, _, _ in
    switch action.id {
    case RecoveryAction.renewCard.id: try await card.renew()
    default: try await account.signIn { _ in }
    }
    return .retry
  }
}
