// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting

/// Adds to the count of an item.
struct AddItems: QueuedOperation, Equatable {
  static let kind: OperationKind = "add-items"
  var item: Int
  var count: Int
}

/// A server that counts, and knows repetitions by their key.
struct CountingServer: Sendable, Equatable {
  var counts: [Int: Int] = [:]
  var seen: Set<IdempotencyKey> = []

  mutating func add(_ items: AddItems, _ key: IdempotencyKey) {
    guard seen.insert(key).inserted else { return }
    counts[items.item, default: 0] += items.count
  }

  /// What is wrong with it, by what was accepted.
  func complaint(_ accepted: [OfflineSimulation<CountingServer>.Accepted]) -> String? {
    var expected: [Int: Int] = [:]
    for operation in accepted where operation.isDone {
      guard let items = try? JSONDecoder().decode(AddItems.self, from: operation.payload) else {
        return "\(operation.id) cannot be read"
      }
      expected[items.item, default: 0] += items.count
    }
    let others = accepted.contains { !$0.isDone && seen.contains($0.idempotencyKey) }
    return others || expected == counts ? nil : "\(counts) instead of \(expected)"
  }
}

typealias CountingSimulation = OfflineSimulation<CountingServer>

extension CountingSimulation {
  /// Devices that add items in order, and now and then one out of order.
  init(
    devices: Int = 3, faults: SimulatedFaults = .all,
    worker: @escaping @Sendable (Device) -> Worker = { .adding(on: $0) }
  ) {
    self.init(
      devices: devices, server: CountingServer(), faults: faults,
      edit: { outbox, device, random in
        for _ in 0..<Int.random(in: 1...2, using: &random) {
          let item = Int.random(in: 0..<3, using: &random)
          let items = AddItems(item: item, count: Int.random(in: 1...9, using: &random))
          if item < 2 {
            try await outbox.enqueue(items, orderedBy: item)
          } else {
            try await outbox.enqueue(items)
          }
        }
      }, check: { $0.complaint($1) }, workers: { worker($0) })
  }
}

extension Worker {
  /// Adds under the key of the operation, and asks before it adds again.
  static func adding(on device: CountingSimulation.Device) -> Worker {
    Worker(
      for: AddItems.self,
      reconcile: { _, context in
        let key = context.idempotencyKey
        return try await device.call { $0.seen.contains(key) ? .applied : .notApplied }
      },
      run: { items, context in
        let key = context.idempotencyKey
        try await device.call { $0.add(items, key) }
      })
  }
}
