// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting

/// Keeps the events of an outbox, and lets a test await one.
final class EventLog: OutboxObserver {
  private let state = Box(
    (events: [OutboxEvent](), streams: [AsyncStream<OutboxEvent>.Continuation]()))

  func observe(_ event: OutboxEvent) {
    let streams = state.change { state in
      state.events.append(event)
      return state.streams
    }
    for stream in streams { stream.yield(event) }
  }

  var events: [OutboxEvent] { state.value.events }

  /// Returns as soon as this many events of a name were told, or when the test is cancelled.
  func wait(for name: String, count: Int = 1) async {
    let (stream, continuation) = AsyncStream.makeStream(of: OutboxEvent.self)
    state.change { state in
      for event in state.events { continuation.yield(event) }
      state.streams.append(continuation)
    }
    var seen = 0
    for await event in stream where event.name == name {
      seen += 1
      if seen >= count { return }
    }
  }

  func count(_ name: String) -> Int { events.count { $0.name == name } }
}

extension OutboxEvent {
  /// The name of what happened, without its values.
  var name: String {
    String(describing: what).prefix { $0 != "(" }.description
  }
}

/// A door that workers wait at until a test opens it.
final class Gate: Sendable {
  private let state = Box((isOpen: false, waiters: [CheckedContinuation<Void, Never>]()))

  func pass() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.change { state in
        if !state.isOpen { state.waiters.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiters = state.change { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}

/// An outbox in a folder of its own, with a clock that stands still.
struct Workshop: Sendable {
  let folder: TemporaryFolder
  let clock = ManualClock()
  let log = EventLog()
  let day = TimeOfDay()
  var configuration = Outbox.Configuration()

  init() throws {
    folder = try TemporaryFolder()
    configuration.observer = log
  }

  func open(_ workers: Worker...) async throws -> Outbox {
    try await Outbox(
      at: folder.database, configuration: configuration, clock: clock, now: { day.now }
    ) { workers }
  }

  /// A worker of notes that waits one second after each failure.
  func worker(
    maximumAttempts: Int = 25, afterDeadLetter: Worker.AfterDeadLetter = .holdKey,
    reconcile: (@Sendable (Note, WorkerContext) async throws -> Reconciliation)? = nil,
    _ run: @escaping @Sendable (Note, WorkerContext) async throws -> Void
  ) -> Worker {
    Worker(
      for: Note.self, maximumAttempts: maximumAttempts,
      backoff: .constant(.seconds(1), jitter: .none), afterDeadLetter: afterDeadLetter,
      reconcile: reconcile, run: run)
  }
}

extension AppError {
  /// An error that says nothing but what may be done.
  static func test(_ disposition: Disposition, kind: ErrorKind = .server) -> AppError {
    AppError(
      code: "test.error", kind: kind, disposition: disposition, title: "It failed",
      message: "The test says so.")
  }
}

extension Outbox {
  /// Returns as soon as a snapshot is as a test wants it.
  func wait(until isThere: @Sendable (OutboxSnapshot) -> Bool) async {
    for await snapshot in changes where isThere(snapshot) { return }
  }
}

/// Goes on until somebody cancels it.
func untilCancelled() async throws {
  let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
  for await _ in stream {}
  continuation.finish()
  throw CancellationError()
}
