// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// What is decided about one operation is told to those who wait.
@Suite(.ends(withinMinutes: 10)) struct DecisionNewsTests {
  @Test(arguments: ["hasten", "cancel"])
  func `a decision about one operation is told to those who wait`(decision: String) async throws {
    let place = try await Place()
    let store = try await place.opened()
    let note = NewOperation.note("a")
    _ = try await store.insert(note)
    try await place.script(
      """
      UPDATE @.op SET state = 'scheduled', run_at = @.clock() + 600000;
      SELECT @.enter('waits', 600000, 1);
      """)
    let listener = PostgresListener(
      place.address, channels: ["\(place.schema).wake"], settings: .patient)
    var events = listener.events.makeAsyncIterator()
    #expect(await events.next() == .listening(mayHaveMissed: false))
    try await place.query("UPDATE @.owner SET is_waiting = true")
    if decision == "hasten" {
      #expect(try await store.hasten(note.id))
    } else {
      #expect(try await store.cancel(note.id) == .cancelled)
    }
    guard case .heard = await events.next() else {
      Issue.record("nothing was heard")
      return
    }
    listener.stop()
    await store.close()
  }
}
