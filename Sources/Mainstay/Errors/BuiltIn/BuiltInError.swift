// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One row of the table of errors that Mainstay itself can make: everything about it but the cause.
struct BuiltInError: Sendable {
  let code: ErrorCode
  let kind: ErrorKind
  let disposition: Disposition
  let severity: Severity?
  let title: LocalizableText
  let message: LocalizableText
  let suggestion: LocalizableText?
  let actions: [RecoveryAction]?

  /// Makes a row; the texts are found under `error.<name>.title`, `.message` and `.suggestion`.
  ///
  /// The name is the code, unless several codes share the texts.
  init(
    _ code: ErrorCode, _ kind: ErrorKind, _ disposition: Disposition, _ severity: Severity? = nil,
    name: String? = nil,
    title: LocalizableText, message: LocalizableText, suggestion: LocalizableText? = nil,
    actions: [RecoveryAction]? = nil
  ) {
    let key = "error." + (name ?? code.rawValue)
    self.code = code
    self.kind = kind
    self.disposition = disposition
    self.severity = severity
    self.title = LocalizableText(key: key + ".title", english: title)
    self.message = LocalizableText(key: key + ".message", english: message)
    self.suggestion = suggestion.map { text in
      text.key == nil ? LocalizableText(key: key + ".suggestion", english: text) : text
    }
    self.actions = actions
  }

  /// What to suggest where somebody may have said how long to wait.
  static func wait(_ hint: Duration?) -> LocalizableText {
    guard let hint, hint > .zero else { return "Try again in a moment." }
    return LocalizableText(key: "error.wait.suggestion", english: "Try again in \(hint).")
  }

  private init(_ row: BuiltInError, code: ErrorCode, kind: ErrorKind, disposition: Disposition) {
    self.code = code
    self.kind = kind
    self.disposition = disposition
    severity = row.severity
    title = row.title
    message = row.message
    suggestion = row.suggestion
    actions = disposition == row.disposition ? row.actions : nil
  }

  /// Another error with the same texts.
  ///
  /// One that leaves the outcome unknown says so instead: nobody is told to just try again.
  func coded(
    _ code: ErrorCode, _ kind: ErrorKind? = nil, _ disposition: Disposition? = nil
  ) -> BuiltInError {
    let isUnknown = disposition == .unknownOutcome && self.disposition != .unknownOutcome
    return BuiltInError(
      isUnknown ? .outcomeUnknown : self, code: code, kind: kind ?? self.kind,
      disposition: disposition ?? self.disposition)
  }
}

extension AppError {
  /// Makes the error of a row.
  init(
    _ row: BuiltInError, details: String? = nil, metadata: [String: String] = [:],
    cause: (any Error)? = nil, at site: SourceSite
  ) {
    self.init(
      code: row.code, kind: row.kind, disposition: row.disposition, severity: row.severity,
      title: row.title, message: row.message, suggestion: row.suggestion, details: details,
      metadata: metadata, actions: row.actions, underlying: cause.map { [$0] } ?? [],
      fileID: site.fileID, function: site.function, line: site.line)
  }
}
