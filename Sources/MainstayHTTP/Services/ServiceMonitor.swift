// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Logging
public import Mainstay

/// Watches the calls of one client of a service: how it stands with the connection, what failed
/// last, and what may be done about it.
///
/// ```swift
/// let books = ServiceMonitor("books", of: client)
/// let tip = try await books.run("Read the book") { try await $0.get("/books/1", as: Book.self) }
/// ```
///
/// It belongs to one connection: what another client does says nothing about it. Each failure is
/// recorded once, told to the team, and thrown on; a cancellation is none. <doc:WatchingServices>
/// has the states.
public final class ServiceMonitor<Client: Sendable>: Sendable {
  /// One call that failed.
  public struct Failure: Sendable {
    /// The error.
    public let error: AppError
    /// When it was recorded.
    public let date: Date
    /// What was being done.
    public let operation: String
  }

  /// The name of the service, for logs and diagnostics.
  public let name: String
  /// The client.
  public let client: Client

  struct State {
    var machine: ServiceStatusStateMachine
    var failures: RecentRing<Failure>
    var last: AppError?
    /// What rings when it has reconnected for too long.
    var alarm: (due: Duration, ticket: AlarmTicket)?
  }

  let state: Locked<State>
  let timeline: Timeline
  let audience = Audience<ConnectionStatus>()
  private let advice: @Sendable (AppError) -> LocalizableText?
  private let monitor: ErrorMonitor?
  private let logger: Logger?
  private let date: @Sendable () -> Date

  /// Makes a monitor of a client.
  ///
  /// - Parameters:
  ///   - name: The name of the service, for logs and diagnostics.
  ///   - client: The client.
  ///   - status: How it stands before the first call; by default `disconnected`.
  ///   - maximumHistory: How many failures are kept; 1 or more, 100 by default.
  ///   - maximumSlowCalls: How many calls in a row may be too slow before the connection counts as
  ///     failed; 1 or more, 3 by default.
  ///   - maximumReconnecting: How long it may count as reconnecting; more than zero, by default a
  ///     minute.
  ///   - advice: What to do about an error, such as by its code; where it says nothing, the error
  ///     itself does.
  ///   - monitor: Who tells the team; nil, the default, for nobody.
  ///   - logger: Where failures are written; nil, the default, for nowhere.
  ///   - clock: The clock; the default is the continuous one.
  ///   - date: The time of day, for the history.
  public init(
    _ name: String, of client: Client, initially status: ConnectionStatus = .disconnected,
    maximumHistory: Int = 100, maximumSlowCalls: Int = 3,
    maximumReconnecting: Duration = .seconds(60),
    advice: @escaping @Sendable (AppError) -> LocalizableText? = { _ in nil },
    reportingTo monitor: ErrorMonitor? = nil, logger: Logger? = nil,
    clock: some Clock<Duration> = ContinuousClock(),
    date: @escaping @Sendable () -> Date = { Date() }
  ) {
    precondition(maximumHistory >= 1, "maximumHistory: \(maximumHistory) must be 1 or more")
    precondition(maximumSlowCalls >= 1, "maximumSlowCalls: \(maximumSlowCalls) must be 1 or more")
    precondition(
      maximumReconnecting > .zero,
      "maximumReconnecting: \(maximumReconnecting) must be more than zero")
    self.name = name
    self.client = client
    self.advice = advice
    self.monitor = monitor
    self.logger = logger
    self.date = date
    timeline = Timeline(clock)
    let limits = ServiceStatusStateMachine.Limits(
      slowCalls: maximumSlowCalls, reconnecting: maximumReconnecting)
    state = Locked(
      State(
        machine: ServiceStatusStateMachine(limits, initially: status),
        failures: RecentRing(capacity: maximumHistory)))
    if status == .reconnecting { adopt(status, isAnswered: false) }
  }

  deinit {
    if let alarm = state.withLock({ $0.alarm }) { timeline.alarms.remove(alarm.ticket) }
  }

  /// How it stands with the connection.
  public var status: ConnectionStatus {
    let now = timeline.now
    return state.withLock { $0.machine.status(now: now) }
  }

  /// How it stands, and how it changes; the newest one, for as long as somebody asks.
  public var statuses: AsyncStream<ConnectionStatus> { audience.listen(first: reading) }

  /// The last error; nil after a call that succeeded, and after ``clear()``.
  public var lastError: AppError? { state.withLock { $0.last } }

  /// The last failures, the newest first.
  public var history: [Failure] { state.withLock { $0.failures.newestFirst } }

  /// Forgets the failures and the last error; the status stays as it is.
  public func clear() {
    state.withLock { state in
      state.failures.removeAll()
      state.last = nil
    }
  }

