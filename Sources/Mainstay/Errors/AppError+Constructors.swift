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
  /// Foundation makes up for an error without texts. An `AppError` stays itself, and a cancellation
  /// becomes `AppError.cancelled`: neither is ever unknown.
  ///
  /// - Parameters:
  ///   - cause: The error that nobody knows; kept as the cause.
  ///   - mapping: Says whether it is a cancellation; the default is ``ErrorMapping/current``.
  ///   - fileID: The file where it happened; leave it out.
  ///   - function: The function where it happened; leave it out.
  ///   - line: The line where it happened; leave it out.
  /// - Returns: An unclassified error of the kind `unknown`.
  public static func unknown(
    _ cause: any Error, mapping: ErrorMapping? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    let site = SourceSite(fileID: fileID, function: function, line: line)
    if let cause = cause as? AppError { return cause }
    return CancellationCheck.asks(cause, by: mapping)
      ? .cancelled(cause, at: site) : .unclassified(cause, at: site)
  }

  /// The device has no connection; transient.
  public static func offline(
    cause: (any Error)? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    AppError(
      .offline, cause: cause, at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// Something took longer than its limit; transient, so say ``with(disposition:)`` where it is not
  /// known whether a call that must not run twice had its effect.
  public static func timeout(
    cause: (any Error)? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    AppError(
      .timeout, cause: cause, at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// Nobody is signed in, or the sign-in is no longer valid; needs the user.
  public static func unauthorized(
    cause: (any Error)? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    AppError(
      .signInRequired, cause: cause, at: SourceSite(fileID: fileID, function: function, line: line))
  }

  /// A sign-in page of the network answered instead of the service: not delivered, transient.
  public static func portal(
    cause: (any Error)? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    AppError(
      .portal, cause: cause, at: SourceSite(fileID: fileID, function: function, line: line))
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

  static func unclassified(_ cause: any Error, at site: SourceSite) -> AppError {
    let asked = ConversionDepth.isJudging ? nil : words(of: cause)
    let type = QualifiedTypeName.of(Swift.type(of: cause))
    var error = AppError(.unknown, details: asked?.details ?? type, cause: cause, at: site)
    if let message = asked?.message { error.fields.message = LocalizableText(verbatim: message) }
    if let suggestion = asked?.suggestion {
      error.fields.suggestion = LocalizableText(verbatim: suggestion)
    }
    return error
  }

  /// What an error says about itself; nil where it is being asked already.
  private static func words(
    of cause: any Error
  ) -> (details: String, message: String?, suggestion: String?)? {
    ConversionDepth.asking {
      (
        details: RecordedError(cause).description,
        message: PlainText.message(of: cause), suggestion: PlainText.suggestion(of: cause)
      )
    }
  }
}
