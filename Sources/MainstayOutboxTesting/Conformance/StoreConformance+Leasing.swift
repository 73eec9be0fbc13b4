// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

extension StoreConformance {
  /// What is leased, and in which order.
  static let leasing: [Rule] = [
    Rule("what was inserted is claimed once, the oldest first") { desk in
      for text in ["a", "b", "c"] { _ = try await desk.store.insert(.note(text)) }
      let first = try await desk.store.claim(2)
      desk.same(first.map(\.text), ["a", "b"])
      let second = try await desk.store.claim()
      desk.same(second.map(\.text), ["c"])
      desk.hold(try await desk.store.claim().isEmpty)
      desk.same(try await desk.store.snapshot().running, 3)
    },
    Rule("an operation comes back as it was given") { desk in
      let new = NewOperation.note("é\u{1F600}\\\"", orderedBy: "k\0ey", lane: "side")
      _ = try await desk.store.insert(new)
      let leased = try desk.some(try await desk.store.claim().first)
      let operation = leased.operation
      desk.same(operation.id, new.id)
      desk.same(operation.type, new.type)
      desk.same(operation.orderingKey, "k\0ey")
      desk.same(operation.lane, "side")
      desk.same(operation.idempotencyKey, new.idempotencyKey)
      desk.same(operation.payload, new.payload)
      desk.same(operation.enqueued, desk.time.now)
    },
    Rule("only the head of an ordering key runs, and other keys pass it") { desk in
      for text in ["a1", "a2", "b1", "a3"] {
        _ = try await desk.store.insert(.note(text, orderedBy: String(text.prefix(1))))
      }
      _ = try await desk.store.insert(.note("free"))
      let first = try await desk.store.claim()
      desk.same(first.map(\.text), ["a1", "b1", "free"])
      desk.same(try await desk.store.snapshot().blocked, 2)
      desk.hold(try await desk.store.settle(desk.some(first.first).lease, OperationVerdict(.done)))
      desk.same(try await desk.store.claim().map(\.text), ["a2"])
    },
    Rule("ordering keys and lanes of any bytes work") { desk in
      let lane = Lane(rawValue: "l\0ane")
      for (text, key) in [("a", "k\0a"), ("b", "k\0b"), ("a2", "k\0a"), ("c", "")] {
        _ = try await desk.store.insert(.note(text, orderedBy: key, lane: lane))
      }
      let first = try await desk.store.claim()
      desk.same(first.map(\.text), ["a", "b", "c"])
      for leased in first { _ = try await desk.store.settle(leased.lease, OperationVerdict(.done)) }
      desk.same(try await desk.store.claim().map(\.text), ["a2"])
    },
    Rule("the end of a head makes the next one ready in the same step") { desk in
      for text in ["a", "b"] { _ = try await desk.store.insert(.note(text, orderedBy: "k")) }
      let head = try desk.some(try await desk.store.claim().first)
      _ = try await desk.store.settle(head.lease, OperationVerdict(.done))
      let snapshot = try await desk.store.snapshot()
      desk.same(snapshot.blocked, 0)
      desk.same(snapshot.ready, 1)
    },
    Rule("unknown kinds are parked without an attempt until a worker knows them") { desk in
      _ = try await desk.store.insert(.note("old", orderedBy: "k", kind: "future"))
      _ = try await desk.store.insert(.note("next", orderedBy: "k"))
      _ = try await desk.store.insert(.note("other"))
      desk.same(try await desk.store.claim().map(\.text), ["other"])
      desk.same(try await desk.store.snapshot().parked, 1)
      _ = try await desk.store.promote(NewOperation.types)
      desk.same(try await desk.store.snapshot().parked, 1)
      let future = NewOperation.types.union([PayloadType(kind: "future", version: 1)])
      _ = try await desk.store.promote(future)
      let claim = try await desk.store.claim(
        ClaimRequest(limit: 9, types: future, isAlone: false))
      desk.same(claim.operations.map(\.text), ["old"])
      desk.same(claim.operations.map(\.operation.attempts), [0])
    },
    Rule("scheduled and waiting operations come back when they are due") { desk in
      for text in ["a", "b"] { _ = try await desk.store.insert(.note(text)) }
      let both = try await desk.store.claim()
      _ = try await desk.store.settle(
        desk.some(both.first).lease, OperationVerdict(.scheduled(after: .seconds(10)), attempts: 1))
      _ = try await desk.store.settle(
        desk.some(both.last).lease, OperationVerdict(.waiting(after: .seconds(4))))
      let snapshot = try await desk.store.snapshot()
      desk.same(snapshot.scheduled, 1)
      desk.same(snapshot.waiting, 1)
      desk.same(try await desk.store.promote([]), .seconds(4))
      desk.time.advance(by: .seconds(4))
      desk.same(try await desk.store.promote([]), .seconds(6))
      desk.same(try await desk.store.claim().map(\.text), ["b"])
      desk.time.advance(by: .seconds(6))
      desk.same(try await desk.store.promote([]), nil)
      let again = try await desk.store.claim()
      desk.same(again.map(\.text), ["a"])
      desk.same(again.map(\.operation.attempts), [1])
    },
  ]

