// SPDX-License-Identifier: Apache-2.0

/// What ``Timeout`` and ``Deadline`` have in common: a limit as it stands in a pipeline.
@usableFromInline
package final class TimeLimit: Sendable {
  let terms: LimitTerms
  let scope: TimedOut.Scope
  let name: String?
  let timeline: Timeline
  let audience: PolicyAudience

  convenience init(
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
    self.init(
      LimitTerms(duration, disposition), scope: scope, name: name, timeline: Timeline(clock),
      audience: PolicyAudience(own: observer))
  }

  private init(
    _ terms: LimitTerms, scope: TimedOut.Scope, name: String?, timeline: Timeline,
    audience: PolicyAudience
  ) {
    self.terms = terms
    self.scope = scope
    self.name = name
    self.timeline = timeline
    self.audience = audience
  }

  /// The same limit, by the name of its pipeline where it has none of its own.
  func named(ifNone pipeline: String) -> TimeLimit {
    guard name == nil else { return self }
    return TimeLimit(
      terms, scope: scope, name: pipeline, timeline: timeline, audience: audience)
  }

  /// What it is called in events and errors.
  var title: String { name ?? scope.rawValue }

  /// How long it is, for calls that begin now.
  var duration: Duration { terms.duration }

  /// What may be done once it has passed.
  var disposition: Disposition { terms.disposition }

  /// What goes on with other settings, and tells of that.
  func update(_ configuration: Timeout.Configuration) {
    terms.update(configuration)
    tell(.settingsChanged)
  }

  /// Runs an operation that others inside end in time.
  @inlinable
  func announce<T>(
    _ leavesOutcomeUnknown: Bool, _ operation: () async throws -> T
  ) async throws -> T {
    let limit = try begin(leavesOutcomeUnknown: leavesOutcomeUnknown)
    defer { limit.close() }
    return try await ActiveLimit.local.withValue(limit, operation: operation)
  }

  /// Runs an operation and ends it in time.
  @inlinable
  func enforce<T>(
    _ leavesOutcomeUnknown: Bool, isolation: isolated (any Actor)? = #isolation,
    _ operation: () async throws -> T
  ) async throws -> T {
    let limit = try begin(leavesOutcomeUnknown: leavesOutcomeUnknown)
    do {
      return try await ChildTask.run(within: limit, isolation: isolation, operation)
    } catch {
      throw limit.ended(error)
    }
  }

  /// Runs an operation and ends it in time, which moves on while parts of it go, as ``Patience``
  /// says.
  @inlinable
  func enforce<T>(
    movingBy silence: Duration, _ leavesOutcomeUnknown: Bool,
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> T
  ) async throws -> T {
    let limit = try begin(silence: silence, leavesOutcomeUnknown: leavesOutcomeUnknown)
    do {
      return try await ChildTask.run(within: limit, isolation: isolation, operation)
    } catch {
      throw limit.ended(error)
    }
  }

  /// Runs an operation that ends in time by itself, as ``HeededLimit`` says.
  @inlinable
  func trust<T>(
    _ leavesOutcomeUnknown: Bool, _ operation: () async throws -> T
  ) async throws -> T {
    let limit = try begin(isHeeded: true, leavesOutcomeUnknown: leavesOutcomeUnknown)
    defer { limit.close() }
    do {
      return try await ActiveLimit.local.withValue(limit, operation: operation)
    } catch {
      throw limit.ended(error)
    }
  }

  /// Begins the limit for one run, unless one around it has ended already.
  ///
  /// The clock is read once, and a limit that has just begun cannot be over.
  @usableFromInline
  func begin(
    isHeeded: Bool = false, silence: Duration? = nil, leavesOutcomeUnknown: Bool
  ) throws -> ActiveLimit {
    let parent = ActiveLimit.current
    let now = timeline.now
    let active = ActiveLimit(
      self, now: now, inside: parent, isHeeded: isHeeded, silence: silence,
      leavesOutcomeUnknown: leavesOutcomeUnknown)
    guard parent != nil, active.end <= now else { return active }
    let refusal = Rejection(policy: active.limit.title, reason: .deadlineTooClose)
    tell(.rejected(refusal))
    throw refusal
  }

  func tell(_ what: PolicyEvent.What) {
    guard !audience.isEmpty else { return }
    audience.tell(
      PolicyEvent(policy: title, what: what, reading: timeline.now))
  }
}

extension ActiveLimit {
  /// What is thrown for an error with which the operation ended.
  ///
  /// Whichever limit ended it tells its own observer, wherever that limit stands.
  @usableFromInline
  func ended(_ error: any Error) -> any Error {
    guard error.isCancellation else {
      // Where it ended the wait for somebody else, the operation has made its error already.
      if Classification.isElsewhere(error), hasExpiredItself, !Task.isCancelled {
        limit.tell(.timedOut(self.error))
      }
      return error
    }
    guard hasExpiredItself, !Task.isCancelled else {
      endedFromOutside()
      return error
    }
    let error = self.error
    limit.tell(.timedOut(error))
    return error
  }
}
