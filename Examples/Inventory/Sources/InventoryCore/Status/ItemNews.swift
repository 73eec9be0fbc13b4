// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import Mainstay

/// Tells pages of items that have changed, as they are when they are told of.
///
/// One is told after the other, so what was read first is never told last. Many that change at once
/// are read together, and one that changes twice meanwhile is told of once.
package struct ItemNews: Sendable {
  private let changes: ItemChanges
  private let rounds: Rounds<Void>

  package init(_ store: ItemStore, _ feed: ChangeFeed) {
    let changes = ItemChanges(store, feed)
    self.changes = changes
    rounds = Rounds { await changes.tell() }
  }

  /// Sees to it that pages are told, and does not wait for that.
  package func note(_ item: UUID) async {
    changes.add([item])
    await rounds.start()
  }

  /// Returns when pages have been told.
  package func tell(_ item: UUID) async { await tell([item]) }

  /// Returns when pages have been told of all of them.
  package func tell(_ items: [UUID]) async {
    guard !items.isEmpty else { return }
    changes.add(items)
    await rounds.join()
  }

  /// Returns when pages have been told of all that was noted before.
  package func settle() async { await rounds.settle() }
}

/// The items of which pages have not been told yet.
private final class ItemChanges: Sendable {
  /// How many are read at once: others use the same connection.
  private static let atOnce = 100

  private let store: ItemStore
  private let feed: ChangeFeed
  private let items = Locked<[UUID]>([])

  init(_ store: ItemStore, _ feed: ChangeFeed) {
    self.store = store
    self.feed = feed
  }

  func add(_ some: [UUID]) { items.withLock { $0 += some } }

  func tell() async {
    var seen: Set<UUID> = []
    let all = items.withLock { items in
      defer { items = [] }
      return items.filter { seen.insert($0).inserted }
    }
    for start in stride(from: 0, to: all.count, by: Self.atOnce) {
      await tell(Array(all[start..<min(start + Self.atOnce, all.count)]))
    }
  }

  private func tell(_ ids: [UUID]) async {
    // Whoever reads an item next is told.
    guard let items = try? await store.items(ids) else {
      // One that cannot be read keeps no other back.
      if ids.count > 1 { for id in ids { await tell([id]) } }
      return
    }
    for (id, item) in zip(ids, items) {
      if let item {
        feed.tell(.item, item)
      } else {
        feed.tell(.item, ["id": id.text, "deleted": "true"])
      }
    }
  }
}
