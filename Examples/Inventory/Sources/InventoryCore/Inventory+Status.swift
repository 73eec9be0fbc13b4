// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import Mainstay
internal import MainstayOutbox

// How everything stands.
extension Inventory {
  /// The status document of the contract.
  package func status() async throws(AppError) -> StatusDocument {
    // What is handed over meanwhile would be counted twice, or not at all.
    await dispatcher.settle()
    do {
      let intents = try await store.intentCount()
      let snapshot = try await outbox.snapshot()
      let ledger = try await outbox.ledger()
      let view = await levels.look()
      let isOnline = view.connectivity.state == .online
      let estimate = isOnline ? snapshot.estimate?.likely : nil
      return StatusDocument(
        connectivity: view.connectivity, featureLevel: view.level, reasons: view.reasons,
        features: view.features,
        outbox: StatusDocument.Queue(snapshot, intents: intents, estimate: estimate),
        circuits: view.circuits,
        ledger: StatusDocument.Ledger(balanced: ledger.isBalanced))
    } catch {
      throw AppError.from(error, mapping: .inventory)
    }
  }

  /// What a person may send to whoever helps them; it holds no content of any item, and what looks
  /// like a secret is taken out.
  package func diagnostics() async -> Diagnostics {
    await diagnosticsSource.withLock { $0 }.collect()
  }

  /// What the app adds to its diagnostics.
  static func sections(of inventory: Inventory) -> [Diagnostics.Section] {
    [
      .circuits([inventory.client.catalogBreaker, inventory.client.twinBreaker]),
      .outbox(inventory.outbox),
      .levels(inventory.levels.controller),
      Diagnostics.Section("status") { [weak inventory] in try await inventory?.status() },
      Diagnostics.Section("deadLetters") { [weak inventory] in
        try await inventory?.deadLetters().map(DiagnosedLetter.init)
      },
      Diagnostics.Section("opening") { [weak inventory] in inventory?.opening },
    ]
  }

  /// What changes, as documents with a name and an id.
  ///
  /// - Parameter id: The last event that the subscriber has seen; nil for none.
  /// - Returns: A stream that ends with the inventory.
  package func events(after id: UInt64? = nil) -> AsyncStream<InventoryEvent> {
    feed.subscribe(after: id)
  }

  static func tellConflict(
    _ item: UUID, _ store: ItemStore, _ feed: ChangeFeed, _ itemNews: ItemNews
  ) async {
    await itemNews.tell(item)
    guard let conflict = try? await store.conflicts().first(where: { $0.item.id == item }) else {
      return
    }
    feed.tell(.conflict, conflict)
    feed.tell(
      .toast,
      ToastDocument(
        style: .warning, title: "Changed in two places",
        message: "“\(conflict.item.title)” was changed by somebody else too. Choose what to keep.",
        item: item.text))
  }
}
