// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayOutboxPostgres

/// Shows the other processes on a database that this one is here, by a lock of a session.
///
/// The lock ends with its session, and so with the server. A session that has ended is opened anew,
/// with growing pauses, until this is closed; who comes in between believes that nobody is here.
final class PostgresPresence: Sendable {
  private struct State {
    /// Until it is watched.
    var connection: PostgresConnection?
    var watch: Task<Void, Never>?
    var isClosed = false
  }

  private static let lock = "hashtext('inventory'), 1"
  private static let backoff = Backoff.exponential(
    from: .milliseconds(100), to: .seconds(10), jitter: .equal)

  private let address: PostgresAddress
  private let state = Locked(State())

  init(_ address: PostgresAddress) { self.address = address }

  deinit { close() }

  /// Calls a body that hears whether nobody else is here; who comes while the first one is at it
  /// waits.
  func begin(_ body: (_ isFirst: Bool) async throws -> Void) async throws {
    let connection = try await Self.open(address)
    let isClosed = state.withLock { state in
      if !state.isClosed { state.connection = connection }
      return state.isClosed
    }
    if isClosed { connection.close() }
    let rows = try await connection.query("SELECT pg_try_advisory_lock(\(Self.lock))")
    let isFirst = try rows.first?.bool(0) == true
    if isFirst { try await body(true) }
    try await Self.show(on: connection)
    watch(connection)
    if isFirst {
      try await connection.query("SELECT pg_advisory_unlock(\(Self.lock))")
    } else {
      try await body(false)
    }
  }

  /// Is here no more.
  func close() {
    let (watch, connection) = state.withLock { state in
      state.isClosed = true
      defer { (state.watch, state.connection) = (nil, nil) }
      return (state.watch, state.connection)
    }
    watch?.cancel()
    connection?.close()
  }

  private func watch(_ connection: PostgresConnection) {
    let watch = Task.detached { [address] in await Self.stay(at: address, after: connection) }
    let isClosed = state.withLock { state in
      if !state.isClosed { (state.watch, state.connection) = (watch, nil) }
      return state.isClosed
    }
    if isClosed { watch.cancel() }
  }

  /// Sees to it that a session has the lock, until the task is cancelled.
  private static func stay(
    at address: PostgresAddress, after connection: PostgresConnection
  ) async {
    let (timeline, chance) = (Timeline.live, Chance())
    var current: PostgresConnection? = connection
    var failures = 0
    while !Task.isCancelled {
      if let session = current {
        // Nothing is told on it, so this ends with the session.
        for await _ in session.notifications {}
        session.close()
        (current, failures) = (nil, 0)
      } else {
        current = await shown(at: address)
      }
      guard current == nil else { continue }
      failures += 1
      let pause = backoff.delay(attempt: failures, fraction: chance.fraction())
      do { try await timeline.sleep(until: timeline.now + pause) } catch { break }
    }
    current?.close()
  }

  /// A session that has the lock; nil where none can be had for now.
  private static func shown(at address: PostgresAddress) async -> PostgresConnection? {
    do {
      let connection = try await open(address)
      try await show(on: connection)
      return connection
      // mainstay:ignore MS202 -- it is tried again soon, and calls say what is wrong
    } catch {
      return nil
    }
  }

  private static func open(_ address: PostgresAddress) async throws -> PostgresConnection {
    try await PostgresConnection.open(
      address, settings: .init(statement: .seconds(120), lock: .seconds(60)))
  }

  private static func show(on connection: PostgresConnection) async throws {
    try await connection.query("SELECT pg_advisory_lock_shared(\(lock))")
  }
}
