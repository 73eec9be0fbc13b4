// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Until when a session is to be opened: each address of each host has a time of its own.
struct OpeningLimit: Sendable {
  private let time: Duration
  private var place: String?
  private var deadline: ContinuousClock.Instant?

  /// - Parameter time: What an address has until the system gives it up and libpq tries the next
  ///   one; this side waits a little longer, so that it does not give up all of them before.
  init(_ time: Duration) { self.time = time.clamped + .seconds(1) }

  /// When it is too late, while an address is tried.
  mutating func deadline(
    at place: String, now: ContinuousClock.Instant
  ) -> ContinuousClock.Instant {
    if let deadline, place == self.place { return deadline }
    let deadline = now + time
    (self.place, self.deadline) = (place, deadline)
    return deadline
  }
}
