// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The settings of a time limit, which those who stand in pipelines share with the one that was
/// made, so that all of them follow a change.
final class LimitTerms: Sendable {
  // A word of its own, since it is read by each call. In `Int64` a year fits, also where `Int` is
  // small.
  private let nanoseconds: Atomic<Int64>
  private let kept: Locked<Disposition>
  // Read by each call as well.
  private let isUnknown: Atomic<Bool>
  private let isChanged = Atomic(false)
  // What holds where settings leave it open.
  private let isUnknownByItself: Atomic<Bool>

  /// Makes settings that were checked.
  init(_ duration: Duration, _ disposition: Disposition) {
    nanoseconds = Atomic(duration.wholeNanoseconds)
    kept = Locked(disposition)
    isUnknown = Atomic(disposition == .unknownOutcome)
    isUnknownByItself = Atomic(disposition == .unknownOutcome)
  }

  /// How long the limit is, from the next call on.
  var duration: Duration { .nanoseconds(nanoseconds.load(ordering: .relaxed)) }

  /// What may be done once it has passed.
  var disposition: Disposition { kept.withLock { $0 } }

  /// Whether a call that it ends may have had its effect.
  var leavesOutcomeUnknown: Bool { isUnknown.load(ordering: .relaxed) }

  /// Whether they are others than those it was made with, so that one made anew would differ.
  var wereChanged: Bool { isChanged.load(ordering: .relaxed) }

  /// Says what holds where settings leave it open; for one that was made from settings, which may
  /// have said another thing.
  func decideByItself(isUnknown: Bool) {
    isUnknownByItself.store(isUnknown, ordering: .relaxed)
  }

  /// Goes on with settings that were checked.
  func update(_ configuration: Timeout.Configuration) {
    let isUnknown = configuration.leavesOutcomeUnknown ?? isUnknownByItself.load(ordering: .relaxed)
    kept.withLock { kept in
      // What a limit in code says of its outcome holds, unless the settings say another thing.
      if isUnknown != (kept == .unknownOutcome) {
        kept = isUnknown ? .unknownOutcome : .transient()
      }
      let length = configuration.limit.wholeNanoseconds
      if length != nanoseconds.load(ordering: .relaxed)
        || isUnknown != leavesOutcomeUnknown
      {
        isChanged.store(true, ordering: .relaxed)
      }
      self.isUnknown.store(isUnknown, ordering: .relaxed)
      nanoseconds.store(length, ordering: .relaxed)
    }
  }
}

extension Duration {
  /// The duration in nanoseconds, at least one and at most a year's.
  fileprivate var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = clamped.components
    let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return max(1, seconds * 1_000_000_000 + whole + (rest > 0 ? 1 : 0))
  }
}
