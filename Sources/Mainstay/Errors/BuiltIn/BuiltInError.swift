// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One row of the table of errors that Mainstay itself can make: everything about it but the cause.
struct BuiltInError: Sendable {
  let code: ErrorCode
  let kind: ErrorKind
  let disposition: Disposition
  let title: LocalizableText
  let message: LocalizableText
  let suggestion: LocalizableText?
  let actions: [RecoveryAction]?

  /// Makes a row; the texts are found under `error.<name>.title`, `.message` and `.suggestion`.
  ///
  /// The name is the code, unless several codes share the texts.
  init(
    _ code: ErrorCode, _ kind: ErrorKind, _ disposition: Disposition, name: String? = nil,
    title: LocalizableText, message: LocalizableText, suggestion: LocalizableText? = nil,
    actions: [RecoveryAction]? = nil
  ) {
    let key = "error." + (name ?? code.rawValue)
    self.code = code
    self.kind = kind
    self.disposition = disposition
    self.title = LocalizableText(key: key + ".title", english: title)
    self.message = LocalizableText(key: key + ".message", english: message)
    self.suggestion = suggestion.map { LocalizableText(key: key + ".suggestion", english: $0) }
    self.actions = actions
  }

  /// Every row that takes no argument, for tests that read all texts.
  static let all: [BuiltInError] = general + network + storage + coding + policies
}

extension AppError {
  /// Makes the error of a row.
  init(
    _ row: BuiltInError, details: String? = nil, metadata: [String: String] = [:],
    cause: (any Error)? = nil, at site: SourceSite
  ) {
    self.init(
      code: row.code, kind: row.kind, disposition: row.disposition,
      title: row.title, message: row.message, suggestion: row.suggestion, details: details,
      metadata: metadata, actions: row.actions, underlying: cause.map { [$0] } ?? [],
      fileID: site.fileID, function: site.function, line: site.line)
  }
}
