// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

extension StoreConformance {
  /// Lanes and dead letters.
  static let decisions: [Rule] = [
    Rule("a lane that needs a person waits until it is resumed") { desk in
      for lane: Lane in ["a", "a", "b"] {
        _ = try await desk.store.insert(.note(lane.rawValue, lane: lane))
      }
      let first = try desk.some(try await desk.store.claim(1).first)
      _ = try await desk.store.settle(
        first.lease, OperationVerdict(.ready, closesLane: LaneClosure(.needsUser)))
      desk.same(try await desk.store.snapshot().waiting, 2)
      desk.same(try await desk.store.claim().map(\.text), ["b"])
      desk.time.advance(by: .seconds(86_400))
      desk.hold(try await desk.store.claim().isEmpty)
      try await desk.store.reopen("a", closedFor: nil)
      let again = try await desk.store.claim()
      desk.same(again.map(\.text), ["a", "a"])
      desk.same(again.map(\.operation.attempts), [0, 0])
    },
    Rule("the lanes that a cause closes are known") { desk in
      for lane: Lane in ["a", "b", "c", "d"] {
        _ = try await desk.store.insert(.note(lane.rawValue, lane: lane))
      }
      try await desk.store.close("a", LaneClosure(.needsUser))
      try await desk.store.close("b", LaneClosure(.needsUser))
      try await desk.store.close("b", LaneClosure(.throttled, for: .seconds(9)))
      try await desk.store.close("c", LaneClosure(.paused))
      desk.same(Set(try await desk.store.lanes(closedFor: .needsUser)), ["a", "b"])
      desk.same(try await desk.store.lanes(closedFor: .paused), ["c"])
      desk.same(try await desk.store.lanes(closedFor: .throttled), ["b"])
      try await desk.store.reopen("a", closedFor: .needsUser)
      desk.same(try await desk.store.lanes(closedFor: .needsUser), ["b"])
    },
    Rule("a throttled lane waits as long as it was told to") { desk in
      _ = try await desk.store.insert(.note("a"))
      let first = try desk.some(try await desk.store.claim().first)
      _ = try await desk.store.settle(
        first.lease,
        OperationVerdict(.ready, closesLane: LaneClosure(.throttled, for: .seconds(30))))
      desk.hold(try await desk.store.claim().isEmpty)
      desk.same(try await desk.store.promote(NewOperation.types), .seconds(30))
      desk.time.advance(by: .seconds(30))
      desk.same(try await desk.store.claim().count, 1)
    },
    Rule("throttling does not open a lane that was paused") { desk in
      _ = try await desk.store.insert(.note("a"))
      try await desk.store.close(.main, LaneClosure(.paused))
      try await desk.store.close(.main, LaneClosure(.throttled, for: .seconds(1)))
      desk.time.advance(by: .seconds(2))
      desk.hold(try await desk.store.claim().isEmpty)
    },
    Rule("a lane that somebody has paused stays so when a person is needed as well") { desk in
      _ = try await desk.store.insert(.note("a"))
      let leased = try desk.some(try await desk.store.claim().first)
      try await desk.store.close(.main, LaneClosure(.paused))
      _ = try await desk.store.settle(
        leased.lease, OperationVerdict(.ready, closesLane: LaneClosure(.needsUser)))
      try await desk.store.reopen(.main, closedFor: .needsUser)
      desk.hold(try await desk.store.claim().isEmpty, "somebody has signed in, and it is paused")
      try await desk.store.reopen(.main, closedFor: .paused)
      desk.same(try await desk.store.claim().count, 1)
    },
    Rule("a lane that is paused while it rests goes on resting when it is resumed") { desk in
      let id = try await desk.store.insert(.note("a"))
      let leased = try desk.some(try await desk.store.claim().first)
      let rest = LaneClosure(.throttled, for: .seconds(60))
      _ = try await desk.store.settle(leased.lease, OperationVerdict(.ready, closesLane: rest))
      try await desk.store.close(.main, LaneClosure(.throttled, for: .seconds(30)))
      try await desk.store.close(.main, LaneClosure(.paused))
      let end = desk.time.now.addingTimeInterval(60)
      let resting = Obstacle.lane(.main, .throttled, until: end)
      desk.same(
        try await desk.store.obstacles(id), [.lane(.main, .paused, until: nil), resting])
      try await desk.store.reopen(.main, closedFor: .paused)
      desk.same(try await desk.store.obstacles(id), [resting])
      desk.same(try await desk.store.snapshot().waiting, 1)
      desk.hold(try await desk.store.claim().isEmpty)
      desk.same(try await desk.store.promote(NewOperation.types), .seconds(60))
      try await desk.store.reopen(.main, closedFor: .throttled)
      desk.same(try await desk.store.claim().count, 1)
    },
    Rule("a better connection hurries what waits for it, and nothing else") { desk in
      for text in ["network", "server"] { _ = try await desk.store.insert(.note(text)) }
      let both = try await desk.store.claim()
      for (leased, unreachable) in zip(both, [1, 0]) {
        _ = try await desk.store.settle(
          leased.lease,
          OperationVerdict(.scheduled(after: .seconds(60)), unreachable: unreachable))
      }
      try await desk.store.expedite(unimportantAfter: .zero)
      desk.same(try await desk.store.claim().map(\.text), ["network"])
    },
    Rule("what is less important comes back a little later, and never later than it would") {
      desk in
      let wishes = NewOperation.Wishes(priority: .low)
      for text in ["normal", "far", "near"] {
        let own = text == "normal" ? NewOperation.Wishes() : wishes
        _ = try await desk.store.insert(.note(text, wishes: own))
      }
      for leased in try await desk.store.claim() {
        let delay = Duration.seconds(leased.text == "near" ? 1 : 60)
        _ = try await desk.store.settle(
          leased.lease, OperationVerdict(.scheduled(after: delay), unreachable: 1))
      }
      try await desk.store.expedite(unimportantAfter: .seconds(2))
      desk.same(try await desk.store.claim().map(\.text), ["normal"])
      for text in ["near", "far"] {
        desk.time.advance(by: .seconds(1))
        _ = try await desk.store.promote(NewOperation.types)
        desk.same(try await desk.store.claim().map(\.text), [text])
      }
    },
    Rule("a dead letter holds its key until somebody decides") { desk in
      for text in ["a", "b"] { _ = try await desk.store.insert(.note(text, orderedBy: "k")) }
      try await kill(desk, .holdKey)
      _ = try await desk.store.insert(.note("c", orderedBy: "k"))
      desk.hold(try await desk.store.claim().isEmpty)
      let letter = try desk.some(try await desk.store.deadLetters(after: nil, limit: 5).first)
      desk.same(letter.reason, .refused)
      desk.same(letter.message, "No. It was refused.")
      desk.hold(try await desk.store.redrive(letter.id))
      let again = try desk.some(try await desk.store.claim().first)
      desk.same(again.text, "a")
      desk.same(again.operation.idempotencyKey, letter.operation.idempotencyKey)
      desk.same(again.operation.attempts, 0)
      _ = try await desk.store.settle(
        again.lease, OperationVerdict(.dead(.refused, followers: .holdKey)))
      desk.hold(try await desk.store.discard(letter.id))
      desk.same(try await desk.store.claim().map(\.text), ["b"])
      desk.hold(try await desk.store.ledger().isBalanced)
    },
    Rule("dead letters of one key that are redriven in any order come back in their own") { desk in
      for text in ["a", "b", "c"] {
        _ = try await desk.store.insert(.note(text, orderedBy: "k"))
      }
      // The first one holds nothing, the second one holds the third.
      try await kill(desk, .goOn)
      try await kill(desk, .holdKey)
      for letter in try await desk.store.deadLetters(after: nil, limit: 9) {
        desk.hold(try await desk.store.redrive(letter.id))
      }
      var order: [String] = []
      while let next = try await desk.store.claim().first {
        order.append(next.text)
        desk.hold(try await desk.store.settle(next.lease, OperationVerdict(.done)))
      }
      desk.same(order, ["a", "b", "c"])
    },
    Rule("a dead letter that holds nothing is redriven behind what runs") { desk in
      for text in ["a", "b", "c"] { _ = try await desk.store.insert(.note(text, orderedBy: "k")) }
      try await kill(desk, .goOn)
      let next = try desk.some(try await desk.store.claim().first)
      desk.same(next.text, "b")
      let letter = try desk.some(try await desk.store.deadLetters(after: nil, limit: 5).first)
      desk.hold(try await desk.store.redrive(letter.id))
      desk.hold(try await desk.store.claim().isEmpty)
      _ = try await desk.store.settle(next.lease, OperationVerdict(.done))
      desk.same(try await desk.store.claim().map(\.text), ["a"])
      desk.hold(try await !desk.store.redrive(letter.id))
      desk.hold(try await !desk.store.discard(letter.id))
    },
  ]

