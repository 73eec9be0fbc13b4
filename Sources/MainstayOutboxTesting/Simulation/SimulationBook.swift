// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

/// What a simulation knows of each operation, beside what the outboxes say.
struct SimulationBook {
  /// A law that does not hold, and in what.
  typealias Finding = (law: String, details: String)

  struct Entry {
    let number: Int
    let device: Int
    let id: OperationID
    let orderingKey: String?
    var payload: Data
    var key: IdempotencyKey
    /// How it ended; nil while it is wanted.
    var ending: String?
    var lease: Lease?
    var isCancelled = false
    /// It was given up, and those behind it went on.
    var isPassed = false
    /// Calls on its behalf, and how many of them the server carried out.
    var calls = 0
    var carriedOut = 0
    /// How many of its calls are still to arrive.
    var onTheirWay = 0
    /// Its run knows what the other side has, and has called nobody since it was told.
    var knowsOtherSide = false
  }

  struct OrderKey: Hashable {
    let device: Int
    let key: String
  }

  private(set) var entries: [OperationID: Entry] = [:]
  private(set) var ids: [OperationID] = []
  private var byKey: [IdempotencyKey: OperationID] = [:]
  /// How often each effect changed the server.
  private var effects: [String: Int] = [:]
  /// The keys under which each effect of an operation changed the server.
  private var keys: [OperationID: [String: Set<IdempotencyKey>]] = [:]
  private var lastEffect: [OrderKey: Int] = [:]
  /// How many of a device went without anybody asking for it: each of them has a receipt.
  private(set) var vanished: [Int: Int] = [:]
  /// The devices that have been given something that expires.
  private(set) var expiring: Set<Int> = []
  /// Leases of the dead.
  private(set) var stale: [(device: Int, lease: Lease)] = []

  func name(_ id: OperationID) -> String { entries[id].map { "#\($0.number)" } ?? "\(id)" }

  func of(_ device: Int) -> [Entry] {
    ids.compactMap { entries[$0] }.filter { $0.device == device }
  }

  func entry(of key: IdempotencyKey) -> Entry? { byKey[key].flatMap { entries[$0] } }

  mutating func died(_ device: Int) {
    for id in ids {
      guard let entry = entries[id], entry.device == device, let lease = entry.lease else {
        continue
      }
      stale.append((device, lease))
      entries[id]?.lease = nil
    }
  }

  mutating func end(_ id: OperationID, _ how: String) {
    guard entries[id]?.ending == nil else { return }
    entries[id]?.ending = how
    entries[id]?.lease = nil
  }

  mutating func cancelled(_ id: OperationID, isGone: Bool) {
    if isGone { end(id, "cancelled") } else { entries[id]?.isCancelled = true }
  }

  /// A store may have let operations go by itself: these are there.
  mutating func found(_ there: Set<OperationID>, on device: Int) {
    for entry in of(device) where entry.ending == nil && !there.contains(entry.id) {
      end(entry.id, "gone")
      vanished[device, default: 0] += 1
    }
  }

  /// A store has kept an operation.
  mutating func inserted(_ new: NewOperation, as id: OperationID, _ device: Int) {
    if new.timeToLive != nil || new.wishes.isExpendable { expiring.insert(device) }
    if let coalescing = new.wishes.coalescing, coalescing.payload == nil {
      return end(coalescing.earlier, "coalesced")
    }
    guard id == new.id, entries[id] == nil else { return }
    ids.append(id)
    entries[id] = Entry(
      number: ids.count, device: device, id: id, orderingKey: new.orderingKey,
      payload: new.payload, key: new.idempotencyKey)
    byKey[new.idempotencyKey] = id
  }

  /// A store has leased an operation: what is wrong with that, if anything.
  mutating func claimed(_ leased: LeasedOperation) -> Finding? {
    let id = leased.lease.id
    guard let entry = entries[id] else { return ("nothing comes from nowhere", "\(id) was leased") }
    byKey[leased.operation.idempotencyKey] = id
    entries[id]?.key = leased.operation.idempotencyKey
    entries[id]?.payload = leased.operation.payload
    entries[id]?.lease = leased.lease
    entries[id]?.knowsOtherSide = false
    if let ending = entry.ending {
      return ("what is gone stays gone", "\(name(id)) is \(ending), and was leased again")
    }
    if entry.lease != nil {
      return ("one lease at a time", "\(name(id)) was leased while a worker had it")
    }
    guard let key = entry.orderingKey else { return nil }
    let before = ids.prefix(entry.number - 1).compactMap { entries[$0] }.first {
      $0.device == entry.device && $0.orderingKey == key && $0.ending == nil && !$0.isPassed
    }
    return before.map {
      (
        "the order of a key is that of enqueueing",
        "\(name(id)) was leased before \(name($0.id)), which stands before it under “\(key)”"
      )
    }
  }

