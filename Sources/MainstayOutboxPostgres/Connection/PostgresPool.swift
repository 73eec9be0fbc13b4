// SPDX-License-Identifier: Apache-2.0

package import Mainstay

/// A few connections that many callers share; whoever came first is served first.
///
/// Connections are opened when they are needed. Where the server is away, one attempt at a time is
/// made for all who wait, with growing pauses.
package final class PostgresPool: Sendable {
  /// How large a pool is, and what its connections are like.
  package struct Options: Sendable {
    /// How many connections there are at most; 1 or more, the default is 4.
    package var size: Int
    /// How long a caller waits for one; the default is 5 seconds.
    ///
    /// Twice as long while it is not known yet whether the server can be reached.
    package var wait: Duration
    /// How many callers may wait; the default is 10,000.
    package var lineLength: Int
    /// The pauses between attempts to open a connection; by default up to 2 seconds.
    package var backoff: Backoff
    package var connection: PostgresConnection.Settings

    package init(
      size: Int = 4, wait: Duration = .seconds(5), lineLength: Int = 10_000,
      backoff: Backoff? = nil,
      connection: PostgresConnection.Settings = PostgresConnection.Settings()
    ) {
      self.size = max(1, size)
      self.wait = wait
      self.lineLength = max(0, lineLength)
      self.backoff = backoff ?? PoolStateMachine.Settings.usualPauses
      self.connection = connection
    }
  }

  typealias Caller = Reply<Result<PostgresConnection, PostgresError>>

  private struct Guarded {
    var machine: PoolStateMachine
    var connections: [Int: PostgresConnection] = [:]
    var callers: [UInt64: Caller] = [:]
    /// How often it was tried to open a connection.
    var attempts = 0
    var alarm: (due: Duration, ticket: AlarmTicket)?
  }

  let options: Options
  private let address: PostgresAddress
  let timeline: Timeline
  let chance: Chance
  private let guarded: Locked<Guarded>

  /// Makes a pool, and opens nothing yet.
  ///
  /// - Parameters:
  ///   - address: Where the server is.
  ///   - options: How large it is.
  ///   - clock: The clock of the waiting line and of the pauses.
  ///   - seed: For the pauses; nil for a random one.
  package init(
    _ address: PostgresAddress, options: Options = Options(),
    clock: some Clock<Duration> = ContinuousClock(), seed: UInt64? = nil
  ) {
    self.address = address
    self.options = options
    timeline = Timeline(clock)
    chance = Chance(seed: seed)
    let settings = PoolStateMachine.Settings(
      size: options.size, lineLength: options.lineLength, wait: options.wait,
      backoff: options.backoff)
    guarded = Locked(Guarded(machine: PoolStateMachine(settings)))
  }

  deinit { guarded.withLock { $0.connections }.values.forEach { $0.close() } }

  /// How often it was tried to open a connection.
  package var attempts: Int { guarded.withLock { $0.attempts } }

  /// How many callers wait.
  package var waiting: Int { guarded.withLock { $0.machine.waiters.count } }

  /// How many connections are open.
  package var open: Int { guarded.withLock { $0.connections.count } }

  /// Runs a body with a connection that nobody else uses meanwhile.
  ///
  /// Each of its statements is a transaction of its own.
  ///
  /// - Returns: What the body returned.
  /// - Throws: What the body threw; ``PostgresError`` where there is no connection.
  package func read<T: Sendable>(
    _ body: @Sendable (PostgresConnection) async throws -> T
  ) async throws -> T {
    let (number, connection) = try await take()
    defer { giveBack(number, connection) }
    return try await body(connection)
  }

  /// Ends all connections that nobody uses, and the others when they come back.
  package func close() async {
    perform(guarded.withLock { $0.machine.close() })
  }
}

// Taking and giving back.
extension PostgresPool {
  func take() async throws(PostgresError) -> (Int, PostgresConnection) {
    while true {
      if Task.isCancelled { throw .cancelled }
      let now = timeline.now
      let (answer, caller, connection) = guarded.withLock { guarded in
        let answer = guarded.machine.ask(now: now)
        switch answer {
        case .taken(let number): return (answer, Caller?.none, guarded.connections[number])
        case .refused: return (answer, nil, nil)
        case .waits(let id):
          let caller = Caller()
          guarded.callers[id] = caller
          return (answer, caller, nil)
        }
      }
      switch answer {
      case .refused(let error): throw error
      case .taken(let number):
        guard let connection else { continue }
        // It may have died while nobody used it.
        if connection.isOpen { return (number, connection) }
        giveBack(number, connection)
      case .waits(let id):
        guard let caller else { continue }
        advance()
        let result = await withTaskCancellationHandler {
          await caller.value()
        } onCancel: {
          self.leave(id)
        }
        let connection = try result.get()
        guard let number = number(of: connection) else { continue }
        guard !Task.isCancelled else {
          giveBack(number, connection)
          throw .cancelled
        }
        if connection.isOpen { return (number, connection) }
        giveBack(number, connection)
      }
    }
  }

