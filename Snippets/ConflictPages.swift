// SPDX-License-Identifier: Apache-2.0
// The examples on the page about conflicts.

import Foundation
import Mainstay
import MainstayOutbox

nonisolated struct Item: Codable, Equatable, Sendable {
  var title: String
  var quantity: Int
  var tags: Set<String>
  var room: String
  var shelf: Int
}

let policy = MergePolicy<Item>([
  .field("title", \.title),
  .field("quantity", \.quantity, .counter(in: 0...10_000)),
  .field("tags", \.tags, .set()),
  .group("place", \.room, \.shelf),
])

func decide(_ conflict: Conflict<Item>, about record: inout ConflictStateMachine<Item>) -> Bool {
  let decided = policy.merge(
    base: conflict.base, local: conflict.local, remote: conflict.remote.state,
    choosing: ["title": .remote])
  let step = record.resolved(conflict, with: decided.state)
  return step != nil
}

struct SaveItem: MergingOperation {
  static let kind: OperationKind = "save-item"
  static let mergePolicy = MergePolicy<Item>([.field("title", \.title)])
  var base: VersionedState<Item>
  var local: RecordState<Item>
}

struct ItemService: Sendable {
  func put(_ change: RecordChange<Item>, key: IdempotencyKey) async throws -> String? { nil }
  func item() async -> VersionedState<Item> { VersionedState(.deleted, version: nil) }
}

func workers(of api: ItemService) -> [Worker] {
  [
    Worker(for: SaveItem.self) { save, change, context in
      guard let version = try await api.put(change, key: context.idempotencyKey) else {
        throw try RemoteConflict(await api.item())
      }
      return version
    }
  ]
}

enum EditList: CoalescingOperation {
  static let kind: OperationKind = "edit-list"
  case add(Int), set(Int)

  func coalesced(with later: EditList) -> Coalesced<EditList> {
    switch (self, later) {
    case (.add(let a), .add(let b)): .replace(by: .add(a + b))
    case (.set(let a), .add(let b)): .replace(by: .set(a + b))
    case (_, .set): .replace(by: later)
    }
  }
}

nonisolated struct ShoppingList: Sendable {
  var names: [String] = []

  mutating func add(_ name: String) { names.append(name) }
}

struct AddItem: RebasingOperation {
  var name: String
  func apply(to list: inout ShoppingList) throws { list.add(name) }
}
