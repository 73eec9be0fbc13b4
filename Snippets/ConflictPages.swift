// SPDX-License-Identifier: Apache-2.0
// The examples on the page about conflicts.

import Foundation
import MainstayOutbox

struct Item: Codable, Equatable, Sendable {
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
