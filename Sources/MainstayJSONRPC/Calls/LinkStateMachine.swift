// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// When the connection of a client is opened, and opened again.
///
/// There is one connection at a time, and each has a number; what comes from an older one changes
/// nothing.
struct LinkStateMachine: Sendable {
  enum State: Sendable, Equatable {
    /// Nobody needs a connection yet, or waiting for one does not help.
    case idle
    case opening(Int)
    case restoring(Int)
    case up(Int)
    case pausing(until: Duration)
    case closed
  }

  /// What has to be done.
  enum Effect: Sendable, Equatable {
    case open(Int)
    case restore(Int)
    case drop(Int)
    case wait(until: Duration)
    /// Nobody gets a connection for now: the server asked to wait.
    case refuse
  }

  private(set) var state = State.idle
  /// How many attempts failed since a connection was last of use.
  private(set) var failures = 0
  private var number = 0
  private var lastPause: Duration?
  /// Whether the server itself asked for the pause.
  private var isPauseAsked = false
  /// The longest pause that a server gets: calls that wait cannot end it earlier.
  private static let longestHint = Duration.seconds(300)
  private let backoff: Backoff
  private let hasRestore: Bool

  init(backoff: Backoff, hasRestore: Bool) {
    self.backoff = backoff
    self.hasRestore = hasRestore
  }

  /// How it is shown to a person.
  var status: ConnectionStatus {
    switch state {
    case .idle: failures > 0 ? .failed : .disconnected
    case .closed: .disconnected
    case .up: .connected
    // One attempt to come back is given a chance.
    case .opening, .restoring, .pausing: failures > 1 ? .failed : .reconnecting
    }
  }

  /// Somebody needs a connection.
  ///
  /// - Parameter isUrgent: Whether they would rather fail than wait for the end of a pause. Then a
  ///   connection is opened at once, and where the server asked for the pause they are refused.
  /// - Returns: What to do.
  mutating func demand(isUrgent: Bool = false) -> Effect? {
    switch state {
    case .idle: open()
    case .pausing where isUrgent: isPauseAsked ? .refuse : open()
    case .pausing, .opening, .restoring, .up, .closed: nil
    }
  }

  /// A connection is open.
  mutating func opened(_ connection: Int) -> Effect? {
    guard state == .opening(connection) else { return .drop(connection) }
    guard hasRestore else {
      state = .up(connection)
      return nil
    }
    state = .restoring(connection)
    return .restore(connection)
  }

  /// A connection is where the one before it was.
  ///
  /// - Returns: Whether that counts.
  mutating func restored(_ connection: Int) -> Bool {
    guard state == .restoring(connection) else { return false }
    state = .up(connection)
    return true
  }

  /// Something arrived over a connection that is up: it is of use.
  mutating func proved(_ connection: Int) {
    guard state == .up(connection) else { return }
    failures = 0
    lastPause = nil
  }

  /// A connection ended, or could not be made.
  ///
  /// One that was open says nothing about the next one, whatever ended it.
  ///
  /// - Parameters:
  ///   - connection: Its number.
  ///   - isHopeless: Whether another attempt to open one would end in the same way.
  ///   - hint: How long the server asked to wait, cut to 5 minutes; nil where it did not.
  ///   - now: The reading of the clock.
  ///   - fraction: A random number in `0..<1`.
  /// - Returns: What to do, which is nothing where no other attempt is made, and whether the end
  ///   counts.
  mutating func ended(
    _ connection: Int, isHopeless: Bool, hint: Duration? = nil, now: Duration, fraction: Double
  ) -> (effect: Effect?, counts: Bool) {
    switch state {
    case .opening(connection), .restoring(connection), .up(connection): break
    default: return (nil, false)
    }
    failures += 1
    if isHopeless, state == .opening(connection) {
      state = .idle
      return (nil, true)
    }
    let pause = backoff.delay(attempt: failures, previous: lastPause, fraction: fraction)
    lastPause = pause
    isPauseAsked = hint.map { $0 > .zero } ?? false
    let until = now + max(pause, min(hint ?? .zero, Self.longestHint))
    state = .pausing(until: until)
    return (.wait(until: until), true)
  }

  /// The time to try again may have come.
  mutating func wake(now: Duration) -> Effect? {
    guard case .pausing(let until) = state, now >= until else { return nil }
    return open()
  }

  /// Nothing is opened any more.
  mutating func close() -> Effect? {
    defer { state = .closed }
    switch state {
    case .opening(let connection), .restoring(let connection), .up(let connection):
      return .drop(connection)
    case .idle, .pausing, .closed: return nil
    }
  }

  /// The connection that there is, or is being made; nil where there is none.
  var current: Int? {
    switch state {
    case .opening(let connection), .restoring(let connection), .up(let connection): connection
    case .idle, .pausing, .closed: nil
    }
  }

  private mutating func open() -> Effect {
    number += 1
    state = .opening(number)
    return .open(number)
  }
}
