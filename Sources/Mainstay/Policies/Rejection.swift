// SPDX-License-Identifier: Apache-2.0

/// A policy refused a call before it was made.
///
/// It says nothing about the dependency: it is not counted by a breaker, and it is retried only
/// where ``retryAfter`` fits the deadline. One by ``Reason/circuitProbing`` names no time, and is
/// retried where the retry's own backoff fits the deadline. A ``Reason/foreignError`` is no refusal
/// but stands for an error, and for policies it is what that error is.
public struct Rejection: Error, Sendable {
  /// Why a policy refused; the set is open.
  public struct Reason: Sendable, Hashable {
    /// The name of the reason.
    public let rawValue: String

    /// Makes a reason of a policy of your own.
    public init(_ rawValue: StaticString) { self.rawValue = rawValue.description }

    /// The breaker is open: the dependency failed too often just now.
    public static let circuitOpen = Reason("circuitOpen")
    /// The breaker is trying the dependency out, and all places for that are taken.
    public static let circuitProbing = Reason("circuitProbing")
    /// Somebody isolated the breaker by hand.
    public static let circuitIsolated = Reason("circuitIsolated")
    /// As many calls as are allowed run at the same time, and no place to wait is free.
    public static let bulkheadFull = Reason("bulkheadFull")
    /// The call waited for its turn as long as it was willing to.
    public static let waitedTooLong = Reason("waitedTooLong")
    /// More calls were made of late than are allowed in that time.
    public static let rateLimited = Reason("rateLimited")
    /// The call costs more than is ever allowed at once, so waiting does not help.
    public static let costTooHigh = Reason("costTooHigh")
    /// The service takes no more calls at the same time than are on their way.
    public static let limitReached = Reason("limitReached")
    /// Too many calls were refused by the service of late, so some are not even sent.
    public static let throttled = Reason("throttled")
    /// The service asked to be left alone for a time.
    public static let coolingDown = Reason("coolingDown")
    /// There is not enough time left before the deadline.
    public static let deadlineTooClose = Reason("deadlineTooClose")
    /// A stage that Mainstay does not know replaced the operation's error by one of another type.
    public static let foreignError = Reason("foreignError")
  }

  /// The name of the policy that refused.
  public let policy: String
  /// Why it refused.
  public let reason: Reason
  /// When it makes sense to ask again; nil where nobody can say.
  public let retryAfter: Duration?
  /// The error that was replaced, for `foreignError`; for `circuitOpen` and `circuitProbing` the
  /// failure that opened the breaker last, without its own causes, nil where it was none.
  public var cause: (any Error)? { origin?.error }

  private let origin: Cause?

  /// Makes a refusal.
  public init(
    policy: String, reason: Reason, retryAfter: Duration? = nil, cause: (any Error)? = nil
  ) {
    self.policy = policy
    self.reason = reason
    self.retryAfter = retryAfter
    origin = cause.map { Cause($0) }
  }

  /// Makes a refusal by a breaker that a failure may have opened.
  init(
    policy: String, reason: Reason, retryAfter: Duration? = nil,
    after tripCause: Cause
  ) {
    self.policy = policy
    self.reason = reason
    self.retryAfter = retryAfter
    origin = tripCause
  }
}

extension Rejection {
  /// The error that it stands for, where a stage replaced the operation's; else it is one itself.
  @usableFromInline
  var original: any Error {
    guard reason == .foreignError, let cause else { return self }
    return cause
  }

  /// Whether an error refuses a call because others try the dependency out just then.
  ///
  /// How long those take nobody can say, but it is a call's time and not that of a break.
  static func isWhileProbing(_ error: any Error) -> Bool {
    let refusal = error as? Rejection ?? (error as? AppError)?.cause(as: Rejection.self)
    return refusal?.reason == .circuitProbing
  }

  /// What may be done.
  var disposition: Disposition {
    guard reason == .foreignError, let cause else { return .rejected(retryAfter: retryAfter) }
    return Classification.disposition(of: cause)
  }
}

extension Rejection: Equatable {
  /// Whether policy, reason and time are the same.
  public static func == (left: Rejection, right: Rejection) -> Bool {
    left.policy == right.policy && left.reason == right.reason
      && left.retryAfter == right.retryAfter
  }
}

/// A time limit passed before the operation was done.
public struct TimedOut: Error, Sendable, Hashable {
  /// Which limit it was.
  public enum Scope: String, Sendable, Hashable {
    /// One attempt: ``Timeout``.
    case attempt
    /// All attempts and the waiting between them: ``Deadline``.
    case total
  }

  /// The name of the policy whose limit passed.
  public let policy: String
  /// Which limit it was.
  public let scope: Scope
  /// How long the limit was.
  public let limit: Duration
  /// What may be done: `transient`, or `unknownOutcome` where the call may have had its effect.
  public let disposition: Disposition

  package init(policy: String, scope: Scope, limit: Duration, disposition: Disposition) {
    self.policy = policy
    self.scope = scope
    self.limit = limit
    self.disposition = disposition
  }
}

extension TimedOut: AppErrorConvertible {
  /// What a person reads: that it took too long, or that it is not known whether it happened.
  public var appError: AppError {
    AppError(
      disposition == .unknownOutcome ? .outcomeUnknown : .timeout,
      details: "\(policy) passed its \(scope.rawValue) limit of \(limit)",
      metadata: ["policy.name": policy, "policy.limit": limit.inSeconds.description],
      at: SourceSite(function: "TimedOut.appError")
    ).with(disposition: disposition)
  }
}
