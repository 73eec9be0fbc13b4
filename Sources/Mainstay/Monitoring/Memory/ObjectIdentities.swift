// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The identities of failures whose errors are objects, such as `NSError`: the same object is the
/// same failure, whoever catches it.
///
/// It holds the objects weakly, so it keeps none of them alive, and takes no other object that
/// comes to lie in the same place for the one before.
struct ObjectIdentities: Sendable {
  typealias Object = any Error & AnyObject

  private struct Slot: Sendable {
    weak var object: Object?
    let id: UUID
    let turn: Int
  }

  private let capacity: Int
  private var slots: [ObjectIdentifier: Slot] = [:]
  /// The places of the newest, in the order of their turns as a ring; some have been taken since.
  private var order: [ObjectIdentifier] = []
  private var turn = 0

  /// Makes an empty book; a capacity below 1 becomes 1.
  init(capacity: Int) { self.capacity = max(1, capacity) }

  /// How many it remembers.
  var count: Int { slots.count }

  /// The identity that an object has had before, or else a new one; from now on it keeps that,
  /// until so many others have come.
  mutating func identity(of object: Object, new id: UUID) -> UUID {
    let place = ObjectIdentifier(object)
    if let known = slots[place], known.object === object { return known.id }
    if order.count < capacity {
      order.append(place)
    } else {
      let oldest = order[turn % capacity]
      if slots[oldest]?.turn == turn - capacity { slots[oldest] = nil }
      order[turn % capacity] = place
    }
    slots[place] = Slot(object: object, id: id, turn: turn)
    turn += 1
    return id
  }
}