  /// Conflicts, keys, bounds and the ledger.
  static let conflicts: [Rule] = [
    Rule("a conflict keeps the other side's document and stops only its own key") { desk in
      for (text, key) in [("a1", "a"), ("a2", "a"), ("b", "b")] {
        _ = try await desk.store.insert(.note(text, orderedBy: key))
      }
      let head = try desk.some(try await desk.store.claim(1).first)
      _ = try await desk.store.settle(
        head.lease, OperationVerdict(.conflicted(remote: Data("theirs".utf8))))
      desk.same(try await desk.store.claim().map(\.text), ["b"])
      let conflict = try desk.some(try await desk.store.conflicts().first)
      desk.same(conflict.remote, Data("theirs".utf8))
      desk.same(try await desk.store.snapshot().conflicted, 1)
      let key = IdempotencyKey()
      let merged = Data(#"{"text":"merged"}"#.utf8)
      desk.hold(
        try await desk.store.resolve(
          head.lease.id, with: .replaced(payload: merged, idempotencyKey: key)))
      let again = try desk.some(try await desk.store.claim().first)
      desk.same(again.text, "merged")
      desk.same(again.operation.idempotencyKey, key)
      desk.hold(try await desk.store.conflicts().isEmpty)
      _ = try await desk.store.settle(again.lease, OperationVerdict(.conflicted(remote: nil)))
      desk.hold(try await desk.store.resolve(head.lease.id, with: .dropped))
      desk.hold(try await !desk.store.resolve(head.lease.id, with: .dropped))
      desk.same(try await desk.store.claim().map(\.text), ["a2"])
      desk.same(try await desk.store.ledger().count(.dropped), 1)
    },
    Rule("the same key twice is the same operation, with another payload an error") { desk in
      let key = IdempotencyKey()
      let id = try await desk.store.insert(.note("a", idempotencyKey: key))
      desk.same(try await desk.store.insert(.note("a", idempotencyKey: key)), id)
      await desk.refuses(.keyReused) {
        _ = try await desk.store.insert(.note("b", idempotencyKey: key))
      }
      try await kill(desk, .holdKey)
      desk.same(try await desk.store.insert(.note("a", idempotencyKey: key)), id)
      desk.same(try await desk.store.ledger().enqueued, 1)
    },
    Rule(
      "a full store refuses, and takes again when something has ended",
      limits: StoreLimits(maximumPending: 2)
    ) {
      desk in
      for text in ["a", "b"] { _ = try await desk.store.insert(.note(text)) }
      await desk.refuses(.full) {
        _ = try await desk.store.insert(.note("c"))
      }
      let first = try desk.some(try await desk.store.claim(1).first)
      _ = try await desk.store.settle(first.lease, OperationVerdict(.done))
      _ = try await desk.store.insert(.note("c"))
      desk.same(try await desk.store.snapshot().pending, 2)
    },
    Rule("what expires leaves a receipt, and what may have been sent does not expire") { desk in
      for text in ["sent", "fresh"] {
        _ = try await desk.store.insert(.note(text, orderedBy: text, timeToLive: .seconds(60)))
      }
      _ = try await desk.store.insert(.note("next", orderedBy: "fresh"))
      let sent = try desk.some(try await desk.store.claim(1).first)
      _ = try await desk.store.settle(
        sent.lease, OperationVerdict(.scheduled(after: .seconds(10)), effect: .sentUnknown))
      desk.time.advance(by: .seconds(61))
      _ = try await desk.store.promote(NewOperation.types)
      let ledger = try await desk.store.ledger()
      desk.same(ledger.count(.expired), 1)
      desk.same(ledger.receipts.first?.bytes, 16)
      desk.hold(ledger.isBalanced)
      desk.same(try await desk.store.claim().map(\.text), ["sent", "next"])
    },
    Rule("what somebody has decided about does not expire") { desk in
      let id = try await desk.store.insert(.note("a", timeToLive: .seconds(60)))
      let leased = try desk.some(try await desk.store.claim().first)
      _ = try await desk.store.settle(leased.lease, OperationVerdict(.conflicted(remote: nil)))
      desk.time.advance(by: .seconds(61))
      let merged = Data(#"{"text":"merged"}"#.utf8)
      desk.hold(
        try await desk.store.resolve(
          id, with: .replaced(payload: merged, idempotencyKey: IdempotencyKey())))
      _ = try await desk.store.promote(NewOperation.types)
      desk.same(try await desk.store.claim().map(\.text), ["merged"])
    },
    Rule("what somebody has decided may be of another form than what was there") { desk in
      let id = try await desk.store.insert(.note("a"))
      let leased = try desk.some(try await desk.store.claim().first)
      _ = try await desk.store.settle(leased.lease, OperationVerdict(.conflicted(remote: nil)))
      desk.hold(
        try await desk.store.resolve(
          id,
          with: .replaced(
            payload: Data("{}".utf8), idempotencyKey: IdempotencyKey(), version: 2)))
      desk.same(
        try await desk.store.operation(id)?.type, PayloadType(kind: "note", version: 2))
      desk.hold(try await desk.store.claim().isEmpty, "nobody here reads that form")
    },
    Rule("lists go on where they ended") { desk in
      for text in ["a", "b", "c"] { _ = try await desk.store.insert(.note(text)) }
      let first = try await desk.store.operations(after: nil, limit: 2)
      desk.same(first.count, 2)
      let rest = try await desk.store.operations(after: first.last?.id, limit: 2)
      desk.same(rest.count, 1)
      desk.hold(try await desk.store.operations(after: nil, limit: -1).isEmpty)
      desk.same(try await desk.store.operation(desk.some(rest.first).id), try desk.some(rest.first))
      desk.same(try await desk.store.operation(OperationID(UUID())), nil)
    },
    Rule("a dead letter says that it is one, until it is redriven") { desk in
      let id = try await desk.store.insert(.note("a"))
      try await kill(desk, .holdKey)
      let letter = try desk.some(try await desk.store.deadLetter(id))
      desk.same(letter.operation.state, .dead)
      let letters = try await desk.store.deadLetters(after: nil, limit: 9)
      desk.same(letters.map(\.operation.state), [.dead])
      let key = letter.operation.idempotencyKey
      desk.same(try await desk.store.operation(keyed: key)?.state, .dead)
      desk.hold(try await desk.store.redrive(id))
      desk.same(try await desk.store.operation(id)?.state, .ready)
    },
    Rule("what a failure says of fields is kept until another one is noted") { desk in
      let id = try await desk.store.insert(.note("a"))
      let mistake = AppError.validation("It is taken.", field: "/email")
      let note = FailureNote(mistake)
      desk.same(note.fields.map(\.pointer), ["/email"])
      let first = try desk.some(try await desk.store.claim(1).first)
      let verdict = OperationVerdict(
        .dead(.refused, followers: .holdKey), attempts: 1, failure: note)
      desk.hold(try await desk.store.settle(first.lease, verdict))
      desk.same(try await desk.store.deadLetter(id)?.operation.failure, note)
      desk.same(try await desk.store.attempts(of: id).map(\.failure), [note.brief])
      desk.hold(try await desk.store.redrive(id))
      let again = try desk.some(try await desk.store.claim(1).first)
      desk.same(again.operation.failure, note)
      _ = try await desk.store.settle(again.lease, OperationVerdict(.ready))
      desk.same(try await desk.store.operation(id)?.failure, note, "nothing else was noted")
      let last = try desk.some(try await desk.store.claim(1).first)
      let other = FailureNote(code: "test.down", message: "It is down.")
      _ = try await desk.store.settle(last.lease, OperationVerdict(.ready, failure: other))
      desk.same(try await desk.store.operation(id)?.failure, other)
    },
    Rule("what is refused while the network cannot be reached waits for that") { desk in
      for (unreachable, count) in [(0, 0), (2, 1)] {
        _ = try await desk.store.insert(.note("a"))
        let leased = try desk.some(try await desk.store.claim(1).first)
        let verdict = OperationVerdict(.waiting(after: .seconds(60)), unreachable: unreachable)
        _ = try await desk.store.settle(leased.lease, verdict)
        let causes = try await desk.store.snapshot().causes
        desk.same(causes.unreachable, count)
        desk.same(causes.policy, 1)
      }
    },
    Rule("the oldest age follows the time of day") { desk in
      desk.same(try await desk.store.snapshot().oldestAge, nil)
      _ = try await desk.store.insert(.note("a"))
      desk.time.advance(by: .seconds(90))
      desk.same(try await desk.store.snapshot().oldestAge, .seconds(90))
      desk.time.advance(by: .seconds(-900))
      desk.same(try await desk.store.snapshot().oldestAge, .zero)
    },
  ]

  private static func kill(
    _ desk: StoreDesk, _ followers: Worker.AfterDeadLetter, line: Int = #line
  ) async throws {
    let head = try desk.some(try await desk.store.claim(1).first, line: line)
    _ = try await desk.store.settle(
      head.lease,
      OperationVerdict(
        .dead(.refused, followers: followers), attempts: 3,
        failure: FailureNote(code: "test.no", message: "No. It was refused.")))
  }
}
