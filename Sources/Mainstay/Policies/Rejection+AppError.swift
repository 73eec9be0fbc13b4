// SPDX-License-Identifier: Apache-2.0

extension Rejection: AppErrorConvertible {
  /// What a person reads: why this was not tried just now, and when to try again.
  public var appError: AppError {
    AppError(
      .rejection(reason, retryAfter: retryAfter),
      details: "\(policy) refused: \(reason.rawValue)",
      metadata: ["policy.name": policy, "policy.reason": reason.rawValue], cause: cause,
      at: SourceSite(function: "Rejection.appError")
    ).with(disposition: disposition)
  }
}

extension BuiltInError {
  private static let refusals: [Rejection.Reason] = [
    .circuitOpen, .bulkheadFull, .waitedTooLong, .rateLimited, .costTooHigh, .limitReached,
    .throttled, .coolingDown, .deadlineTooClose, .foreignError, Rejection.Reason("other"),
  ]

  static let policies: [BuiltInError] =
    refusals.map { rejection($0, retryAfter: nil) } + [unacceptableResult, configuration]

  /// The text of a reason; a reason that others added gets one that is true of each.
  static func rejection(_ reason: Rejection.Reason, retryAfter: Duration?) -> BuiltInError {
    switch reason {
    case .circuitOpen, .circuitProbing, .circuitIsolated, .throttled, .coolingDown, .limitReached:
      refusal(forTheServiceBy: reason, retryAfter)
    case .bulkheadFull, .waitedTooLong, .rateLimited, .costTooHigh:
      refusal(forTheAppBy: reason, retryAfter)
    case .deadlineTooClose:
      refusal(
        "policy.no-time-left", retryAfter, kind: .timeout, title: "There was no time left",
        message: "It took so long before that this could not be tried any more.")
    case .foreignError:
      refusal(
        "policy.foreign-error", retryAfter, title: "Something went wrong",
        message: "This did not work, and the app could not find out why.")
    default:
      refusal(
        "policy.not-tried", retryAfter, title: "This was not tried",
        message: "The app did not try this just now.")
    }
  }

  private static func refusal(
    forTheServiceBy reason: Rejection.Reason, _ retryAfter: Duration?
  ) -> BuiltInError {
    switch reason {
    case .throttled:
      refusal(
        "policy.throttled", retryAfter, title: "The service is overloaded",
        message: "The service refused a lot just now, so the app sends it less for a moment.")
    case .coolingDown:
      refusal(
        "policy.cooling-down", retryAfter, title: "The service asked to slow down",
        message: "The service asked the app to wait before it sends more.")
    case .limitReached:
      refusal(
        "policy.limit-reached", retryAfter, title: "The service is busy",
        message: "The service has as much to do for this app as it can take just now.")
    default:
      refusal(
        "policy.rejected", retryAfter, title: "The service is taking a break",
        message: "The service had problems just now, so the app is leaving it alone for a moment."
      )
    }
  }

  private static func refusal(
    forTheAppBy reason: Rejection.Reason, _ retryAfter: Duration?
  ) -> BuiltInError {
    switch reason {
    case .waitedTooLong:
      refusal(
        "policy.waited-too-long", retryAfter, title: "It was not its turn in time",
        message: "The app is doing so much at once that this waited too long for its turn.")
    case .rateLimited:
      refusal(
        "policy.rate-limited", retryAfter, title: "Too often in a short time",
        message: "The app has done this as often as it may for the moment.")
    case .costTooHigh:
      BuiltInError(
        "policy.cost-too-high", .rejected, .rejected(retryAfter: retryAfter),
        title: "Too much at once", message: "This is more than the app may ask for at once.",
        suggestion: "Ask for less at a time.")
    default:
      refusal(
        "policy.full", retryAfter, title: "Too much at once",
        message: "The app is doing as much at the same time as it may, so this was not begun.")
    }
  }

  private static func refusal(
    _ code: ErrorCode, _ retryAfter: Duration?, kind: ErrorKind = .rejected,
    title: LocalizableText, message: LocalizableText
  ) -> BuiltInError {
    BuiltInError(
      code, kind, .rejected(retryAfter: retryAfter), title: title, message: message,
      suggestion: wait(retryAfter))
  }
}
