// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// When a drainer looks for what is due, as a value.
///
/// A look is a call of the store. While all places are taken it can change nothing, so ends and
/// enqueues alone ask for none then:
///
/// | Event | Looks |
/// |---|---|
/// | opened; a look failed; somebody may have set a time | before the next claim |
/// | the time has come that the last look told | before the next claim |
/// | an end was recorded, or work without a time enqueued, and a claim found all | at once |
/// | the same, and the last claim may have left something | a second after the last look |
/// | the last look was a second ago | before the next claim |
package struct PromotionStateMachine: Sendable, Equatable {
  /// What a drainer is woken for.
  package enum News: Sendable, Comparable, CaseIterable {
    /// There may be more to begin. A time is set along with that in some cases only, such as that
    /// of a follower which was enqueued with a delay.
    case work
    /// A time may have been set, or may count no more.
    case times
  }

  /// After what time a drainer that is woken looks in any case: the time of day may have been set.
  package static let longest = Duration.seconds(1)

  /// When something is due, as far as the last look knows; nil where nothing is.
  package private(set) var due: Duration?
  private var last: Duration?
  private var mustLook = true
  /// Whether something has happened since the last look that sets a time in some cases.
  private var mayHaveTimes = false
  /// Whether the last claim found less than there were places for.
  package private(set) var isShort = true

  package init() {}

  /// Something has happened.
  package mutating func heard(_ news: News) {
    switch news {
    case .work: mayHaveTimes = true
    case .times: mustLook = true
    }
  }

  /// When the next look is; nil for none before something happens.
  package var nextLook: Duration? {
    guard mayHaveTimes, let last else { return due }
    let look = last + Self.longest
    return due.map { min($0, look) } ?? look
  }

  /// Whether the store is asked what is due, before something is claimed at this moment.
  package func looks(at now: Duration) -> Bool {
    guard !mustLook, !mustLookAgain, let last else { return true }
    return now - last >= Self.longest || due.map { now >= $0 } ?? false
  }

  /// The store is asked; what happens from now on may be unknown to its answer.
  package mutating func asks(at now: Duration) {
    (mustLook, mayHaveTimes) = (false, false)
    last = now
  }

  /// The store has answered in which time from the question on something else is due.
  package mutating func found(_ wait: Duration?) {
    due = last.flatMap { last in wait.map { last + $0.clamped } }
  }

  /// The store could not answer.
  package mutating func failed() { mustLook = true }

  /// So many were claimed, of as many as there were places for.
  package mutating func claimed(_ count: Int, of places: Int) { isShort = count < places }

  /// Whether a claim has shown that there are places for what may have a time: nothing rests before
  /// that is known.
  package var mustLookAgain: Bool { mayHaveTimes && isShort }
}
