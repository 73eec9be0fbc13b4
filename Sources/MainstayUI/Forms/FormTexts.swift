// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// The English words of forms, in a failure of its own with each reading; the other languages stand
/// beside those of the core, under `error.form`.
enum FormTexts {
  static var empty: AppError {
    mistake(
      "form.empty", "This is empty.", suggestion: "Fill it in to go on.")
  }

  static var notAccepted: AppError {
    mistake(
      "form.not-accepted", "This is not accepted yet.", suggestion: "Accept it to go on.")
  }

  static var email: AppError {
    mistake(
      "form.email", "This is not an email address.",
      suggestion: "Enter one such as \("name@example.com").")
  }

  static var different: AppError {
    mistake(
      "form.different", "The two entries differ.", suggestion: "Enter the same in both.")
  }

  static var pattern: AppError {
    mistake(
      "form.pattern", "This does not have the expected form.",
      suggestion: "Check it for typing mistakes.")
  }

  static var wholeNumber: AppError {
    mistake(
      "form.whole-number", "This is not a whole number.", suggestion: "Use digits only.")
  }

  static var unacceptable: AppError {
    mistake(
      "form.unacceptable", "This cannot be accepted.",
      suggestion: "Check it for typing mistakes.")
  }

  static func tooShort(_ minimum: Int) -> AppError {
    mistake(
      "form.too-short", "This is too short.",
      suggestion: "Enter at least \(minimum) characters.")
  }

  static func tooLong(_ maximum: Int) -> AppError {
    maximum == 1
      ? mistake("form.one-character", "This is too long.", suggestion: "Enter a single character.")
      : mistake(
        "form.too-long", "This is too long.", suggestion: "Enter at most \(maximum) characters.")
  }

  static func tooSmall(_ minimum: LocalizableText.Argument) -> AppError {
    mistake(
      "form.too-small", "This is too low.", suggestion: "The lowest value is \(argument: minimum).")
  }

  static func tooLarge(_ maximum: LocalizableText.Argument) -> AppError {
    mistake(
      "form.too-large", "This is too high.",
      suggestion: "The highest value is \(argument: maximum).")
  }

  static func notBelow(_ limit: LocalizableText.Argument) -> AppError {
    mistake(
      "form.not-below", "This is too high.", suggestion: "Enter less than \(argument: limit).")
  }

  static func tooEarly(_ minimum: Date) -> AppError {
    mistake(
      "form.too-early", "This date is too early.", suggestion: "The earliest is \(minimum).")
  }

  static func tooLate(_ maximum: Date) -> AppError {
    mistake("form.too-late", "This date is too late.", suggestion: "The latest is \(maximum).")
  }

  static func notBefore(_ limit: Date) -> AppError {
    mistake(
      "form.not-before", "This date is too late.", suggestion: "It has to be before \(limit).")
  }

  static func tooYoung(_ years: Int) -> AppError {
    mistake(
      "form.too-young", "You have to be at least \(years) years old.",
      suggestion: "Check the age that you entered.")
  }

  /// The same about a date of birth.
  static func bornTooLate(_ years: Int) -> AppError {
    let error = tooYoung(years)
    return error.saying(
      error.message,
      suggestion: text(
        "form.born-too-late.suggestion", "Check the date of birth that you entered."))
  }

  static func tooFew(_ minimum: Int) -> AppError {
    mistake(
      "form.too-few", "Too few are chosen.", suggestion: "Choose at least \(minimum).")
  }

  static func tooMany(_ maximum: Int) -> AppError {
    mistake(
      "form.too-many", "Too many are chosen.", suggestion: "Choose at most \(maximum).")
  }

  // MARK: Other words

  static let checking = text("form.checking.message", "This is being checked.")
  static let unchecked = text(
    "form.unchecked.message", "This could not be checked. You can go on.")
  static let refused = text(
    "form.refused.message", "What was entered was not accepted.")

  static func title(of count: Int) -> LocalizableText {
    count == 1
      ? text("form.one-mistake.title", "One entry needs your attention")
      : text("form.mistakes.title", "\(count) entries need your attention")
  }

  /// A field, what is wrong with it, and what to enter instead.
  static func line(
    _ label: String, _ message: String, _ suggestion: String?
  ) -> LocalizableText {
    guard let suggestion else { return text("form.line.message", "\(label): \(message)") }
    return text("form.full-line.message", "\(label): \(message) \(suggestion)")
  }

  private static func text(_ name: String, _ english: LocalizableText) -> LocalizableText {
    LocalizableText(key: "error." + name, english: english)
  }

  private static func mistake(
    _ code: ErrorCode, _ message: LocalizableText, suggestion: LocalizableText
  ) -> AppError {
    .validation(
      text(code.rawValue + ".message", message),
      suggestion: text(code.rawValue + ".suggestion", suggestion), code: code)
  }
}

extension AppError {
  /// Whether a person reads the same, whatever happened.
  func saysTheSame(as other: AppError) -> Bool {
    title == other.title && message == other.message && suggestion == other.suggestion
  }

  /// The same failure with other words and causes, still the same one.
  func saying(
    _ message: LocalizableText, suggestion: LocalizableText?, field: JSONPointer? = nil,
    underlying: [any Error]? = nil
  ) -> AppError {
    let copy = AppError(
      code: code, kind: kind, disposition: disposition, severity: severity, title: title,
      message: message, suggestion: suggestion, details: details, metadata: metadata,
      actions: actions, help: help, field: field, underlying: underlying ?? self.underlying,
      time: time, id: id, fileID: site.fileID, function: site.function, line: site.line)
    return context.reduce(copy) { $0.adding(context: $1) }
  }
}
