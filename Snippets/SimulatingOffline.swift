// SPDX-License-Identifier: Apache-2.0
// The example on the page about simulating an app offline.

import Mainstay
import MainstayOutbox
import MainstayOutboxTesting

struct AddItem: QueuedOperation {
  static let kind: OperationKind = "add-item"
  var item: Int
}

nonisolated struct Shelf: Sendable, Equatable {
  var counts: [Int: Int] = [:]
  var seen: Set<IdempotencyKey> = []

  mutating func add(_ item: Int, key: IdempotencyKey) {
    if seen.insert(key).inserted { counts[item, default: 0] += 1 }
  }
}

// snippet.show
let simulation = OfflineSimulation(server: Shelf()) { outbox, device, random in
  let item = Int.random(in: 0..<3, using: &random)
  try await outbox.enqueue(AddItem(item: item), orderedBy: item)
} workers: { device in
  Worker(for: AddItem.self) { add, context in
    let key = context.idempotencyKey
    try await device.call { shelf in shelf.add(add.item, key: key) }
  }
}
let violations = await simulation.violations(schedules: 2_000)
// snippet.hide
print(violations)
