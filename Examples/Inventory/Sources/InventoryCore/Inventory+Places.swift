// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import Mainstay
package import MainstayOutbox

/// Items, queue and answers that several processes have in common.
package struct SharedPlaces: Sendable {
  /// What they are called in messages; it holds no password.
  package let name: String
  package let items: any ItemPlace
  package let outbox: any OutboxStore
  /// The answers to requests that change no item.
  package let answers: any IdempotencyStore
  /// Leaves what nobody else closes.
  let close: @Sendable () async -> Void

  package init(
    name: String, items: any ItemPlace, outbox: any OutboxStore, answers: any IdempotencyStore,
    close: @escaping @Sendable () async -> Void
  ) {
    self.name = name
    self.items = items
    self.outbox = outbox
    self.answers = answers
    self.close = close
  }
}

// Where everything is kept.
extension Inventory {
  static func store(
    _ data: URL, _ shared: SharedPlaces?, _ evidence: StorageEvidence,
    _ now: @escaping @Sendable () -> Date
  ) async throws(InventoryError) -> ItemStore {
    guard let shared else {
      return try await ItemStore(
        at: data.appending(path: "items.sqlite"), evidence: evidence, now: now)
    }
    return ItemStore(in: shared.items, evidence: evidence, now: now)
  }

  static func outbox(
    _ data: URL, _ shared: SharedPlaces?, _ configuration: Outbox.Configuration,
    _ workers: [Worker]
  ) async throws(InventoryError) -> Outbox {
    if let shared {
      do throws(OutboxError) {
        return try await Outbox(store: shared.outbox, configuration: configuration) { workers }
      } catch {
        throw InventoryError(.database, path: shared.name, underlying: error)
      }
    }
    let file = data.appending(path: "outbox.sqlite")
    do throws(OutboxError) {
      return try await Outbox(at: file, configuration: configuration) { workers }
    } catch {
      throw InventoryError(.outbox, path: file.path(percentEncoded: false), underlying: error)
    }
  }

  static func prepare(_ folder: URL) throws(InventoryError) {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw InventoryError(
        .unavailable, path: folder.path(percentEncoded: false), underlying: error)
    }
  }

  static func configuration(
    _ settings: Settings, _ signal: AsyncStream<Signal>.Continuation
  ) -> Outbox.Configuration {
    var configuration = Outbox.Configuration()
    configuration.maximumConcurrency = settings.maximumConcurrency
    configuration.mapping = .inventory
    // Nothing is sent before both files say the same.
    configuration.startsPaused = true
    configuration.observer = EventRelay(signal: signal, next: settings.observer)
    return configuration
  }
}

/// Passes the events of the outbox on.
private struct EventRelay: OutboxObserver {
  let signal: AsyncStream<Inventory.Signal>.Continuation
  let next: (any OutboxObserver)?

  func observe(_ event: OutboxEvent) {
    next?.observe(event)
    switch event.what {
    case .gaveUp, .failed, .storageFailed: signal.yield(.outbox(event))
    default: break
    }
  }
}