  func giveBack(_ number: Int, _ connection: PostgresConnection) {
    let (isReusable, refusal) = (connection.isReusable, connection.refusal)
    let (now, fraction) = (timeline.now, refusal == nil ? 0 : chance.fraction())
    let actions = guarded.withLock { guarded in
      guard let refusal else {
        return guarded.machine.giveBack(number, isReusable: isReusable, now: now)
      }
      return guarded.machine.giveBack(number, refusedWith: refusal, now: now, fraction: fraction)
    }
    perform(actions)
  }

  private func number(of connection: PostgresConnection) -> Int? {
    guarded.withLock { $0.connections.first { $0.value === connection }?.key }
  }

  private func leave(_ id: UInt64) {
    let caller = guarded.withLock { guarded in
      guarded.machine.leave(id) ? guarded.callers.removeValue(forKey: id) : nil
    }
    caller?.give(.failure(.cancelled))
  }

  private func advance() {
    let now = timeline.now
    perform(guarded.withLock { $0.machine.advance(now: now) })
  }

  /// Does what the machine decided, outside of the lock.
  private func perform(_ actions: PoolStateMachine.Actions) {
    typealias Granted = (Caller, PostgresConnection)
    let (granted, failed, closed) = guarded.withLock {
      guarded -> ([Granted], [(Caller, PostgresError)], [PostgresConnection]) in
      guarded.attempts += actions.opens
      let granted = actions.granted.compactMap { id, number -> Granted? in
        guard let caller = guarded.callers.removeValue(forKey: id),
          let connection = guarded.connections[number]
        else { return nil }
        return (caller, connection)
      }
      let failed = actions.failed.compactMap { id, error in
        guarded.callers.removeValue(forKey: id).map { ($0, error) }
      }
      return (
        granted, failed, actions.closes.compactMap { guarded.connections.removeValue(forKey: $0) }
      )
    }
    for connection in closed { connection.close() }
    for (caller, error) in failed { caller.give(.failure(error)) }
    for (caller, connection) in granted { caller.give(.success(connection)) }
    for _ in 0..<actions.opens { openOne() }
    setAlarm()
  }

  private func openOne() {
    let (address, settings) = (address, options.connection)
    Task.detached { [weak self] in
      do throws(PostgresError) {
        let connection = try await PostgresConnection.open(address, settings: settings)
        self?.opened(connection)
      } catch {
        self?.openFailed(error)
      }
    }
  }

  private func opened(_ connection: PostgresConnection) {
    let now = timeline.now
    let actions = guarded.withLock { guarded in
      let (number, actions) = guarded.machine.opened(now: now)
      guarded.connections[number] = connection
      return actions
    }
    perform(actions)
  }

  private func openFailed(_ error: PostgresError) {
    let (now, fraction) = (timeline.now, chance.fraction())
    perform(
      guarded.withLock { $0.machine.openFailed(error, now: now, fraction: fraction) })
  }
}

// The alarm: who has waited long enough, and when the next attempt is due.
extension PostgresPool: AlarmTarget {
  package func ring() {
    guarded.withLock { $0.alarm = nil }
    advance()
  }

  /// Sees to it that the alarm is right, also where other threads change what it depends on.
  private func setAlarm() {
    while true {
      let (isRight, old, due) = guarded.withLock { guarded -> (Bool, AlarmTicket?, Duration?) in
        let due = guarded.machine.due
        guard guarded.alarm?.due != due else { return (true, nil, nil) }
        defer { guarded.alarm = nil }
        return (false, guarded.alarm?.ticket, due)
      }
      if let old { timeline.alarms.remove(old) }
      guard !isRight, let due else { return }
      let ticket = timeline.alarms.add(due: due, target: self)
      let isSpare = guarded.withLock { guarded in
        guard guarded.alarm == nil else { return true }
        guarded.alarm = (due, ticket)
        return false
      }
      // Somebody else was faster; whether that alarm is the right one is seen next.
      if isSpare { timeline.alarms.remove(ticket) }
    }
  }
}