  /// What a person may do about an error, in one sentence and in their language.
  ///
  /// - Parameter error: The error.
  /// - Returns: What the advice of this service says, or the error's own suggestion, or where to
  ///   read about it, or to try again.
  public func suggestion(for error: AppError) -> LocalizableText { advice(error) ?? error.advice }

  /// Calls the service: a success repairs the status, and a failure is recorded once and thrown.
  ///
  /// - Parameters:
  ///   - operation: What is being done, such as "Read the tip": one of few names, without values.
  ///   - retry: What repeats it; nil, the default, where the client has policies of its own.
  ///   - body: Calls the client.
  /// - Returns: What the call returned.
  /// - Throws: `AppError`, a cancellation included, which is not recorded.
  public func run<T>(
    _ operation: String, retry: Retry? = nil, _ body: (Client) async throws -> T
  ) async throws(AppError) -> T {
    let connection = state.withLock { $0.machine.connection }
    do {
      let value = try await ServiceRun.$monitor.withValue(ObjectIdentifier(self)) { () -> T in
        guard let retry else { return try await body(client) }
        return try await retry.run { try await body(client) }
      }
      succeeded(connection)
      return value
    } catch {
      let error = ErrorMapping.current.map(error)
      record(error, during: operation, connection)
      throw error
    }
  }

  /// Records a failure of a call that was made elsewhere; of any type, cancellations left out.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - operation: What was being done.
  public func record(_ error: any Error, during operation: String) {
    let connection = state.withLock { $0.machine.connection }
    record(ErrorMapping.current.map(error), during: operation, connection)
  }

  /// The client has made another connection: calls that began before no longer count.
  public func reconnected() {
    let now = timeline.now
    change { $0.machine.reconnect(now: now) }
  }

  private func succeeded(_ connection: UInt64) {
    let now = timeline.now
    change { state in
      state.machine.record(.answered, of: connection, now: now)
      state.last = nil
    }
  }

  private func record(_ error: AppError, during operation: String, _ connection: UInt64) {
    let now = timeline.now
    keep(error, during: operation) { $0.record(.init(of: error), of: connection, now: now) }
  }

  /// The client says how it stands, and that a call has succeeded where it has.
  func adopt(_ status: ConnectionStatus, isAnswered: Bool) {
    let now = timeline.now
    change { state in
      state.machine.adopt(status, now: now)
      if isAnswered { state.last = nil }
    }
  }

  /// Keeps a failure together with what it says about the status, and tells of it.
  func keep(
    _ error: AppError, during operation: String, _ mark: (inout ServiceStatusStateMachine) -> Void
  ) {
    guard !error.isCancellation else { return }
    let failure = Failure(error: error, date: date(), operation: operation)
    change { state in
      mark(&state.machine)
      state.failures.insert(failure)
      state.last = error
    }
    monitor?.capture(error, during: operation, category: name)
    logger?.error("\(line(of: failure))")
  }

  /// One line: when, what was being done, what happened, its code, and what may be done.
  private func line(of failure: Failure) -> String {
    let time = failure.date.formatted(.iso8601)
    let error = failure.error
    return "\(time) \(name): \(failure.operation): \(error.message), \(error.code): "
      + suggestion(for: error).description
  }

  private func change(_ body: (inout State) -> Void) {
    let hasChanged = state.withLock { state in
      let before = state.machine.changes
      body(&state)
      wait(&state)
      return state.machine.changes != before
    }
    if hasChanged { audience.tell(reading) }
  }

  /// What reconnects has failed by itself after a while.
  private func wait(_ state: inout State) {
    let due = state.machine.due
    guard state.alarm?.due != due else { return }
    if let alarm = state.alarm { timeline.alarms.remove(alarm.ticket) }
    state.alarm = due.map { due in
      (due, timeline.alarms.add(due: due, target: ServiceAlarm { [weak self] in self?.expire() }))
    }
  }

  private func expire() {
    let now = timeline.now
    change { $0.machine.expire(now: now) }
    // Also where whoever began to watch meanwhile has seen it before.
    audience.tell(reading)
  }

  private var reading: Audience<ConnectionStatus>.Reading {
    { [self] in
      let now = timeline.now
      return state.withLock { state in
        state.machine.expire(now: now)
        return (state.machine.status(now: now), state.machine.changes)
      }
    }
  }
}

/// Tells a monitor that it has waited long enough; it keeps none alive.
private final class ServiceAlarm: AlarmTarget {
  private let expire: @Sendable () -> Void

  init(_ expire: @escaping @Sendable () -> Void) { self.expire = expire }

  func ring() { expire() }
}
