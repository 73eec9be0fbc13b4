// SPDX-License-Identifier: Apache-2.0

extension BuiltInError {
  static let unknown = BuiltInError(
    "unknown", .unknown, .unclassified,
    title: "Something unexpected happened",
    message: "The app met a problem that it does not recognize.",
    suggestion: "Try again. If it happens again, contact support.")

  static let cancelled = BuiltInError(
    "cancelled", .cancelled, .cancelled,
    title: "Stopped",
    message: "This was stopped before it was finished.")

  static let busy = BuiltInError(
    "system.busy", .exhausted, .transient(),
    title: "The device is busy",
    message: "The device could not do this at the moment.",
    suggestion: "Try again in a moment.")

  static let exhausted = BuiltInError(
    "system.exhausted", .exhausted, .transient(),
    title: "The device is low on resources",
    message: "There is not enough memory, or too much is open at once.",
    suggestion: "Close what you do not need, then try again.")

  static let outcomeUnknown = BuiltInError(
    "outcome-unknown", .unknown, .unknownOutcome,
    title: "We don’t know whether it worked",
    message: "The connection or the service failed before it confirmed this.",
    suggestion: "Check whether it went through before you try again.")

  static let general: [BuiltInError] = [unknown, cancelled, busy, exhausted, outcomeUnknown]
}