  /// A store has recorded how a run ended.
  mutating func settled(
    _ lease: Lease, _ verdict: OperationVerdict, isHeld: Bool
  ) -> Finding? {
    guard let entry = entries[lease.id] else { return nil }
    let isKnownAsHeld = entry.lease == lease
    guard isHeld == isKnownAsHeld else {
      return (
        "only a lease that is held ends a run",
        "\(name(lease.id)): the lease is \(isKnownAsHeld ? "held" : "lost"), and the store says "
          + "that it is \(isHeld ? "held" : "lost")"
      )
    }
    guard isHeld else { return nil }
    entries[lease.id]?.lease = nil
    if entry.isCancelled, verdict.isLost {
      end(lease.id, "cancelled")
    }
    switch verdict.next {
    case .done:
      end(lease.id, "done")
      // What merges is done, too, where the other side has said, or was known, to have it already.
      let isThere = verdict.news != nil || entry.knowsOtherSide
      let mayBeIdle = verdict.effect != .applied && isThere
      if entry.calls > 0, entry.carriedOut == 0, !mayBeIdle {
        return (
          "what is done has happened",
          "\(name(lease.id)) is done, and none of its \(entry.calls) calls was carried out"
        )
      }
    case .cancelled: end(lease.id, "cancelled")
    case .dropped: end(lease.id, "dropped")
    case .dead(_, let followers): entries[lease.id]?.isPassed = followers != .holdKey
    default: break
    }
    return nil
  }

  /// Somebody has decided what is to be sent from now on, whatever was done before.
  mutating func decided(_ id: OperationID) { keys[id] = nil }

  /// A run was told what the other side was last known to have.
  mutating func looked(_ id: OperationID) { entries[id]?.knowsOtherSide = true }

  mutating func called(_ key: IdempotencyKey) {
    guard let id = byKey[key] else { return }
    entries[id]?.calls += 1
    entries[id]?.knowsOtherSide = false
  }

  mutating func sent(_ key: IdempotencyKey, _ copies: Int) {
    if let id = byKey[key] { entries[id]?.onTheirWay += copies }
  }

  /// Whether nothing of an operation has happened, and nothing of it can still happen by itself.
  func isUntouched(_ id: OperationID) -> Bool {
    entries[id].map { $0.onTheirWay == 0 && $0.carriedOut == 0 } ?? false
  }

  /// A call has reached the server.
  mutating func arrived(
    _ key: IdempotencyKey, effect: String, isCarriedOut: Bool, hasChanged: Bool
  ) -> Finding? {
    guard let id = byKey[key], let entry = entries[id] else { return nil }
    entries[id]?.onTheirWay -= 1
    if isCarriedOut { entries[id]?.carriedOut += 1 }
    guard hasChanged else { return nil }
    effects["\(key) \(effect)", default: 0] += 1
    keys[id, default: [:]][effect, default: []].insert(key)
    // Under another key it is another effect to the server, and the same one to whoever wanted it.
    if effects["\(key) \(effect)", default: 0] > 1 || keys[id]?[effect]?.count ?? 0 > 1 {
      return (
        "one effect for each key",
        "\(name(id)) changed the server again\(effect.isEmpty ? "" : " by “\(effect)”")"
      )
    }
    guard let orderingKey = entry.orderingKey else { return nil }
    let place = OrderKey(device: entry.device, key: orderingKey)
    let isWanted = entry.ending == nil || entry.ending == "done"
    if let last = lastEffect[place], last > entry.number, isWanted, !entry.isPassed {
      return (
        "the order of a key is that of enqueueing",
        "\(name(id)) changed the server after #\(last), which stands behind it under "
          + "“\(orderingKey)”"
      )
    }
    lastEffect[place] = max(lastEffect[place] ?? 0, entry.number)
    return nil
  }
}
