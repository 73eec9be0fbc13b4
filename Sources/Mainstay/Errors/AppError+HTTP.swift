// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension AppError {
  /// A service answered with a status that is not a success.
  ///
  /// | Status | Becomes |
  /// |---|---|
  /// | 401 | `unauthorized`, needs the user |
  /// | 409 that is still running | `server`, transient after `retryAfter` |
  /// | 412, other 409 | `conflict`, needs the user |
  /// | 408, 425 | `server`, transient after `retryAfter` |
  /// | 429 | `throttled`, throttled after `retryAfter` |
  /// | 500, 502, 503, 504, unknown 5xx | `server`, transient as above, or an unknown outcome |
  /// | 511 | `portal`, transient: a network answered instead of the service (RFC 6585) |
  /// | 403, 404, 410, 413, 422, other 4xx | permanent |
  /// | 501, 505, 506, 508, 510 and anything else | permanent |
  ///
  /// A success is no failure: 100 to 399 is for an answer whose content cannot be used.
  ///
  /// - Parameters:
  ///   - status: The status; the range 100 to 599 is usual, any number is accepted.
  ///   - isRepeatable: Whether sending the request twice does no harm: its method is idempotent, or
  ///     it carries an idempotency key. A failed service leaves the outcome unknown otherwise.
  ///   - retryAfter: What the service asked to wait, from ``retryAfter(header:date:now:)``; a
  ///     negative wait is dropped.
  ///   - problemType: The `type` of the problem document (RFC 9457) in the answer.
  ///   - fileID: The file where it happened; leave it out.
  ///   - function: The function where it happened; leave it out.
  ///   - line: The line where it happened; leave it out.
  /// - Returns: An error with the code `http.<status>`.
  public static func http(
    status: Int, isRepeatable: Bool = true, retryAfter: Duration? = nil,
    problemType: String? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    let hint = retryAfter.flatMap { $0 < .zero ? nil : $0.clamped }
    let row = HTTPStatusRow.row(
      status, hint: hint, isRepeatable: isRepeatable, problemType: problemType)
    var metadata = ["http.status": String(status)]
    metadata["http.problem-type"] = problemType
    return AppError(
      row, details: "HTTP status \(status)", metadata: metadata,
      at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// What a service asks to wait in its `Retry-After` header, which names seconds or a moment.
  ///
  /// A moment is compared with the service's own clock, where the answer tells its time, so a wrong
  /// clock on either side does no harm. One that has passed is no wait at all.
  ///
  /// Source: RFC 9110, sections 10.2.3 and 5.6.7, with all three forms of a date.
  ///
  /// - Parameters:
  ///   - header: The value of `Retry-After`.
  ///   - date: The value of `Date` in the same answer; nil where there is none.
  ///   - now: The time of day, for answers that do not tell theirs.
  /// - Returns: The wait, zero or more, cut to a year; nil where the header is in neither form.
  public static func retryAfter(
    header: String, date: String? = nil, now: Date
  ) -> Duration? {
    let text = header.trimmingPrefix { $0 == " " || $0 == "\t" }.prefix(100)
    let digits = text.prefix { ("0"..."9").contains($0) }
    if !digits.isEmpty {
      let rest = text[digits.endIndex...]
      guard rest.allSatisfy({ $0 == " " || $0 == "\t" }) else { return nil }
      // Too many digits for a number are too many seconds as well.
      return Int(digits).map { Duration.seconds(min($0, Self.secondsOfAYear)) } ?? .aYear
    }
    let seconds = now.timeIntervalSince1970
    let present = abs(seconds) < 1e12 ? Int(seconds.rounded(.down)) : 0
    guard let moment = HTTPDate(text, now: present) else { return nil }
    let start = date.flatMap { HTTPDate($0.prefix(100), now: present) }?.seconds ?? present
    return Duration.seconds(min(max(moment.seconds - start, 0), Self.secondsOfAYear))
  }

  private static let secondsOfAYear = 365 * 86_400

  /// The status with which a service answered; nil where no service answered.
  public var httpStatus: Int? { metadata["http.status"].flatMap { Int($0) } }
}

/// The rows of the table for HTTP statuses; codes are `http.<status>`.
private enum HTTPStatusRow {
  static func row(
    _ status: Int, hint: Duration?, isRepeatable: Bool, problemType: String?
  ) -> BuiltInError {
    let code = ErrorCode("http.\(status)") ?? "http.unknown"
    switch status {
    case 401: return signIn(code)
    case 403: return denied(code)
    case 404, 410: return missing(code)
    case 408, 425: return failing(code, hint)
    case 409 where problemType?.hasSuffix("/idempotency-in-progress") == true:
      return running(code, hint)
    case 409, 412: return conflict(code)
    case 413: return tooLarge(code)
    case 422: return unacceptable(code)
    case 429: return throttled(code, hint)
    case 501, 505, 506, 508, 510: return refused(code, isServer: true)
    case 511: return portal(code)
    // RFC 9110, section 15: an unknown status is read as the first of its class.
    case 500...599: return isRepeatable ? failing(code, hint) : unconfirmed(code)
    case 400...499: return refused(code, isServer: false)
    default: return unreadable(code)
    }
  }

  private static func signIn(_ code: ErrorCode) -> BuiltInError {
    BuiltInError(
      code, .unauthorized, .needsUser, name: "http.sign-in",
      title: "Please sign in again",
      message: "You are not signed in, or your sign-in has expired.",
      suggestion: "Sign in, then try again.", actions: [.signIn, .retry, .dismiss])
  }

  private static func denied(_ code: ErrorCode) -> BuiltInError {
    BuiltInError(
      code, .denied, .permanent, name: "http.denied",
      title: "You can’t do this",
      message: "Your account may not do this.",
      suggestion: "Ask the owner for access, or use another account.")
  }

  private static func missing(_ code: ErrorCode) -> BuiltInError {
    BuiltInError(
      code, .notFound, .permanent, name: "http.missing",
      title: "This isn’t there any more",
      message: "The service does not have what was asked for.",
      suggestion: "It may have been deleted. Refresh to see what is there.")
  }

  private static func conflict(_ code: ErrorCode) -> BuiltInError {
    BuiltInError(
      code, .conflict, .needsUser, name: "http.conflict",
      title: "Changed in two places",
      message: "Somebody else changed this in the meantime.",
      suggestion: "Compare both versions and choose what to keep.",
      actions: [.resolveConflict, .dismiss])
  }

  private static func running(_ code: ErrorCode, _ hint: Duration?) -> BuiltInError {
    BuiltInError(
      code, .server, .transient(retryAfter: hint), name: "http.running",
      title: "Still working on it",
      message: "The service is still working on the same request.",
      suggestion: "Wait a moment; it does not need to be sent again.")
  }

  private static func failing(_ code: ErrorCode, _ hint: Duration?) -> BuiltInError {
    BuiltInError(
      code, .server, .transient(retryAfter: hint), name: waitName("http.failing", hint),
      title: "The service has a problem",
      message: "The service could not answer just now. It is not your fault.",
      suggestion: waitSuggestion(hint))
  }

  private static func throttled(_ code: ErrorCode, _ hint: Duration?) -> BuiltInError {
    BuiltInError(
      code, .throttled, .throttled(retryAfter: hint), name: waitName("http.throttled", hint),
      title: "Too many requests",
      message: "The service asks to slow down.",
      suggestion: waitSuggestion(hint))
  }

  private static func tooLarge(_ code: ErrorCode) -> BuiltInError {
    BuiltInError(
      code, .validation, .permanent, name: "http.too-large",
      title: "This is too large",
      message: "The service does not take anything of this size.",
      suggestion: "Choose something smaller.")
  }

  private static func unacceptable(_ code: ErrorCode) -> BuiltInError {
    BuiltInError(
      code, .validation, .permanent, name: "http.unacceptable",
      title: "The service can’t accept this",
      message: "Something in what was sent is not acceptable to the service.",
      suggestion: "Check what you entered.")
  }

  private static func refused(_ code: ErrorCode, isServer: Bool) -> BuiltInError {
    BuiltInError(
      code, .server, .permanent, name: isServer ? "http.unsupported" : "http.refused",
      title: isServer ? "The service can’t do this" : "The service refused this",
      message: isServer
        ? "The service does not support what the app asked for."
        : "The service did not accept the request of the app.",
      suggestion: "Update the app. If it happens again, contact support.")
  }

  private static func unconfirmed(_ code: ErrorCode) -> BuiltInError {
    let row = BuiltInError.outcomeUnknown
    return BuiltInError(
      code, .server, .unknownOutcome, name: row.code.rawValue,
      title: row.title, message: row.message, suggestion: row.suggestion)
  }

  private static func portal(_ code: ErrorCode) -> BuiltInError {
    let row = BuiltInError.portal
    return BuiltInError(
      code, .portal, .transient(), name: row.code.rawValue,
      title: row.title, message: row.message, suggestion: row.suggestion, actions: row.actions)
  }

  private static func unreadable(_ code: ErrorCode) -> BuiltInError {
    let row = BuiltInError.badAnswer
    return BuiltInError(
      code, .server, .permanent, name: row.code.rawValue,
      title: row.title, message: row.message, suggestion: row.suggestion)
  }

  /// A suggestion with an argument is another text than one without, so it has a key of its own.
  private static func waitName(_ name: String, _ hint: Duration?) -> String {
    hint.map { $0 > .zero } == true ? name + "-for" : name
  }

  private static func waitSuggestion(_ hint: Duration?) -> LocalizableText {
    guard let hint, hint > .zero else { return "Try again in a moment." }
    return "Try again in \(hint)."
  }
}
