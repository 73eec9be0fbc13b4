// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One of the families of errors that ship with Mainstay: each case has a row of the table.
protocol ErrorFamily: Error, Sendable {
  /// The row of the case.
  var row: BuiltInError { get }
  /// Technical words; never shown.
  var note: String? { get }
  /// Technical values; never shown.
  var values: [String: String] { get }
  /// What caused it.
  var cause: (any Error)? { get }
}

extension ErrorFamily {
  var values: [String: String] { [:] }
  var cause: (any Error)? { nil }
}

extension AppError {
  /// The error of a case.
  ///
  /// A cause that somebody has classified says what happened and what may be done: a change that
  /// could not be saved since the disk is full needs the user. The code and the title stay those of
  /// the case, and what is critical stays critical. A cause that is a cancellation makes it one.
  static func made(by member: some ErrorFamily) -> AppError {
    let type = QualifiedTypeName.of(Swift.type(of: member))
    let site = SourceSite(function: "\(type).appError")
    let row = member.row
    let error = AppError(
      row, details: member.note.map { "\(row.code): \($0)" } ?? row.code.rawValue,
      metadata: member.values, cause: member.cause, at: site)
    guard let cause = member.cause else { return error }
    return error.following(cause, at: site)
  }

  /// The same failure, as far as its cause knows more.
  func following(_ cause: any Error, at site: SourceSite) -> AppError {
    let mapped = ErrorMapping.current.map(cause, at: site)
    if mapped.disposition == .cancelled { return .cancelled(cause, at: site) }
    var copy = self
    if kind == .unknown {
      copy.fields.title = mapped.title
    } else if mapped.disposition == .unclassified {
      if mapped.severity == .critical { copy.fields.severity = .critical }
      return copy
    }
    copy.fields.message = mapped.message
    copy.fields.suggestion = mapped.suggestion ?? suggestion(after: mapped)
    copy.fields.actions = mapped.actions
    copy.fields.kind = mapped.kind
    copy.fields.disposition = mapped.disposition
    copy.fields.severity = severity == .critical ? .critical : mapped.severity
    copy.fields.help = mapped.help ?? help
    copy.fields.field = mapped.field ?? field
    return copy
  }

  /// What is suggested where the cause suggests nothing: the words of the case, which are about
  /// doing it again, only where the cause has a button for that.
  private func suggestion(after cause: AppError) -> LocalizableText? {
    if cause.disposition == .unknownOutcome { return BuiltInError.outcomeUnknown.suggestion }
    return cause.actions.contains { $0.id == RecoveryAction.retry.id } ? suggestion : nil
  }
}
