// SPDX-License-Identifier: Apache-2.0

/// How long an attempt is waited for whose bytes go one part after the other: the pure part of
/// ``Patience``.
///
/// At first it has the time that any attempt has. Once a part has moved, it has that time or a
/// silence from then on, whichever is longer. What is over stays over.
struct PatienceStateMachine: Sendable {
  enum State: Sendable, Equatable {
    /// No part has moved yet, and its time ends at this reading.
    case waiting(until: Duration)
    /// A part has moved, and another one has to before this reading.
    case moving(until: Duration)
    case over
  }

  private(set) var state: State
  /// Whether a part has moved before it was over.
  private(set) var hasMoved = false
  private let silence: Duration
  /// The latest reading that is known: an earlier one means that no time has passed.
  private var latest: Duration

  /// An attempt begins.
  ///
  /// - Parameters:
  ///   - end: When it ends if nothing moves.
  ///   - silence: How long nothing may move after something has.
  ///   - now: The reading.
  init(until end: Duration, silence: Duration, now: Duration) {
    state = .waiting(until: end)
    self.silence = silence
    latest = now
  }

  /// When it ends if nothing moves any more; nil once it is over.
  var end: Duration? {
    switch state {
    case .waiting(let end), .moving(let end): end
    case .over: nil
    }
  }

  /// A part has gone, or has come.
  mutating func moved(now: Duration) {
    guard let end else { return }
    latest = max(latest, now)
    hasMoved = true
    state = .moving(until: max(end, latest + silence))
  }

  /// Its time may have ended.
  ///
  /// - Parameter now: The reading.
  /// - Returns: When to look again; nil where it is over.
  mutating func look(now: Duration) -> Duration? {
    latest = max(latest, now)
    guard let end, end > latest else {
      state = .over
      return nil
    }
    return end
  }
}
