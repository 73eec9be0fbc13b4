// SPDX-License-Identifier: Apache-2.0

/// Tells how each call of a pipeline ended and how long it took.
///
/// Where nobody listens it costs one load: no clock is read and nothing is made.
@usableFromInline
final class CallReports: Sendable {
  private let name: String
  private let timeline: Timeline
  private let audience: PolicyAudience

  init(name: String, clock: some Clock<Duration>, observer: (any PolicyObserver)?) {
    self.name = name
    timeline = Timeline(clock)
    audience = PolicyAudience(own: observer)
  }

  /// Whether the clock is another one than that of the system, such as in a test.
  var hasOtherClock: Bool { !timeline.isLive }

  /// A call begins.
  ///
  /// - Returns: The reading of the clock; nil where nobody listens.
  @usableFromInline
  func begin() -> Duration? { audience.isEmpty ? nil : timeline.now }

  /// A call ended.
  @usableFromInline
  func ended(_ error: (any Error)?, since start: Duration) {
    ended(PolicyEvent.CallEnding(error), since: start)
  }

  /// A call ended, without a throw.
  @usableFromInline
  func ended<T, Failure>(_ outcome: Outcome<T, Failure>, since start: Duration) {
    ended(PolicyEvent.CallEnding(outcome), since: start)
  }

  private func ended(_ ending: PolicyEvent.CallEnding, since start: Duration) {
    let now = timeline.now
    audience.tell(
      PolicyEvent(
        policy: name, what: .callEnded(ending, took: max(.zero, now - start)), reading: now))
  }
}

extension PolicyEvent.CallEnding {
  fileprivate init(_ error: (any Error)?) {
    switch error {
    case nil: self = .succeeded
    case is Rejection: self = .rejected
    case is TimedOut: self = .timedOut
    case let error?: self = error.isCancellation ? .cancelled : .failed
    }
  }

  fileprivate init<T, Failure>(_ outcome: Outcome<T, Failure>) {
    switch outcome {
    case .success: self = .succeeded
    case .failure(let error): self = .init(error)
    case .rejected(let rejection): self = .init(rejection.original)
    case .timedOut: self = .timedOut
    case .cancelled: self = .cancelled
    }
  }
}
