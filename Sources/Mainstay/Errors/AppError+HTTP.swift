// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension AppError {
  /// A service answered with a status that is not a success.
  ///
  /// | Status | Becomes |
  /// |---|---|
  /// | 401 | `unauthorized`, needs the user |
  /// | 409 that is still running | `server`, transient after `retryAfter` |
  /// | 409 that was done, its answer lost | `server`, an unknown outcome |
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
  ///     it carries an idempotency key. False, the default, where nobody knows: a failed service
  ///     leaves the outcome unknown then, and nothing is sent again.
  ///   - retryAfter: What the service asked to wait, from ``retryAfter(header:date:now:)``; a
  ///     negative wait is dropped.
  ///   - problemType: The `type` of the problem document (RFC 9457) in the answer. One that ends
  ///     with `idempotency-in-progress`, `idempotency-running` or `idempotency` says of a 409 that
  ///     it is still running, and `idempotency-answer-lost` that it was done.
  ///   - fileID: The file where it happened; leave it out.
  ///   - function: The function where it happened; leave it out.
  ///   - line: The line where it happened; leave it out.
  /// - Returns: An error with the code `http.<status>`.
  public static func http(
    status: Int, isRepeatable: Bool = false, retryAfter: Duration? = nil,
    problemType: String? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    let hint = retryAfter.flatMap { $0 < .zero ? nil : $0.clamped }
    let row = BuiltInError.http(
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
      return Int64(digits).map { Duration.seconds(min($0, Self.secondsOfAYear)) } ?? .aYear
    }
    let seconds = now.timeIntervalSince1970
    let present = abs(seconds) < 1e12 ? Int64(seconds.rounded(.down)) : 0
    guard let moment = HTTPDate(text, now: present) else { return nil }
    let start = date.flatMap { HTTPDate($0.prefix(100), now: present) }?.seconds ?? present
    return Duration.seconds(min(max(moment.seconds - start, 0), Self.secondsOfAYear))
  }

  private static let secondsOfAYear: Int64 = 365 * 86_400

  /// A service answered 409 or 412 and did not say what is there instead: there are no two versions
  /// to compare.
  package static func changedMeanwhile(status: Int) -> AppError {
    AppError(BuiltInError.changed(ErrorCode("http.\(status)") ?? "http.unknown"), at: SourceSite())
  }

  /// The status with which a service answered; nil where no service answered.
  public var httpStatus: Int? { metadata["http.status"].flatMap { Int($0) } }

  /// Whether a call may have had its effect, whatever may be done about it: no answer came, or one
  /// that sends a change elsewhere, or one to a later attempt alone.
  ///
  /// HTTP clients and their mappings say what they know in `http.sent`, and a client that has sent
  /// nothing has the last word. Of a time limit that knows nothing more the call may have begun. A
  /// service that answers 303 has mostly done the change, and after 301 and 302 nobody knows (RFC
  /// 9110, section 15.4). With 307 and 308 it has not.
  package var leavesDoubt: Bool {
    let sent = metadata["http.sent"]
    if sent == "maybe" { return true }
    guard sent == nil else { return false }
    if let httpStatus { return (301...303).contains(httpStatus) }
    guard kind == .timeout, case .transient = disposition else { return false }
    return true
  }

  /// This answer of a service without the mark that a policy has left in it: who sends the requests
  /// knows better whether an earlier one was sent, and whether it can have an effect.
  package var withoutGuess: AppError {
    guard httpStatus != nil, metadata["http.sent"] == "maybe" else { return self }
    var copy = self
    copy.fields.metadata["http.sent"] = nil
    return copy
  }

  /// This refusal of a change that names the version it is for, after another attempt that may have
  /// made it: that version is gone then, and nobody else need have changed anything.
  package var ofOwnChange: AppError {
    var copy = with(disposition: .unknownOutcome)
    copy.fields.kind = .server
    copy.fields.title = BuiltInError.outcomeUnknown.title
    copy.fields.message = BuiltInError.outcomeUnknown.message
    copy.fields.actions = Disposition.unknownOutcome.defaultActions
    return copy
  }

  /// This failure to read the answer to a request that was to change something, which the service
  /// has called a success.
  package var ofUnreadSuccess: AppError {
    guard disposition != .cancelled else { return self }
    var copy = with(disposition: .unknownOutcome)
    copy.fields.title = BuiltInError.outcomeUnknown.title
    copy.fields.message = BuiltInError.badAnswer.message
    return copy
  }
}