  /// What the death of a process leaves.
  static let recovery: [Rule] = [
    Rule("an answer under an old token changes nothing") { desk in
      _ = try await desk.store.insert(.note("a"))
      let old = try desk.some(try await desk.store.claim().first)
      let report = try await desk.crash()
      desk.same(report.recovered, 1)
      let new = try desk.some(try await desk.store.claim().first)
      desk.hold(new.lease.token > old.lease.token)
      desk.hold(try await !desk.store.confirms(old.lease))
      desk.hold(try await desk.store.confirms(new.lease))
      for next in [OperationVerdict.Next.done, .ready, .dead(.refused, followers: .holdKey)] {
        desk.hold(try await !desk.store.settle(old.lease, OperationVerdict(next)))
      }
      desk.same(try await desk.store.snapshot().running, 1)
      desk.hold(try await desk.store.settle(new.lease, OperationVerdict(.done)))
      desk.hold(try await !desk.store.settle(new.lease, OperationVerdict(.done)))
      desk.same(try await desk.store.ledger().count(.done), 1)
    },
    Rule("three lost runs in a row end as a dead letter that says so") { desk in
      _ = try await desk.store.insert(.note("pill"))
      for run in 1...3 {
        let leased = try desk.some(try await desk.store.claim().first)
        desk.same(leased.operation.effect, (run == 1 ? .notSent : .sentUnknown))
        let report = try await desk.crash()
        desk.same(report.recovered, 1)
        desk.same(report.quarantined, (run == 3 ? 1 : 0))
      }
      let letter = try desk.some(try await desk.store.deadLetters(after: nil, limit: 10).first)
      desk.same(letter.reason, .crashed)
      desk.same(letter.operation.attempts, 0)
      desk.hold(try await desk.store.ledger().isBalanced)
    },
    Rule("a dead letter whose process died says that, whatever went wrong before") { desk in
      _ = try await desk.store.insert(.note("pill"))
      let failed = try desk.some(try await desk.store.claim().first)
      let note = FailureNote(code: "test.busy", message: "Busy. It was too much.")
      let verdict = OperationVerdict(.ready, attempts: 1, effect: .refused, failure: note)
      desk.hold(try await desk.store.settle(failed.lease, verdict))
      for _ in 1...3 {
        desk.same(try await desk.store.claim().count, 1)
        try await desk.crash()
      }
      let letter = try desk.some(try await desk.store.deadLetters(after: nil, limit: 10).first)
      desk.same(letter.reason, .crashed)
      desk.same(
        letter.message,
        "The app ended three times in a row while this ran. "
          + "It may have been done all the same: check before you try again.")
      desk.same(letter.operation.failure, note, "what went wrong before is kept")
    },
    Rule("what lost its last run is tried alone, and innocents get away") { desk in
      for text in ["a", "pill", "c"] { _ = try await desk.store.insert(.note(text)) }
      desk.same(try await desk.store.claim().count, 3)
      try await desk.crash()
      _ = try await desk.store.insert(.note("new"))
      let busy = try await desk.store.claim(
        ClaimRequest(limit: 4, types: NewOperation.types, isAlone: false))
      desk.hold(busy.operations.isEmpty)
      desk.hold(busy.isExclusive)
      for text in ["a", "pill", "c"] {
        let claim = try await desk.store.claim(
          ClaimRequest(limit: 4, types: NewOperation.types, isAlone: true))
        desk.same(claim.operations.map(\.text), [text])
        desk.hold(claim.isExclusive)
        for leased in claim.operations {
          _ = try await desk.store.settle(leased.lease, OperationVerdict(.done))
        }
      }
      desk.same(try await desk.store.claim().map(\.text), ["new"])
    },
    Rule("what lost its last run holds nobody up where it is to be passed by") { desk in
      let held = NewOperation.Wishes(constraints: [.power])
      for text in ["a", "pill"] { _ = try await desk.store.insert(.note(text)) }
      _ = try await desk.store.insert(.note("held pill", wishes: held))
      desk.same(try await desk.store.claim().count, 3)
      try await desk.crash()
      desk.hold(try await desk.store.claim(isAlone: false, unmet: [.power]).isEmpty)
      _ = try await desk.store.insert(.note("new"))
      _ = try await desk.store.insert(.note("held", wishes: held))
      desk.hold(try await desk.store.claim(isAlone: false).isEmpty, "nobody said so yet")
      let passing = ClaimRequest(
        limit: 4, types: NewOperation.types, isAlone: false, passesSuspects: true)
      let claim = try await desk.store.claim(passing)
      desk.same(claim.operations.map(\.text), ["new", "held"])
      desk.hold(!claim.isExclusive)
      let none = try await desk.store.claim(passing)
      desk.hold(none.operations.isEmpty && !none.isExclusive)
      for leased in claim.operations {
        desk.hold(try await desk.store.settle(leased.lease, OperationVerdict(.done)))
      }
      // They were only passed by: each is tried alone, as before.
      for text in ["a", "pill", "held pill"] {
        let alone = try await desk.store.claim()
        desk.same(alone.map(\.text), [text])
        for leased in alone {
          desk.same(leased.operation.lostRuns, 1)
          desk.hold(try await desk.store.settle(leased.lease, OperationVerdict(.done)))
        }
      }
    },
    Rule("what lost its last run holds nobody up while its type has no place") { desk in
      let (note, other) = (
        PayloadType(kind: "note", version: 1), PayloadType(kind: "other", version: 1)
      )
      let held = NewOperation.Wishes(constraints: [.power])
      _ = try await desk.store.insert(.note("pill"))
      _ = try await desk.store.insert(.note("held pill", wishes: held))
      desk.same(try await desk.store.claim().count, 2)
      try await desk.crash()
      desk.hold(try await desk.store.claim(isAlone: false, unmet: [.power]).isEmpty)
      _ = try await desk.store.insert(.note("new", kind: "other"))
      let claim = try await desk.store.claim(
        ClaimRequest(limit: 4, types: [note, other], isAlone: true, limits: [note: 0]))
      desk.same(claim.operations.map(\.text), ["new"])
      desk.hold(!claim.isExclusive)
      for leased in claim.operations {
        _ = try await desk.store.settle(leased.lease, OperationVerdict(.done))
      }
      let none = try await desk.store.claim(
        ClaimRequest(limit: 4, types: [note, other], isAlone: true, limits: [note: 0]))
      desk.hold(none.operations.isEmpty && !none.isExclusive)
      for text in ["pill", "held pill"] {
        let alone = try await desk.store.claim(
          ClaimRequest(limit: 4, types: [note, other], isAlone: true, limits: [note: 2]))
        desk.same(alone.operations.map(\.text), [text])
        desk.hold(alone.isExclusive)
        for leased in alone.operations {
          _ = try await desk.store.settle(leased.lease, OperationVerdict(.done))
        }
      }
    },
    Rule("what no build of today can read waits for the next opening") { desk in
      _ = try await desk.store.insert(.note("a"))
      let leased = try desk.some(try await desk.store.claim().first)
      _ = try await desk.store.settle(leased.lease, OperationVerdict(.parked))
      _ = try await desk.store.promote(NewOperation.types)
      desk.hold(try await desk.store.claim().isEmpty)
      try await desk.crash()
      _ = try await desk.store.promote(NewOperation.types)
      desk.same(try await desk.store.claim().map(\.text), ["a"])
    },
    Rule("one that is parked and may have been sent goes when somebody cancels it") { desk in
      for text in ["a", "b"] { _ = try await desk.store.insert(.note(text, orderedBy: "k")) }
      let leased = try desk.some(try await desk.store.claim().first)
      _ = try await desk.store.settle(
        leased.lease, OperationVerdict(.parked, effect: .sentUnknown))
      desk.same(try await desk.store.cancel(leased.lease.id), .mayHaveHappened)
      desk.same(try await desk.store.operation(leased.lease.id), nil)
      desk.same(try await desk.store.claim().map(\.text), ["b"])
      let ledger = try await desk.store.ledger()
      desk.hold(ledger.count(.cancelled) == 1 && ledger.isBalanced)
    },
    Rule("one that is cancelled while it runs, and cannot be read, is gone") { desk in
      for text in ["a", "b"] { _ = try await desk.store.insert(.note(text, orderedBy: "k")) }
      let leased = try desk.some(try await desk.store.claim().first)
      desk.same(try await desk.store.cancel(leased.lease.id), .stopping)
      _ = try await desk.store.settle(
        leased.lease, OperationVerdict(.parked, effect: .sentUnknown))
      desk.same(try await desk.store.operation(leased.lease.id), nil)
      desk.same(try await desk.store.claim().map(\.text), ["b"])
      desk.same(try await desk.store.ledger().count(.cancelled), 1)
    },
    Rule("one in conflict that may have been sent goes when somebody cancels it") { desk in
      for (isLate, latest) in [(false, "v2"), (true, "v2"), (false, nil), (true, nil)] {
        for text in ["a", "b", "c"] {
          _ = try await desk.store.insert(.note(text, orderedBy: "k"))
        }
        let first = try desk.some(try await desk.store.claim().first)
        var known = OperationVerdict(.done, effect: .applied)
        known.news = RecordNews(latest: Data("v1".utf8))
        _ = try await desk.store.settle(first.lease, known)
        let leased = try desk.some(try await desk.store.claim().first)
        if isLate { desk.same(try await desk.store.cancel(leased.lease.id), .stopping) }
        let fields = [FieldConflict(field: "", cause: .outcomeUnknown)]
        var verdict = OperationVerdict(
          .conflicted(remote: Data("theirs".utf8), fields: fields), effect: .sentUnknown)
        verdict.news = latest.map { RecordNews(latest: Data($0.utf8)) }
        _ = try await desk.store.settle(leased.lease, verdict)
        if !isLate {
          desk.same(try await desk.store.conflicts().map(\.fields), [fields])
          desk.same(try await desk.store.cancel(leased.lease.id), .mayHaveHappened)
        }
        desk.same(try await desk.store.operation(leased.lease.id), nil)
        desk.hold(try await desk.store.conflicts().isEmpty)
        let next = try desk.some(try await desk.store.claim().first)
        desk.same(next.text, "c")
        let kept = try await desk.store.latest(for: next.operation)
        desk.same(kept, latest.map { Data($0.utf8) } ?? Data("v1".utf8).outdated)
        _ = try await desk.store.settle(next.lease, OperationVerdict(.done))
      }
      let ledger = try await desk.store.ledger()
      desk.hold(ledger.count(.cancelled) == 4 && ledger.isBalanced)
    },
  ]
}
