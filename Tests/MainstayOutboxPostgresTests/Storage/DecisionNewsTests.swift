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
    let listener: PostgresListener
    var events: AsyncStream<PostgresListener.Event>.Iterator
    (listener, events) = try await listen(place)
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

  /// Hears what is told, once it is connected.
  private func listen(_ place: Place) async throws -> (
    PostgresListener, AsyncStream<PostgresListener.Event>.Iterator
  ) {
    let listener = PostgresListener(
      place.address, channels: ["\(place.schema).wake"], settings: .patient)
    var events = listener.events.makeAsyncIterator()
    #expect(await events.next() == .listening(mayHaveMissed: false))
    return (listener, events)
  }

  @Test func `a cancellation of what runs is told to whoever runs it, with all hands full`()
    async throws
  {
    let place = try await Place()
    let busy = try await place.opened()
    let tool = try await place.opened()
    let note = NewOperation.note("a")
    _ = try await busy.insert(note)
    #expect(try await busy.claim().map(\.text) == ["a"])
    try await place.query("UPDATE @.owner SET is_waiting = false")
    let listener: PostgresListener
    var events: AsyncStream<PostgresListener.Event>.Iterator
    (listener, events) = try await listen(place)
    #expect(try await tool.cancel(note.id) == .stopping)
    guard case .heard = await events.next() else {
      Issue.record("nothing was heard")
      return
    }
    #expect(try await busy.cancelledRuns() == [note.id])
    listener.stop()
    await tool.close()
    await busy.close()
  }

  @Test func `what was decided just before a store is closed is told`() async throws {
    let place = try await Place()
    let busy = try await place.opened()
    let tool = try await place.opened()
    let note = NewOperation.note("a")
    _ = try await busy.insert(note)
    #expect(try await busy.claim().map(\.text) == ["a"])
    let listener: PostgresListener
    var events: AsyncStream<PostgresListener.Event>.Iterator
    (listener, events) = try await listen(place)
    // Somebody was told just before: this has to be told a little later.
    try await place.query("SELECT setval('@.told_at', @.clock())")
    #expect(try await tool.cancel(note.id) == .stopping)
    await tool.close()
    guard case .heard = await events.next() else {
      Issue.record("nothing was heard")
      return
    }
    listener.stop()
    await busy.close()
  }

  /// Whether anybody may tell others anything for now.
  private func allow(_ isAllowed: Bool, in place: Place) async throws {
    try await place.script(
      """
      CREATE OR REPLACE FUNCTION @.may_tell() RETURNS boolean LANGUAGE sql \
      AS 'SELECT \(isAllowed)'
      """)
  }

  @Test func `what is told while a store is being closed is not lost`() async throws {
    let place = try await Place()
    let busy = try await place.opened()
    let tool = try await place.opened()
    try await place.query("UPDATE @.owner SET is_waiting = false")
    let note = NewOperation.note("a")
    _ = try await busy.insert(note)
    #expect(try await busy.claim().map(\.text) == ["a"])
    let listener: PostgresListener
    var events: AsyncStream<PostgresListener.Event>.Iterator
    (listener, events) = try await listen(place)
    try await allow(false, in: place)
    #expect(try await tool.cancel(note.id) == .stopping)
    // What ends before may take its time, and it is told again meanwhile.
    try await tool.close {
      try await allow(true, in: place)
      await eventually { !tool.isTelling }
    }
    try await place.query("SELECT pg_notify('@.wake', 'later')")
    guard case .heard(let first) = await events.next() else {
      Issue.record("nothing was heard")
      return
    }
    #expect(first.payload.isEmpty)
    listener.stop()
    await busy.close()
  }
}
