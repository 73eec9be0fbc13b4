// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import Mainstay
internal import MainstayHTTP
internal import MainstayOutbox

// What happens by itself.
extension Inventory {
  /// Takes over what others changed at the service.
  ///
  /// - Throws: `AppError` where it cannot be asked or the items cannot be written.
  package func pull() async throws(AppError) {
    var isAgain = true
    while isAgain {
      let changes: TwinChanges
      do {
        changes = try await client.changes(since: try await store.cursor())
      } catch let error where error.httpStatus == 410 {
        // The cursor belongs to another history: begin again.
        try await store.forgetCursor()
        changes = try await client.changes(since: nil)
      }
      await itemNews.tell(try await store.take(changes))
      isAgain = changes.more
    }
  }

  /// Tells pages what other processes changed in the same items.
  func watchOthers() async {
    await store.place.watchOthers { [itemNews, weak self] item in
      if let id = item.flatMap(UUID.init(uuidString:)) { await itemNews.tell(id) }
      self?.standingChanged()
    }
  }

  /// The network may be back, or somebody has signed in: what waits because of that is tried at
  /// once.
  package func connectionImproved() async throws(AppError) {
    client.authorization?.askAgain()
    do {
      try await outbox.resume(.main, closedFor: .needsUser)
      try await outbox.connectionImproved()
    } catch {
      throw error.appError
    }
  }

  func heed(_ signal: Signal) async {
    switch signal {
    case .failure(let error): report(error, during: "Hand over changes")
    case .connectivity(let state):
      if state == .online { _ = try? await connectionImproved() }
      standingChanged()
    case .outbox(let event): await heed(event)
    case .storage: standingChanged()
    }
  }

  private func heed(_ event: OutboxEvent) async {
    switch event.what {
    case .failed(let error, let next):
      report(error, during: "Send changes")
      if case .conflicted = next { await releaseConflicts() }
    case .gaveUp(_, let error):
      if let error { report(error, during: "Send changes") }
      // It may have been redriven before this was heard.
      guard let id = event.id, (try? await outbox.operation(id)) == nil,
        let item = try? await store.gaveUp(operation: id.description)
      else { return }
      await itemNews.tell(item)
      let title = error?.title.description ?? "A change was given up"
      let message = error?.message.description ?? "It stands among the dead letters."
      feed.tell(
        .toast, ToastDocument(style: .error, title: title, message: message, item: item.text))
    case .storageFailed(let error): report(error, during: "Keep changes")
    default: break
    }
  }
}
