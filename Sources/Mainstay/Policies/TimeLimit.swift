// SPDX-License-Identifier: Apache-2.0

/// What ``Timeout`` and ``Deadline`` have in common.
@usableFromInline
struct TimeLimit: Sendable {
  let duration: Duration
  let scope: TimedOut.Scope
  let disposition: Disposition
  var name: String?
  let timeline: Timeline
  let audience: PolicyAudience

  init(
    _ type: String, _ duration: Duration, scope: TimedOut.Scope, disposition: Disposition,
    name: String?, clock: some Clock<Duration>, observer: (any PolicyObserver)?
  ) {
    precondition(
      duration > .zero, "\(type)(\(duration)) is not legal: the limit must be more than zero")
    let isLegal =
      switch disposition {
      case .transient, .unknownOutcome: true
      default: false
      }
    precondition(
      isLegal,
      "\(type)(disposition: .\(disposition)) is not legal: transient or unknownOutcome")
    self.duration = duration.clamped
    self.scope = scope
    self.disposition = disposition
    self.name = name
    timeline = Timeline(clock)
    audience = PolicyAudience(own: observer)
  }

  /// Runs an operation that others inside end in time.
  @inlinable
  func announce<T>(_ operation: () async throws -> T) async throws -> T {
    try await ActiveLimit.local.withValue(try announced(), operation: operation)
  }

  /// Runs an operation and ends it in time.
  @inlinable
  func enforce<T>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> T
  ) async throws -> T {
    let limit = try enforced()
    let result = await ActiveLimit.local.withValue(limit) {
      await ChildTask.run(within: limit, isolation: isolation, operation)
    }
    switch result {
    case .success(let value): return value
    case .failure(let error): throw ended(error, within: limit)
    }
  }

  @usableFromInline
  func announced() throws -> ActiveLimit {
    let limit = begin()
    try refuseIfOver(limit.tightest)
    return limit
  }

  /// The limit that ends first, as a fresh object even where that is an outer one: each run is
  /// ended once and by itself.
  @usableFromInline
  func enforced() throws -> ActiveLimit {
    let own = begin()
    let tightest = own.tightest
    let limit =
      tightest === own
      ? own
      : ActiveLimit(
        error: tightest.error, end: tightest.end, timeline: tightest.timeline,
        parent: ActiveLimit.current)
    try refuseIfOver(limit)
    return limit
  }

  /// What is thrown for an error with which the operation ended.
  @usableFromInline
  func ended(_ error: any Error, within limit: ActiveLimit) -> any Error {
    guard error.isCancellation, limit.hasExpiredItself, !Task.isCancelled else { return error }
    tell(.timedOut(limit.error))
    return limit.error
  }

  private func begin() -> ActiveLimit {
    ActiveLimit(
      error: TimedOut(
        policy: name ?? scope.rawValue, scope: scope, limit: duration, disposition: disposition),
      end: timeline.now + duration, timeline: timeline, parent: ActiveLimit.current)
  }

  private func refuseIfOver(_ limit: ActiveLimit) throws {
    guard limit.end <= limit.timeline.now else { return }
    tell(.rejected(limit.refusal))
    throw limit.refusal
  }

  func tell(_ what: PolicyEvent.What) {
    guard !audience.isEmpty else { return }
    audience.tell(
      PolicyEvent(policy: name ?? scope.rawValue, what: what, reading: timeline.now))
  }
}
