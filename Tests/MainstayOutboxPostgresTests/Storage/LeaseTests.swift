// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// Who holds what, and what becomes of it when nobody does any more.
@Suite(.ends(withinMinutes: 10))
struct LeaseTests {
  private struct Note: QueuedOperation {
    static let kind: OperationKind = "note"
    var text: String
  }

  @Test(.requirement("O5"))
  func `work is cancelled before its lease is over, where that is not renewed`() async throws {
    // It is cancelled five seconds before the end, and a machine that stands still looks too late.
    while try await !isCancelledInTime() { try Task.checkCancellation() }
  }

  /// Whether work whose lease is not renewed is seen to be cancelled before that is over.
  private func isCancelledInTime() async throws -> Bool {
    let place = try await Place()
    let (begun, hasBegun) = AsyncStream.makeStream(of: Int64.self)
    let (cancelled, isCancelled) = AsyncStream.makeStream(of: Void.self)
    let store = place.store(lease: .seconds(30))
    let outbox = try await Outbox(store: store) {
      Worker(for: Note.self) { _, context in
        hasBegun.yield(context.leaseToken)
        guard context.leaseToken == 1 else { return }
        // It never ends by itself.
        for await _ in AsyncStream<Void>.makeStream().stream {}
        isCancelled.yield()
        try Task.checkCancellation()
      }
    }
    try await outbox.enqueue(Note(text: "a"))
    var (runs, ends) = (begun.makeAsyncIterator(), cancelled.makeAsyncIterator())
    #expect(await runs.next() == 1)
    // Whatever would renew it waits for the row; all else goes on.
    let holder = try await place.session()
    try await holder.script("BEGIN; SELECT FROM \(place.schema).owner FOR NO KEY UPDATE")
    await ends.next()
    let left = try await place.query("SELECT min(alive_until) - @.clock() FROM @.owner")
    // Later than that somebody else may run it already.
    let isInTime = try #require(left.first).int(0) > 0
    try await holder.script("ROLLBACK")
    #expect(try #require(await runs.next()) > 1, "it is run once more")
    try await eventually { try await outbox.ledger().count(.done) == 1 }
    holder.close()
    await outbox.shutDown()
    return isInTime
  }

  @Test(.requirement("A54", "O5"))
  func `what a dead process had begun goes on within a second of the end of its lease`()
    async throws
  {
    let place = try await Place()
    let (begun, hasBegun) = AsyncStream.makeStream(of: Int64.self)
    let (dead, looking) = (place.store(lease: .seconds(600)), place.store())
    _ = try await (dead.open(), looking.open())
    let outbox = try await Outbox(store: place.store()) {
      Worker(for: Note.self) { _, _ in
        guard let row = try await place.query("SELECT @.clock()").first else { return }
        hasBegun.yield(try row.int(0))
      }
    }
    await outbox.pause()
    _ = try await dead.insert(.note("a"))
    #expect(try await dead.claim().count == 1)
    await dead.abandon(isOverdue: false)
    // So far away that it is not over before somebody has looked when that is.
    let look = try #require(
      try await place.query(
        """
        UPDATE @.owner SET alive_until = @.clock() + 600000
          WHERE id = (SELECT min(id) FROM @.owner) RETURNING @.clock(), alive_until
        """
      ).first)
    let wait = try #require(try await looking.promote(NewOperation.types))
    let late = try look.int(0) + Int64(wait / .milliseconds(1)) - look.int(1)
    #expect(late <= 1_000, "it is looked for \(late) ms later")
    await looking.close()
    let end = try #require(
      try await place.query(
        """
        UPDATE @.owner SET alive_until = @.clock() + 200
          WHERE id = (SELECT min(id) FROM @.owner) RETURNING alive_until
        """
      ).first
    ).int(0)
    await outbox.resume()
    var times = begun.makeAsyncIterator()
    let time = try #require(await times.next())
    #expect(time >= end, "it was taken from somebody who may have been alive")
    await outbox.shutDown()
  }

  @Test(.requirement("O6"))
  func `one that dies frees its place under a limit, and nobody has to enqueue for that`()
    async throws
  {
    let place = try await Place()
    let (dead, other) = try await (place.opened(), place.opened())
    try await other.limit("note", concurrency: 1)
    for text in ["a", "b"] { _ = try await other.insert(.note(text)) }
    #expect(try await dead.claim().count == 1)
    #expect(try await other.claim().isEmpty, "the only place is taken")
    await dead.abandon(isOverdue: true)
    _ = try await other.promote(NewOperation.types)
    let again = try await other.claim()
    #expect(again.count == 1 && again.first?.operation.lostRuns == 1)
    #expect(try await other.ledger().enqueued == 2, "the sweep is no operation itself")
    await other.close()
  }

  @Test func `words that the server refuses do not keep a lease`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    let id = try await store.insert(.note("a"))
    try await place.script("ALTER TABLE @.op ADD CHECK (error_message NOT LIKE '%…%')")
    let lease = try #require(try await store.claim().first).lease
    let failure = FailureNote(code: "test.no", message: "Wait…")
    let verdict = OperationVerdict(.waiting(after: .seconds(60)), attempts: 1, failure: failure)
    #expect(try await store.settle(lease, verdict))
    let found = try #require(try await store.operation(id))
    #expect(found.state == .waiting && found.failure?.code == "test.no")
    #expect(found.failure?.message == "The database did not take these words.")
    await store.close()
  }

  @Test func `a claim takes nothing that has expired, whoever has looked for that`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    for text in ["ready", "suspect", "held", "held suspect", "sent", "later"] {
      let wishes = NewOperation.Wishes(constraints: text.hasPrefix("held") ? ["power"] : [])
      _ = try await store.insert(.note(text, timeToLive: .seconds(3_600), wishes: wishes))
    }
    try await place.script(
      """
      UPDATE @.op SET expires_at = 1 WHERE convert_from(payload, 'UTF8') NOT LIKE '%later%';
      UPDATE @.op SET state = 'waiting', cause = 'constraint' WHERE constraints IS NOT NULL;
      UPDATE @.op SET crashes = 1 WHERE convert_from(payload, 'UTF8') LIKE '%suspect%';
      UPDATE @.op SET effect = 'sentUnknown' WHERE convert_from(payload, 'UTF8') LIKE '%sent%'
      """)
    #expect(try await store.claim().map(\.text) == ["sent", "later"])
    #expect(try await store.claim().isEmpty)
    _ = try await store.promote(NewOperation.types)
    #expect(try await store.ledger().count(.expired) == 4)
    await store.close()
  }

  @Test(.requirement("O27"))
  func `one that is committed after a later one is run, too`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    // The first operation of a lane makes its row, for which others wait.
    _ = try await store.insert(.note("before"))
    for run in try await store.claim() {
      #expect(try await store.settle(run.lease, OperationVerdict(.done)))
    }
    let slow = try await place.session()
    try await slow.script("BEGIN; SELECT \(place.schema).enqueue('note', '{\"text\": \"first\"}')")
    let later = try await store.insert(.note("second"))
    let run = try #require(try await store.claim().first)
    #expect(run.lease.id == later)
    #expect(try await store.settle(run.lease, OperationVerdict(.done)))
    try await slow.script("COMMIT")
    let rest = try await store.claim()
    #expect(rest.count == 1)
    #expect(try #require(rest.first).lease.row < run.lease.row, "its number is the smaller one")
    slow.close()
    await store.close()
  }
}
