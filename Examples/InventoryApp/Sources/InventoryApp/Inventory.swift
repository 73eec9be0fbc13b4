// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayUI
import Observation

/// What all screens share: what is shown, what waits, and the service.
@MainActor @Observable
final class Inventory {
  private static let key = "shelf"

  /// The shelf with all changes that wait; nil until something is known.
  private(set) var shelf: CachedValue<Shelf>?
  private(set) var snapshot = OutboxSnapshot()
  private(set) var letters: [DeadLetter] = []

  let connection: ConnectionPresenter
  @ObservationIgnored private let service: Service
  @ObservationIgnored private let cache: ResponseCache
  @ObservationIgnored let outbox: Outbox

  /// Opens what was kept when the app ran last.
  init() async throws {
    let support = try FileManager.default.url(
      for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
    let folder = support.appending(path: "Inventory")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let service = try Service(at: folder.appending(path: "service.json"))
    let store = SQLiteCacheStore(at: folder.appending(path: "cache.sqlite"))
    let cache = ResponseCache("inventory", of: .everybody, in: store, policy: .offlineFirst)
    let monitor = ConnectivityMonitor()
    var configuration = Outbox.Configuration()
    configuration.connectivity = monitor
    outbox = try await Outbox(
      at: folder.appending(path: "outbox.sqlite"), configuration: configuration
    ) {
      Worker(for: SaveItem.self, afterDeadLetter: .goOn) { change, context in
        let shelf = try await service.save(change.item, key: context.idempotencyKey)
        await cache.keep(shelf, for: Self.key)
      }
    }
    (self.service, self.cache) = (service, cache)
    connection = ConnectionPresenter(following: monitor, note: "Changes are kept and sent later.")
  }

  /// Follows what is kept and what waits, until the caller is cancelled.
  func follow() async {
    let shown = cache.updates(
      for: Self.key, as: Shelf.self, overlaying: SaveItem.self, of: outbox, orderedBy: Self.key
    ) { shelf, change in
      shelf = (shelf ?? Shelf()).keeping(change.item)
    }
    for await shelf in shown { self.shelf = shelf }
  }

  /// Follows how much waits, until the caller is cancelled.
  func followOutbox() async {
    for await snapshot in outbox.changes {
      self.snapshot = snapshot
      letters = (try? await outbox.deadLetters()) ?? letters
    }
  }

  /// Asks the service; what was kept is shown where it does not answer.
  func load() async throws -> CachedValue<Shelf> {
    try await cache.refresh(Self.key, as: Shelf.self) { [service] in try await service.load() }
  }

  /// Keeps an item: here at once, at the service as soon as it can be reached.
  func save(_ item: Item) async throws {
    try await outbox.enqueue(SaveItem(item: item), orderedBy: Self.key)
  }

  func setReachable(_ isReachable: Bool) async throws {
    await service.setReachable(isReachable)
    if isReachable { try await outbox.connectionImproved() }
  }
}
