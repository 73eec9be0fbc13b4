// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

extension StoreConformance {
  /// Kinds that are paused.
  static let pauses: [Rule] = [
    Rule("a kind that is paused is passed by in every lane, until it is resumed") { desk in
      let id = try await desk.store.insert(.note("a"))
      _ = try await desk.store.insert(.note("b", lane: "side"))
      _ = try await desk.store.insert(.note("free", kind: "other"))
      try await desk.store.pause("note")
      try await desk.store.pause("note")
      try await desk.store.pause("album")
      desk.same(try await desk.store.pausedKinds(), ["album", "note"])
      desk.same(try await desk.claimOfBoth().map(\.text), ["free"])
      desk.same(try await desk.store.obstacles(id), [.kindPaused("note")])
      desk.same(try await desk.store.snapshot().ready, 0)
      desk.same(try await desk.store.snapshot().causes.kindPaused, 2)
      try await desk.store.resume("other")
      desk.hold(try await desk.claimOfBoth().isEmpty, "another one was resumed")
      try await desk.store.resume("note")
      desk.same(try await desk.store.pausedKinds(), ["album"])
      desk.same(try await desk.store.obstacles(id), [])
      desk.same(try await desk.store.snapshot().ready, 2)
      desk.same(try await desk.claimOfBoth().map(\.text), ["a", "b"])
    },
    Rule("a kind stays paused after a crash, and what is enqueued meanwhile waits too") { desk in
      try await desk.store.pause("note")
      try await desk.crash()
      desk.same(try await desk.store.pausedKinds(), ["note"])
      let id = try await desk.store.insert(.note("a"))
      desk.hold(try await desk.store.claim().isEmpty)
      desk.same(try await desk.store.obstacles(id), [.kindPaused("note")])
      try await desk.store.resume("note")
      desk.same(try await desk.store.claim().map(\.text), ["a"])
    },
    Rule("what is paused and lost its run holds nobody up") { desk in
      let pill = try await desk.store.insert(.note("pill"))
      desk.same(try await desk.store.claim().count, 1)
      try await desk.crash()
      let other = try await desk.store.insert(.note("other", kind: "other"))
      desk.same(try await desk.store.obstacles(other), [.letsPass(pill)])
      try await desk.store.pause("note")
      desk.same(try await desk.store.obstacles(other), [])
      desk.same(try await desk.store.obstacles(pill), [.kindPaused("note")])
      desk.same(try await desk.claimOfBoth().map(\.text), ["other"])
      try await desk.store.resume("note")
      desk.hold(try await desk.claimOfBoth(isAlone: false).isEmpty)
      desk.same(try await desk.claimOfBoth().map(\.text), ["pill"])
    },
    Rule("what waits for a constraint that holds is left alone while its kind is paused") { desk in
      let wishes = NewOperation.Wishes(constraints: [.power])
      _ = try await desk.store.insert(.note("a", wishes: wishes))
      desk.hold(try await desk.store.claim(unmet: [.power]).isEmpty)
      try await desk.store.pause("note")
      desk.hold(try await desk.store.claim().isEmpty)
      try await desk.store.resume("note")
      desk.same(try await desk.store.claim().map(\.text), ["a"])
    },
    Rule("a lane that is closed counts before a kind that is paused") { desk in
      let id = try await desk.store.insert(.note("a", lane: "side"))
      try await desk.store.close("side", LaneClosure(.paused))
      try await desk.store.pause("note")
      desk.same(
        try await desk.store.obstacles(id),
        [.lane("side", .paused, until: nil), .kindPaused("note")])
      desk.same(try await desk.store.snapshot().causes.lanePaused, 1)
      try await desk.store.reopen("side", closedFor: nil)
      desk.same(try await desk.store.snapshot().causes.kindPaused, 1)
      desk.same(try await desk.store.snapshot().waiting, 1)
    },
    Rule("what runs when its kind is paused goes on, and its end counts") { desk in
      _ = try await desk.store.insert(contentsOf: [.note("a"), .note("b")])
      let leased = try desk.some(try await desk.store.claim(1).first)
      try await desk.store.pause("note")
      desk.hold(try await desk.store.confirms(leased.lease))
      desk.hold(try await desk.store.settle(leased.lease, OperationVerdict(.done)))
      desk.hold(try await desk.store.claim().isEmpty)
      desk.hold(try await desk.store.ledger().isBalanced)
    },
  ]
}

extension StoreDesk {
  /// Leases what can be leased by a drainer that knows two kinds.
  fileprivate func claimOfBoth(isAlone: Bool = true) async throws -> [LeasedOperation] {
    let types: Set = [
      PayloadType(kind: "note", version: 1), PayloadType(kind: "other", version: 1),
    ]
    return try await store.claim(ClaimRequest(limit: 9, types: types, isAlone: isAlone)).operations
  }
}
