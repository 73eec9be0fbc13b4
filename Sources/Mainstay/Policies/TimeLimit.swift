// SPDX-License-Identifier: Apache-2.0

/// What ``Timeout`` and ``Deadline`` have in common.
struct TimeLimit: Sendable {
  let duration: Duration
  let scope: TimedOut.Scope
  let disposition: Disposition
  var name: String?
  let timeline: Timeline

  init(
    _ type: String, _ duration: Duration, scope: TimedOut.Scope, disposition: Disposition,
    name: String?, clock: some Clock<Duration>
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
  }

  /// Runs an operation that others inside end in time.
  func announce<T>(
    _ operation: () async throws -> T
  ) async throws -> T {
    let limit = begin()
    if limit.remaining == .zero { throw limit.tightest.refusal }
    return try await ActiveLimit.$current.withValue(limit, operation: operation)
  }

  /// Runs an operation and ends it in time.
  func enforce<T>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> T
  ) async throws -> T {
    let own = begin()
    let tightest = own.tightest
    // A fresh object, even where an outer limit ends first: each run is ended once and by itself.
    let limit =
      tightest === own
      ? own
      : ActiveLimit(
        error: tightest.error, end: tightest.end, timeline: tightest.timeline,
        parent: ActiveLimit.current)
    if limit.end <= limit.timeline.now { throw limit.refusal }
    let result = await ActiveLimit.$current.withValue(limit) {
      await ChildTask.run(within: limit, isolation: isolation, operation)
    }
    switch result {
    case .success(let value): return value
    case .failure(let error):
      guard error.isCancellation, limit.hasExpiredItself, !Task.isCancelled else { throw error }
      throw limit.error
    }
  }

  private func begin() -> ActiveLimit {
    ActiveLimit(
      error: TimedOut(
        policy: name ?? scope.rawValue, scope: scope, limit: duration, disposition: disposition),
      end: timeline.now + duration, timeline: timeline, parent: ActiveLimit.current)
  }
}
