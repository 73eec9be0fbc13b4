// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

extension StoreConformance {
  private static func end(
    _ desk: StoreDesk, _ next: OperationVerdict.Next = .done, output: Data? = nil
  ) async throws -> OperationID {
    let leased = try desk.some(try await desk.store.claim(1).first)
    var verdict = OperationVerdict(next)
    verdict.output = output
    desk.hold(try await desk.store.settle(leased.lease, verdict))
    return leased.lease.id
  }

  /// How an operation leaves, and whether what is known of its record is kept then.
  private static let departures: [(OperationVerdict.Next, EffectCertainty, isKept: Bool)] = [
    (.done, .applied, isKept: false),
    (.cancelled, .sentUnknown, isKept: false),
    (.cancelled, .notSent, isKept: true),
    (.dropped, .refused, isKept: true),
    (.dead(.outcomeUnknown, followers: .goOn), .sentUnknown, isKept: false),
    (.dead(.refused, followers: .goOn), .refused, isKept: true),
  ]

  /// The second of three changes of a record, leased, after the first one has left what the other
  /// side has.
  private static func second(
    _ desk: StoreDesk, known latest: String
  ) async throws -> LeasedOperation {
    for text in ["a", "b", "c"] { _ = try await desk.store.insert(.note(text, orderedBy: "k")) }
    let first = try desk.some(try await desk.store.claim(1).first)
    var verdict = OperationVerdict(.done, effect: .applied)
    verdict.news = RecordNews(latest: Data(latest.utf8))
    _ = try await desk.store.settle(first.lease, verdict)
    return try desk.some(try await desk.store.claim(1).first)
  }

