// SPDX-License-Identifier: Apache-2.0

/// When the next request may be sent, by what the service has said: a value without clock or task.
///
/// Two things hold all requests back, whoever sends them: a time to be left alone, and the limit
/// that the service announces. Times are readings of one clock.
package struct PaceStateMachine: Sendable, Equatable {
  package enum Admission: Sendable, Equatable {
    /// At this time; a time that has come means at once. The place is taken until it is given back.
    case admitted(at: Duration)
    /// Not within what the caller would wait; nothing was taken.
    case refused(retryAfter: Duration)
  }

  /// How many windows an announcement counts for when it is not repeated.
  private static let memory = 2

  /// Until when the service wants to be left alone.
  private var heldUntil: Duration?
  private var limit: RateLimitPolicy?
  private var announced = Duration.zero
  /// The first time that nobody has taken, as long as there is a limit.
  private var next: Duration?

  package init() {}

  /// Asks for a place.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - patience: How long the caller would wait.
  /// - Returns: When it may send, or when to ask again.
  package mutating func admit(now: Duration, patience: Duration) -> Admission {
    forget(now)
    var time = max(now, heldUntil ?? now)
    if limit != nil { time = max(time, next ?? time) }
    guard time - now <= patience else { return .refused(retryAfter: time - now) }
    if let limit { next = time + limit.interval }
    return .admitted(at: time)
  }

  /// A caller does not use its place: the last one is free again, others are lost.
  package mutating func giveBack(_ time: Duration) {
    if let limit, next == time + limit.interval { next = time }
  }

  /// The service has answered.
  ///
  /// - Parameters:
  ///   - limit: The limit that the answer announces.
  ///   - hold: How long it asks to be left alone.
  ///   - now: The time.
  package mutating func heard(limit: RateLimitPolicy?, hold: Duration?, now: Duration) {
    forget(now)
    if let hold { heldUntil = max(heldUntil ?? now, now + hold) }
    guard let limit else { return }
    // What was sent before it was known counts too: the answer has just come.
    if self.limit == nil { next = now + limit.interval }
    self.limit = limit
    announced = now
  }

  /// Forgets what is over.
  ///
  /// While nothing may be sent nothing is announced, so that time does not count.
  private mutating func forget(_ now: Duration) {
    if let limit, now > max(announced, heldUntil ?? announced) + limit.window * Self.memory {
      self.limit = nil
      next = nil
    }
    if let held = heldUntil, held <= now, limit == nil { heldUntil = nil }
  }
}
