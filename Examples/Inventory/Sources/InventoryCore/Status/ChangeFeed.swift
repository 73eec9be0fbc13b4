// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import Mainstay

/// One thing that changed, as a page is told about it.
package struct InventoryEvent: Sendable, Hashable {
  /// What it is about.
  package enum Name: String, Sendable, Hashable, CaseIterable {
    case status, toast, item, conflict
  }

  /// Counts the events of this run of the app, from 1.
  package let id: UInt64
  package let name: Name
  /// The document, as JSON.
  package let data: Data
}

/// Tells subscribers what changed, and keeps the last events for those who come back.
package final class ChangeFeed: Sendable {
  private typealias Reader = AsyncStream<InventoryEvent>.Continuation

  /// An event that is to be handed on, or the end where there is none.
  private struct Delivery {
    let event: InventoryEvent?
    let readers: [Reader]
  }

  private struct State {
    var nextID: UInt64 = 1
    var recent: [InventoryEvent] = []
    var nextSubscriber = 0
    var subscribers: [Int: Reader] = [:]
    var isEnded = false
    var deliveries = Mailbox<Delivery>()
  }

  private let state = Locked(State())
  private let capacity: Int

  /// - Parameter capacity: How many events are kept, for those who come back and for slow readers.
  package init(capacity: Int = 256) { self.capacity = capacity }

  /// The events from now on, after those that came since the one with this id and are still kept.
  package func subscribe(after id: UInt64? = nil) -> AsyncStream<InventoryEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: InventoryEvent.self, bufferingPolicy: .bufferingNewest(capacity))
    let number = state.withLock { state in
      state.nextSubscriber += 1
      return state.nextSubscriber
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in _ = state.subscribers.removeValue(forKey: number) }
    }
    deliver { state in
      // An id of an earlier run of the app is greater than any of this one, or means nothing.
      let isKnown = id.map { $0 < state.nextID } ?? false
      let missed = id == nil ? [] : state.recent.filter { !isKnown || $0.id > id ?? 0 }
      for event in missed {
        state.deliveries.post(Delivery(event: event, readers: [continuation]))
      }
      if state.isEnded {
        state.deliveries.post(Delivery(event: nil, readers: [continuation]))
      } else {
        state.subscribers[number] = continuation
      }
    }
    return stream
  }

  package func tell(_ name: InventoryEvent.Name, _ document: some Encodable) {
    guard let data = try? JSONEncoder.inventory.encode(document) else { return }
    deliver { state in
      let event = InventoryEvent(id: state.nextID, name: name, data: data)
      state.nextID += 1
      state.recent.append(event)
      if state.recent.count > capacity { state.recent.removeFirst() }
      state.deliveries.post(Delivery(event: event, readers: Array(state.subscribers.values)))
    }
  }

  func end() {
    deliver { state in
      state.isEnded = true
      state.deliveries.post(Delivery(event: nil, readers: Array(state.subscribers.values)))
      state.subscribers = [:]
    }
  }

  /// Changes the state, and hands on what there is, unless somebody does so already.
  ///
  /// That is outside of the lock: whoever cancels a reader holds the lock of its task, without
  /// which nobody can wake it, and waits for ours in `onTermination`.
  private func deliver(_ change: (inout State) -> Void) {
    state.deliver(\.deliveries, after: change) { delivery in
      for reader in delivery.readers {
        if let event = delivery.event { reader.yield(event) } else { reader.finish() }
      }
    }
  }
}
