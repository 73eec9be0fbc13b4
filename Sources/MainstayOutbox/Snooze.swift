// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// Thrown by a worker that puts its operation off: now is not the time, and nothing was tried.
///
/// The operation waits, no attempt is counted, and nothing is reported as a failure of the other
/// side.
public struct Snooze: AppErrorConvertible {
  /// For how long; more than a year is a year, and an outbox waits a second or two instead of zero.
  public let duration: Duration

  /// Puts an operation off.
  ///
  /// - Parameter duration: For how long; zero or more, more than a year is a year. An outbox waits
  ///   a second or two instead of zero.
  public init(for duration: Duration) { self.duration = max(.zero, duration.clamped) }

  /// What a person reads who asks why it waits.
  public var appError: AppError {
    let key = "error.outbox.snoozed"
    return AppError(
      code: "outbox.snoozed", kind: .rejected, disposition: .rejected(retryAfter: duration),
      title: LocalizableText(key: key + ".title", english: "This is done later"),
      message: LocalizableText(
        key: key + ".message", english: "Now is not the time for it; it is tried again by itself."),
      suggestion: LocalizableText(key: key + ".suggestion", english: "You need not do anything."))
  }
}
