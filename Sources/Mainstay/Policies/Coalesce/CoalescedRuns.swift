// SPDX-License-Identifier: Apache-2.0

/// The shared runs that the current task is inside of.
struct CoalescedRuns: Sendable {
  static let local = TaskLocal<CoalescedRuns>(wrappedValue: CoalescedRuns())

  static var current: CoalescedRuns { local.get() }

  /// What runs wait for, over all places of the process: a circle may go over several of them.
  ///
  /// Only callers that are inside of a run come here. It may be locked inside of the lock of a
  /// place, and never the other way round.
  private static let waits = Locked(CoalescedWaits())

  private var runs: Set<CoalescedWaits.Run> = []

  func with(_ flight: UInt64, of place: AnyObject) -> CoalescedRuns {
    var copy = self
    copy.runs.insert(.init(place: ObjectIdentifier(place), number: flight))
    return copy
  }

  /// A caller inside of these runs is about to wait for a run.
  ///
  /// - Returns: Whether it may; it must not where it would wait for itself.
  func beginWait(of caller: UInt64, for flight: UInt64, at place: AnyObject) -> Bool {
    if runs.isEmpty { return true }
    let place = ObjectIdentifier(place)
    return Self.waits.withLock {
      $0.begin(
        .init(place: place, number: caller), inside: runs,
        for: .init(place: place, number: flight))
    }
  }

  /// A caller inside of these runs does not wait any more, if it ever did.
  func endWait(of caller: UInt64, at place: AnyObject) {
    if runs.isEmpty { return }
    Self.waits.withLock { $0.end(.init(place: ObjectIdentifier(place), number: caller)) }
  }
}
