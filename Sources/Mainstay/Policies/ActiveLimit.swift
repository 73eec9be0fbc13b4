// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A time limit that is running: what everything inside it can ask for the time that is left.
@usableFromInline
final class ActiveLimit: Sendable {
  /// The innermost limit around the current task; its run may be over where the task outlives it.
  @usableFromInline
  static let local = TaskLocal<ActiveLimit?>(wrappedValue: nil)

  /// The innermost limit around the current task whose run goes on.
  static var current: ActiveLimit? { local.get()?.goingOn }

  /// Whether a time limit has ended what the current task is at: its caller has not given up.
  static var hasEndedCurrentTask: Bool { current?.hasExpired == true }

  /// The limit that ends first, among the one that began here and those around it on its clock.
  let limit: TimeLimit
  /// The reading of its clock at which it ends, or was to end where that moves.
  private let firstEnd: Duration
  /// What moves its end; nil for one that stays.
  let patience: Patience?
  /// How long the limit was when it began; its settings may have changed since.
  private let length: Duration
  fileprivate let parent: ActiveLimit?
  /// Whether a limit around this one is counted by another clock.
  private let hasOtherClocks: Bool
  /// Whether those directly inside keep the limit by themselves; see ``HeededLimit``.
  let isHeeded: Bool
  /// Whether what it ends may have had its effect.
  ///
  /// It is as one of those limits says that the operation stood under, whichever of them passed.
  private let leavesOutcomeUnknown: Atomic<Bool>

  /// Whether what ran under it has ended: a task that was begun there and goes on is not under it.
  private let isOver = Atomic<Bool>(false)

  /// How far the work has come.
  ///
  /// One of the values of `Progress`, or the bits of the continuation of whoever waits: one word,
  /// so that work that does not suspend costs one exchange.
  private let progress = Atomic<UInt>(Progress.running)

  /// Which of all limits that have passed it is, in the order in which they did; zero before that.
  private let expiry = Atomic<UInt64>(0)

  private static let expiries = Atomic<UInt64>(0)

  /// How many limits have passed in this process: what a call notes when it begins, by one load.
  static var expiryCount: UInt64 { expiries.load(ordering: .relaxed) }

  private enum Progress {
    static let running: UInt = 0
    static let expired: UInt = 1
    static let finished: UInt = 2
    static let left: UInt = 3
    /// A continuation is the address of an object, so it is none of those above.
    static func isOver(_ value: UInt) -> Bool { (expired...left).contains(value) }
  }

  /// Begins a limit inside another one.
  ///
  /// - Parameters:
  ///   - own: The limit that begins.
  ///   - now: The reading of its clock.
  ///   - parent: The innermost limit around the current task.
  ///   - isHeeded: Whether those directly inside keep it by themselves.
  ///   - silence: How long nothing may move after something has; nil where the limit stays.
  ///   - leavesOutcomeUnknown: Whether it, or a limit that it is run for as well, says that a call
  ///     may have had its effect.
  init(
    _ own: TimeLimit, now: Duration, inside parent: ActiveLimit?, isHeeded: Bool = false,
    silence: Duration? = nil, leavesOutcomeUnknown: Bool
  ) {
    self.parent = parent
    self.isHeeded = isHeeded
    let ownLength = own.duration
    let ownEnd = now + ownLength
    func patience(_ bound: Duration?) -> Patience? {
      silence.map { Patience(ownLength, silence: $0, now: now, bound: bound, by: own.timeline) }
    }
    guard let parent else {
      (limit, firstEnd, length, hasOtherClocks) = (own, ownEnd, ownLength, false)
      self.patience = patience(nil)
      self.leavesOutcomeUnknown = Atomic(leavesOutcomeUnknown)
      return
    }
    hasOtherClocks = parent.hasOtherClocks || !parent.limit.timeline.isComparable(to: own.timeline)
    let outer = parent.nearest(on: own.timeline)
    if let outer, outer.firstEnd < ownEnd {
      (limit, firstEnd, length) = (outer.limit, outer.firstEnd, outer.length)
      self.patience = nil
      let isUnknownOutside = outer.leavesOutcomeUnknown.load(ordering: .relaxed)
      self.leavesOutcomeUnknown = Atomic(leavesOutcomeUnknown || isUnknownOutside)
    } else {
      (limit, firstEnd, length) = (own, ownEnd, ownLength)
      self.patience = patience(outer?.firstEnd)
      self.leavesOutcomeUnknown = Atomic(leavesOutcomeUnknown)
    }
  }

  /// Begins a part of what a limit is for, which ends when the whole does.
  @usableFromInline
  init(partOf whole: ActiveLimit) {
    (limit, firstEnd, length) = (whole.limit, whole.end, whole.length)
    (parent, hasOtherClocks, isHeeded) = (whole, whole.hasOtherClocks, false)
    patience = nil
    leavesOutcomeUnknown = Atomic(whole.leavesOutcomeUnknown.load(ordering: .relaxed))
  }

  /// This limit, or the innermost around it whose run goes on where that of this one is over.
  private var goingOn: ActiveLimit? {
    var limit: ActiveLimit? = self
    while let active = limit, active.isOver.load(ordering: .acquiring) { limit = active.parent }
    return limit
  }

  /// The innermost limit around this one whose run goes on.
  ///
  /// What has ended the work is asked of all of them: an operation that was abandoned is cancelled
  /// by limits whose runs have returned before it.
  private var around: ActiveLimit? { parent?.goingOn }

  /// What ran under it has ended.
  @usableFromInline
  func close() { isOver.store(true, ordering: .releasing) }

  /// The innermost limit on a clock whose end stays, among this one and those around it.
  ///
  /// One whose end moves ends its own child task, and nobody inside of it has to.
  private func nearest(on timeline: Timeline) -> ActiveLimit? {
    patience == nil && limit.timeline.isComparable(to: timeline)
      ? self : around?.nearest(on: timeline)
  }

