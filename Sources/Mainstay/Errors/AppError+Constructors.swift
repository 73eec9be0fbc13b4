// SPDX-License-Identifier: Apache-2.0

import Foundation

extension AppError {
  /// Somebody stopped the work on purpose; never shown, never counted, never retried.
  public static func cancelled(
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    AppError(.cancelled, at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// Nobody has said what an error means: it stays unknown, keeps its cause and is not retried.
  ///
  /// What the error itself says to people is shown, where that is more than the sentence that
  /// Foundation makes up for an error without texts.
  public static func unknown(
    _ cause: any Error, fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    .unknown(cause, at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// What was entered cannot be accepted.
  ///
  /// - Parameters:
  ///   - message: What is wrong with it, and which values are legal.
  ///   - suggestion: What to enter instead.
  ///   - field: The field that it is about, such as `/barcode`.
  ///   - code: The stable name; the default is `validation`.
  ///   - fileID: The file where it happened; leave it out.
  ///   - function: The function where it happened; leave it out.
  ///   - line: The line where it happened; leave it out.
  /// - Returns: A permanent error of the kind `validation`.
  public static func validation(
    _ message: LocalizableText, suggestion: LocalizableText? = nil, field: JSONPointer? = nil,
    code: ErrorCode = "validation",
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    AppError(
      code: code, kind: .validation, disposition: .permanent, severity: .info,
      title: LocalizableText(
        key: "error.validation.title", english: "Please check what you entered"),
      message: message, suggestion: suggestion, field: field,
      fileID: fileID, function: function, line: line)
  }

  static func cancelled(_ cause: any Error, at site: SourceSite) -> AppError {
    AppError(.cancelled, cause: cause, at: site)
  }

  static func unknown(_ cause: any Error, at site: SourceSite) -> AppError {
    var error = AppError(
      .unknown, details: RecordedError(cause).description, cause: cause, at: site)
    guard let texts = cause as? any LocalizedError else { return error }
    if let message = PlainText.usable(texts.errorDescription) {
      error.fields.message = LocalizableText(verbatim: message)
    }
    if let suggestion = PlainText.usable(texts.recoverySuggestion) {
      error.fields.suggestion = LocalizableText(verbatim: suggestion)
    }
    return error
  }
}

/// Tells texts for people from those that Foundation makes up.
enum PlainText {
  /// The text, unless it is blank or a sentence that ends like `(Shop.CartError error 1.)`.
  static func usable(_ text: String?) -> String? {
    guard let text, !text.allSatisfy(\.isWhitespace) else { return nil }
    // In every language the made-up sentence ends in domain and number, in brackets.
    let madeUp = text.wholeMatch(of: /(?s).*\([^()]* -?[0-9]+\.?\)\.?\s*/) != nil
    return madeUp ? nil : text
  }
}