  /// What a store remembers besides payloads: how operations ended, how far they came, and what the
  /// other side has.
  static let memory: [Rule] = [
    Rule("how an operation ended is known afterwards, with what came of it") { desk in
      for text in ["a", "b", "c", "d"] { _ = try await desk.store.insert(.note(text)) }
      let done = try await end(desk, output: Data("7".utf8))
      let dropped = try await end(desk, .dropped)
      let dead = try await end(desk, .dead(.refused, followers: .holdKey))
      let last = try desk.some(try await desk.store.operations(after: nil, limit: 9).first).id
      _ = try await desk.store.cancel(last)
      try await desk.crash()
      desk.hold(
        try await desk.store.outcome(done)
          == StoredOutcome(reason: .done, output: Data("7".utf8), ended: desk.time.now))
      desk.hold(try await desk.store.outcome(dropped)?.reason == .dropped)
      desk.hold(try await desk.store.outcome(last)?.reason == .cancelled)
      desk.hold(try await desk.store.outcome(dead) == nil, "a dead letter has not ended")
      desk.hold(try await desk.store.deadLetter(dead)?.reason == .refused)
      desk.hold(try await desk.store.deadLetter(done) == nil)
      _ = try await desk.store.discard(dead)
      desk.hold(try await desk.store.outcome(dead)?.reason == .discarded)
    },
    Rule("a limit of time stays with its operation, and a newcomer that replaces it has its own") {
      desk in
      let limit = Duration.milliseconds(1500)
      let id = try await desk.store.insert(.note("a", wishes: .init(timeout: limit)))
      try await desk.crash()
      let leased = try desk.some(try await desk.store.claim().first)
      desk.same(leased.operation.timeout, limit)
      let verdict = OperationVerdict(.dead(.refused, followers: .holdKey))
      desk.hold(try await desk.store.settle(leased.lease, verdict))
      desk.same(try await desk.store.deadLetter(id)?.operation.timeout, limit)
      desk.hold(try await desk.store.redrive(id))
      desk.same(try await desk.store.operation(id)?.timeout, limit)
      desk.same(try await desk.store.claim().map(\.operation.timeout), [limit])
      let key = EnqueueOptions.UniqueKey("k", ifTaken: .replace)
      let held = try await desk.store.insert(
        .note("b", wishes: .init(uniqueKey: key, timeout: limit)))
      desk.same(
        try await desk.store.insert(.note("c", wishes: .init(uniqueKey: key))), held)
      desk.same(try await desk.store.operation(held)?.timeout, nil)
      _ = try await desk.store.insert(.note("d", wishes: .init(uniqueKey: key, timeout: limit)))
      desk.same(try await desk.store.operation(held)?.timeout, limit)
    },
    Rule("the oldest outcomes are forgotten", limits: StoreLimits(maximumOutcomes: 2)) { desk in
      var ids: [OperationID] = []
      for text in ["a", "b", "c"] {
        _ = try await desk.store.insert(.note(text))
        ids.append(try await end(desk))
      }
      desk.hold(try await desk.store.outcome(ids[0]) == nil)
      desk.hold(try await desk.store.outcome(ids[1])?.reason == .done)
      desk.hold(try await desk.store.outcome(ids[2])?.reason == .done)
    },
    Rule("a store that keeps no outcomes keeps none", limits: StoreLimits(maximumOutcomes: 0)) {
      desk in
      _ = try await desk.store.insert(.note("a"))
      desk.hold(try await desk.store.outcome(try await end(desk)) == nil)
    },
    Rule("runs that did not end an operation are remembered until something does") { desk in
      let id = try await desk.store.insert(.note("a"))
      let note = FailureNote(code: "down", message: "It is down.")
      for _ in 1...OperationAttempt.maximumKept {
        let leased = try desk.some(try await desk.store.claim(1).first)
        let verdict = OperationVerdict(.ready, effect: .refused, failure: note)
        desk.hold(try await desk.store.settle(leased.lease, verdict))
        desk.time.advance(by: .seconds(1))
      }
      _ = try await desk.store.claim(1)
      try await desk.crash()
      let attempts = try await desk.store.attempts(of: id)
      desk.same(attempts.map(\.number), Array(2...OperationAttempt.maximumKept + 1))
      desk.same(attempts.first?.failure, note)
      desk.same(attempts.first?.ended, desk.time.now.addingTimeInterval(-9))
      desk.same(attempts.last?.failure, nil, "its process died")
      desk.same(attempts.last?.effect, .sentUnknown)
      _ = try await end(desk, .dead(.refused, followers: .holdKey))
      desk.hold(try await desk.store.attempts(of: id) == attempts)
      _ = try await desk.store.redrive(id)
      desk.hold(try await desk.store.attempts(of: id) == attempts)
      _ = try await end(desk)
      desk.hold(try await desk.store.attempts(of: id).isEmpty)
    },
    Rule("a checkpoint outlives the process, and only the holder of the lease writes it") { desk in
      _ = try await desk.store.insert(.note("a"))
      let first = try desk.some(try await desk.store.claim().first)
      desk.hold(first.operation.checkpoint == nil)
      desk.hold(try await desk.store.checkpoint(first.lease, Data("1".utf8)))
      try await desk.crash()
      desk.hold(try await desk.store.checkpoint(first.lease, Data("2".utf8)) == false)
      let second = try desk.some(try await desk.store.claim().first)
      desk.hold(second.operation.checkpoint == Data("1".utf8))
      let verdict = OperationVerdict(.dead(.refused, followers: .holdKey))
      _ = try await desk.store.settle(second.lease, verdict)
      desk.hold(try await desk.store.redrive(first.lease.id))
      let third = try desk.some(try await desk.store.claim().first)
      desk.hold(third.operation.checkpoint == Data("1".utf8))
    },
    Rule("what the other side has is known as long as something of the record waits") { desk in
      for text in ["a", "b"] { _ = try await desk.store.insert(.note(text, orderedBy: "k")) }
      _ = try await desk.store.insert(.note("c"))
      let first = try desk.some(try await desk.store.claim(1).first)
      desk.hold(try await desk.store.latest(for: first.operation) == nil)
      var verdict = OperationVerdict(.done)
      verdict.news = RecordNews(latest: Data("v1".utf8))
      _ = try await desk.store.settle(first.lease, verdict)
      try await desk.crash()
      let second = try desk.some(try await desk.store.operations(orderedBy: "k").first)
      desk.hold(try await desk.store.latest(for: second) == Data("v1".utf8))
      let other = try desk.some(try await desk.store.operations(after: second.id, limit: 1).first)
      desk.hold(try await desk.store.latest(for: other) == nil, "it is another record")
      _ = try await end(desk)
      desk.hold(try await desk.store.latest(for: second) == nil)
    },
    Rule("the first of a record leaves what it began with to those behind it") { desk in
      func note(_ text: String, _ base: String?, orderedBy key: String? = "k") -> NewOperation {
        var wishes = NewOperation.Wishes()
        wishes.base = base.map { Data($0.utf8) }
        return .note(text, orderedBy: key, wishes: wishes)
      }
      func latest(_ id: OperationID) async throws -> Data? {
        let operation = try desk.some(try await desk.store.operation(id))
        return try await desk.store.latest(for: operation)
      }
      let first = try await desk.store.insert(note("a", "v0"))
      desk.same(try await latest(first), Data("v0".utf8))
      let second = try await desk.store.insert(note("b", "made of it"))
      desk.same(try await desk.store.cancel(first), .cancelled)
      desk.same(try await latest(second), Data("v0".utf8), "it is still wanted")
      desk.same(try await desk.store.cancel(second), .cancelled)
      let ids = try await desk.store.insert(contentsOf: [note("c", "v1"), note("d", "made of it")])
      desk.same(try await latest(ids[1]), Data("v1".utf8), "it begins anew")
      let dead = try desk.some(try await desk.store.claim(1).first)
      _ = try await desk.store.settle(
        dead.lease, OperationVerdict(.dead(.refused, followers: .goOn), effect: .refused))
      _ = try await end(desk)
      _ = try await desk.store.insert(note("e", "v2"))
      let last = try desk.some(try await desk.store.claim(1).first)
      let kept = try await desk.store.latest(for: last.operation)
      desk.hold(kept?.isOutdated ?? true, "a dead letter is there")
      let free = try await desk.store.insert(note("f", "v3", orderedBy: nil))
      desk.hold(try await latest(free) == nil, "nobody can be behind it")
      let plain = try await desk.store.insert(note("g", nil, orderedBy: "l"))
      _ = try await desk.store.insert(note("h", "v4", orderedBy: "l"))
      desk.hold(try await latest(plain) == nil, "the first one has said nothing")
    },
    Rule("what the other side has is outdated where it may have changed since") { desk in
      let known = Data("v1".utf8)
      for (next, effect, isKept) in departures {
        let second = try await second(desk, known: "v1")
        _ = try await desk.store.settle(second.lease, OperationVerdict(next, effect: effect))
        let third = try desk.some(try await desk.store.claim(1).first)
        let latest = try await desk.store.latest(for: third.operation)
        let isOutdated = latest == nil || latest == known.outdated
        desk.hold(isKept ? latest == known : isOutdated, "\(next), \(effect)")
        _ = try await desk.store.settle(third.lease, OperationVerdict(.done))
        // A dead letter may be there, and would be asked for what is known of its record.
        _ = try await desk.store.discard(second.lease.id)
      }
      let letter = try await second(desk, known: "v1")
      let given = OperationVerdict.Next.dead(.outcomeUnknown, followers: .holdKey)
      _ = try await desk.store.settle(letter.lease, OperationVerdict(given, effect: .sentUnknown))
      desk.same(try await desk.store.latest(for: letter.operation), known, "it may be redriven")
      desk.hold(try await desk.store.discard(letter.lease.id))
      desk.hold(try await desk.store.latest(for: letter.operation) != known, "nobody knows")
      _ = try await end(desk)
      let parked = try await second(desk, known: "v1")
      _ = try await desk.store.settle(
        parked.lease, OperationVerdict(.parked, effect: .sentUnknown))
      desk.same(try await desk.store.cancel(parked.lease.id), .mayHaveHappened)
      desk.hold(try await desk.store.latest(for: parked.operation) != known, "nobody can ask")
    },
    Rule("a change that is sent anew has another key, and begins anew") { desk in
      _ = try await desk.store.insert(.note("a", orderedBy: "k"))
      let first = try desk.some(try await desk.store.claim(1).first)
      _ = try await desk.store.checkpoint(first.lease, Data("half".utf8))
      var verdict = OperationVerdict(.ready)
      verdict.news = RecordNews(
        latest: Data("v1".utf8), idempotencyKey: IdempotencyKey(), merges: 3)
      _ = try await desk.store.settle(first.lease, verdict)
      let second = try desk.some(try await desk.store.claim(1).first).operation
      desk.hold(second.idempotencyKey == verdict.news?.idempotencyKey)
      desk.hold(second.merges == 3 && second.checkpoint == nil)
    },
    Rule("a conflict follows what is heard of the other side, and may go with it") { desk in
      let id = try await desk.store.insert(.note("a", orderedBy: "k"))
      let title = FieldConflict(field: "title", cause: .bothChanged)
      let leased = try desk.some(try await desk.store.claim(1).first)
      let news = RecordNews(latest: Data("v2".utf8))
      desk.hold(try await desk.store.learn(id, news, conflicts: []) == false, "it runs")
      _ = try await desk.store.settle(
        leased.lease,
        OperationVerdict(.conflicted(remote: Data("v1".utf8), fields: [title]), effect: .refused))
      desk.hold(try await desk.store.conflicts().map(\.fields) == [[title]])
      let since = try await desk.store.conflicts().first?.since
      desk.time.advance(by: .seconds(60))
      let shelf = FieldConflict(field: "shelf", cause: .noBase)
      desk.hold(try await desk.store.learn(id, news, conflicts: [shelf]))
      let conflict = try desk.some(try await desk.store.conflicts().first)
      desk.hold(conflict.fields == [shelf] && conflict.remote == Data("v2".utf8))
      desk.hold(conflict.since == since)
      desk.hold(try await desk.store.learn(id, news, conflicts: []))
      desk.hold(try await desk.store.conflicts().isEmpty)
      desk.hold(try await desk.store.claim().map(\.text) == ["a"])
      desk.hold(try await desk.store.learn(OperationID(UUID()), news, conflicts: []) == false)
    },
    Rule("what was given back without a run is as suspicious as before") { desk in
      for text in ["a", "b"] { _ = try await desk.store.insert(.note(text)) }
      _ = try await desk.store.claim(1)
      try await desk.crash()
      for _ in 0..<2 {
        let alone = try await desk.store.claim()
        desk.hold(alone.map(\.text) == ["a"], "it lost its last run, so it is tried alone")
        let lease = try desk.some(alone.first).lease
        var verdict = OperationVerdict(.ready, effect: .sentUnknown)
        verdict.isUnbegun = true
        desk.hold(try await desk.store.settle(lease, verdict))
      }
      let lease = try desk.some(try await desk.store.claim().first).lease
      _ = try await desk.store.settle(lease, OperationVerdict(.ready))
      desk.hold(try await desk.store.claim().count == 2, "a run that ended clears it")
    },
    Rule("the operations of a key are found in order") { desk in
      for (text, key) in [("a", "k"), ("b", "l"), ("c", "k"), ("d", "k\u{0}")] {
        _ = try await desk.store.insert(.note(text, orderedBy: key))
      }
      let found = try await desk.store.operations(orderedBy: "k")
      desk.hold(found.map(\.payload) == ["a", "c"].map { NewOperation.note($0).payload })
      desk.hold(try await desk.store.operations(orderedBy: "nobody").isEmpty)
    },
  ]
}