  /// What moves the end of this limit, or of the innermost around it whose end moves.
  var patienceAround: Patience? { patience ?? around?.patienceAround }

  /// The reading of its clock at which it ends, as far as is known.
  var end: Duration { patience?.end ?? firstEnd }

  /// How much time is left before the first of all limits ends; never negative.
  var remaining: Duration {
    let own = remainingOnItsClock
    guard hasOtherClocks, let around else { return own }
    return min(own, around.remaining)
  }

  /// How much time is left by the clock of this limit; never negative.
  var remainingOnItsClock: Duration { max(.zero, end - limit.timeline.now) }

  /// The error that tells that this limit has passed.
  var error: TimedOut { error(leavingOutcomeUnknown: false) }

  /// The error that tells that this limit has passed.
  ///
  /// - Parameter isUnknown: Whether a limit further in says that the call may have had its effect.
  /// - Returns: The error.
  fileprivate func error(leavingOutcomeUnknown isUnknown: Bool) -> TimedOut {
    let isUnknown = isUnknown || leavesOutcomeUnknown.load(ordering: .acquiring)
    return TimedOut(
      policy: limit.title, scope: limit.scope, limit: patience?.length ?? length,
      disposition: isUnknown ? .unknownOutcome : limit.disposition)
  }

  /// What it was for is ended by a limit around it: that limit then tells what this one says of the
  /// outcome.
  func endedFromOutside() {
    guard leavesOutcomeUnknown.load(ordering: .relaxed), parent?.hasExpired == true else { return }
    var limit = parent
    while let around = limit {
      around.leavesOutcomeUnknown.store(true, ordering: .releasing)
      limit = around.parent
    }
  }

  /// Whether this limit has ended the work inside.
  @usableFromInline
  var hasExpiredItself: Bool { progress.load(ordering: .acquiring) == Progress.expired }

  /// Whether this limit, or one around it, has ended the work inside.
  var hasExpired: Bool { hasExpiredItself || parent?.hasExpired ?? false }

  /// Whether this limit, or one around it, has ended the work inside, and none had done so when
  /// that many limits had passed.
  func hasFirstExpired(after count: UInt64) -> Bool {
    var hasExpired = false
    var limit: ActiveLimit? = self
    while let active = limit {
      if active.hasExpiredItself {
        guard active.expiry.load(ordering: .acquiring) > count else { return false }
        hasExpired = true
      }
      limit = active.parent
    }
    return hasExpired
  }
}

extension TimedOut {
  /// The limit that has ended what the current task is at; nil where none has.
  ///
  /// Whoever is cancelled learns from it that nobody has given up: the time was over.
  package static var ofCurrentTask: TimedOut? {
    var limit = ActiveLimit.current
    var isUnknown = false
    while let active = limit, !active.hasExpiredItself {
      isUnknown = isUnknown || active.error.disposition == .unknownOutcome
      limit = active.parent
    }
    return limit?.error(leavingOutcomeUnknown: isUnknown)
  }
}

extension ActiveLimit: AlarmTarget {
  /// The work is done; whoever waits for it goes on.
  @usableFromInline
  func finish() {
    close()
    end(as: Progress.finished)
  }

  /// The limit has ended, unless the work was done before or nobody waits for it any more.
  @usableFromInline
  package func ring() {
    let number = Self.expiries.add(1, ordering: .acquiringAndReleasing).newValue
    _ = expiry.compareExchange(expected: 0, desired: number, ordering: .acquiringAndReleasing)
    end(as: Progress.expired)
  }

  /// The caller has gone away: a limit that passes while the work unwinds says nothing about it.
  func leave() { end(as: Progress.left) }

  private func end(as ending: UInt) {
    var found = Progress.running
    while true {
      let (isExchanged, original) = progress.compareExchange(
        expected: found, desired: ending, ordering: .acquiringAndReleasing)
      if isExchanged { break }
      if Progress.isOver(original) { return }
      found = original
    }
    guard found != Progress.running else { return }
    unsafeBitCast(found, to: UnsafeContinuation<Void, Never>.self).resume()
  }

  /// Whether the work is still going on inside its limit.
  @usableFromInline
  var isRunning: Bool { !Progress.isOver(progress.load(ordering: .acquiring)) }

  /// Returns when the work is done, the limit has ended or the caller has gone away, on the
  /// caller's actor.
  @usableFromInline
  func waitWithAlarm(isolation: isolated (any Actor)? = #isolation) async {
    if let patience { return await wait(patience, isolation: isolation) }
    let alarm = limit.timeline.alarms.add(due: firstEnd, target: self)
    await withTaskCancellationHandler {
      await wait(isolation: isolation)
    } onCancel: {
      leave()
    }
    limit.timeline.alarms.remove(alarm)
  }

  /// The same for a limit whose end moves.
  private func wait(_ patience: Patience, isolation: isolated (any Actor)?) async {
    let alarm = PatientAlarm(self, patience)
    alarm.set(for: firstEnd)
    await withTaskCancellationHandler {
      await wait(isolation: isolation)
    } onCancel: {
      leave()
    }
    alarm.stop()
  }

  /// One task waits, once: the one that began the work.
  private func wait(isolation: isolated (any Actor)? = #isolation) async {
    await withUnsafeContinuation(isolation: isolation) {
      (continuation: UnsafeContinuation<Void, Never>) in
      let (isWaiting, _) = progress.compareExchange(
        expected: Progress.running, desired: unsafeBitCast(continuation, to: UInt.self),
        ordering: .acquiringAndReleasing)
      if !isWaiting { continuation.resume() }
    }
  }
}
