// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What is known about an error that is going to be told, before it is cut and redacted.
struct ReportDraft {
  let app: AppError
  let fingerprint: Fingerprint
  private let thrown: any Error
  var message: String?
  var operation: String?
  var category: String?
  var metadata: [String: ErrorReport.Attachment] = [:]
  var severity: Severity?
  var isHandled = true
  var suppressed: ErrorReport.Suppressed?
  var stack: [String] = []

  init(_ app: AppError, _ fingerprint: Fingerprint, thrown: any Error) {
    self.app = app
    self.fingerprint = fingerprint
    self.thrown = thrown
  }

  /// The report; asks the error and its causes about themselves.
  func report(
    breadcrumbs: [ErrorReport.Breadcrumb], enrichment: [String: ErrorReport.Attachment],
    facts: [String: String]
  ) -> ErrorReport {
    ErrorReport(
      ErrorReport.Fields(
        id: app.id, time: app.time, fingerprint: fingerprint, code: app.code, kind: app.kind,
        disposition: app.disposition, severity: severity ?? app.severity, isHandled: isHandled,
        type: Self.type(of: thrown, as: app),
        title: BoundedText.redacted(english(\.title), to: BoundedText.name),
        message: BoundedText.redacted(english(\.message), to: BoundedText.text),
        suggestion: suggestion, details: details,
        operation: operation.map(Self.name), category: category.map(Self.name),
        metadata: values(enrichment), causes: causes, frames: frames, site: app.site,
        breadcrumbs: breadcrumbs, stack: stack, suppressed: suppressed, facts: facts))
  }

  private static let unknown = AppError(
    .unknown, at: SourceSite(fileID: #fileID, function: #function, line: #line))

  private static func name(_ text: String) -> String {
    BoundedText.redacted(text, to: BoundedText.name)
  }

  /// The type that was thrown first: where an app's error was made from another one, of that one.
  static func type(of thrown: any Error, as app: AppError) -> String {
    let origin = thrown is AppError ? app.underlying.first ?? thrown : thrown
    let name =
      (origin as? RecordedError)?.type ?? QualifiedTypeName.of(Swift.type(of: origin))
    return BoundedText.cut(name, to: BoundedText.name)
  }

  /// What an author of the app wrote; of an error that nobody has classified the words are foreign,
  /// may be in any language, and stand in the details (T21).
  private func english(_ part: KeyPath<AppError, LocalizableText>) -> String {
    (isForeign ? Self.unknown : app)[keyPath: part].reported
  }

  private var isForeign: Bool { app.disposition == .unclassified }

  private var suggestion: String? {
    (isForeign ? Self.unknown : app).suggestion
      .map { BoundedText.redacted($0.reported, to: BoundedText.text) }
  }

  private var details: String? {
    guard message != nil || app.details != nil else { return nil }
    let parts = [message, app.details].compactMap { $0 }
    return parts.map { BoundedText.redacted($0, to: BoundedText.details / parts.count) }
      .joined(separator: " | ")
  }

  /// Those of the call win over those of the error, and these over what is added to every report.
  private func values(_ enrichment: [String: ErrorReport.Attachment]) -> [String: String] {
    if metadata.isEmpty, enrichment.isEmpty { return BoundedText.redacted(app.metadata) }
    var all = BoundedText.bounded(enrichment).mapValues(\.visible)
    all.merge(BoundedText.bounded(app.metadata)) { $1 }
    all.merge(BoundedText.bounded(metadata).mapValues(\.visible)) { $1 }
    return BoundedText.redacted(all)
  }

  private var causes: [RecordedError] {
    if app.underlying.isEmpty { return [] }
    return ErrorChain(app).dropFirst().prefix(16).map { cause in
      let record = RecordedError(cause)
      let names = max(record.type.utf8.count, record.code.utf8.count)
      if names <= BoundedText.name, record.text.utf8.count <= BoundedText.text { return record }
      return RecordedError(
        type: BoundedText.cut(record.type, to: BoundedText.name),
        code: BoundedText.cut(record.code, to: BoundedText.name),
        text: BoundedText.cut(record.text, to: BoundedText.text))
    }
  }

  private var frames: [AppError.Frame] {
    app.context.prefix(16).map { frame in
      AppError.Frame(
        Self.name(frame.operation), metadata: BoundedText.redacted(frame.metadata, count: 8),
        site: frame.site)
    }
  }
}
