// SPDX-License-Identifier: Apache-2.0
// The examples on the page about showing local changes.

import Foundation
import Mainstay
import MainstayOutbox

nonisolated struct Shelf: Codable, Sendable {
  var books: Set<String> = []
  func adding(_ title: String) -> Shelf { Shelf(books: books.union([title])) }
}

struct AddBook: QueuedOperation {
  static let kind: OperationKind = "add-book"
  var title: String
}

struct API: Sendable {
  func add(_ change: AddBook, key: IdempotencyKey) async throws -> Shelf { Shelf() }
}

func show(_ shelf: Shelf?, hasLocalChanges: Bool) {}

func showing(_ outbox: Outbox, user: Int, folder: URL) async {
  let store = SQLiteCacheStore(at: folder.appending(path: "cache.sqlite"))
  let cache = ResponseCache("shelves", of: .account(user), in: store, policy: .offlineFirst)
  let shown = cache.updates(
    for: "shelf/7", as: Shelf.self, overlaying: AddBook.self, of: outbox, orderedBy: "shelf/7"
  ) { shelf, change in
    shelf = (shelf ?? Shelf()).adding(change.title)
  }
  for await shelf in shown {
    show(shelf?.value, hasLocalChanges: shelf?.hasLocalChanges ?? false)
  }
}

func worker(_ api: API, _ cache: ResponseCache) -> Worker {
  Worker(for: AddBook.self) { change, context in
    let shelf = try await api.add(change, key: context.idempotencyKey)
    await cache.keep(shelf, for: "shelf/7")
  }
}
