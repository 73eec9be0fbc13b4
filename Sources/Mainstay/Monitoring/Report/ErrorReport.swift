// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What is kept of one captured error: the record that is stored, counted and sent.
///
/// It is written for the team and in English: nothing in it changes with the language of the device
/// but the technical words of other people's errors. All texts were redacted and cut to a length
/// before the report was made: names to 200 bytes, texts to 2,000, details to 8,000, metadata to 32
/// values, causes, frames to 16 each.
public struct ErrorReport: Sendable, Identifiable {
  /// The version of the form in which reports are written.
  public static let currentVersion = 1

  struct Fields: Sendable {
    var version = ErrorReport.currentVersion
    var id: UUID
    var time: Date
    var fingerprint: Fingerprint
    var code: ErrorCode
    var kind: ErrorKind
    var disposition: Disposition
    var severity: Severity
    var isHandled: Bool
    var type: String
    var title: String
    var message: String
    var suggestion: String?
    var details: String?
    var operation: String?
    var category: String?
    var metadata: [String: String]
    var causes: [RecordedError]
    var frames: [AppError.Frame]
    var site: SourceSite
    var breadcrumbs: [Breadcrumb]
    var stack: [String]
    var suppressed: Suppressed?
    var presentation: Presentation?
    var recovery: Recovery?
    var facts: [String: String]
  }

  private final class Box: Sendable {
    let fields: Fields
    init(_ fields: Fields) { self.fields = fields }
  }

  // A class inside a struct: reports stand in a history, in groups and in queues at once.

  private var box: Box

  /// All fields at once; writing makes a new box, so copies never see each other's changes.
  var fields: Fields {
    get { box.fields }
    set { box = Box(newValue) }
  }

  init(_ fields: Fields) { box = Box(fields) }
}

extension ErrorReport {
  /// The version of the form in which it was written; a later one may hold more than is read.
  public var version: Int { box.fields.version }
  /// The identity of the failure: that of the ``AppError``.
  public var id: UUID { box.fields.id }
  /// When the error was made.
  public var time: Date { box.fields.time }
  /// The group that it belongs to.
  public var fingerprint: Fingerprint { box.fields.fingerprint }
  /// The stable name of what went wrong.
  public var code: ErrorCode { box.fields.code }
  /// What happened, for programs.
  public var kind: ErrorKind { box.fields.kind }
  /// What may be done.
  public var disposition: Disposition { box.fields.disposition }
  /// How bad it is.
  public var severity: Severity { box.fields.severity }
  /// Whether somebody dealt with it; false where it ended what the app was doing.
  public var isHandled: Bool { box.fields.isHandled }
  /// The type that was thrown, with its module.
  public var type: String { box.fields.type }
  /// What happened, in a few words of English.
  public var title: String { box.fields.title }
  /// What it means, in English.
  public var message: String { box.fields.message }
  /// What the person was told they can do, in English; nil where there is nothing.
  public var suggestion: String? { box.fields.suggestion }
  /// Technical words.
  public var details: String? { box.fields.details }
  /// What was being done, such as "Save item".
  public var operation: String? { box.fields.operation }
  /// The part of the app or service that was doing it, such as "storage".
  public var category: String? { box.fields.category }
  /// Technical values.
  public var metadata: [String: String] { box.fields.metadata }
  /// What caused it, from the outside in.
  public var causes: [RecordedError] { box.fields.causes }
  /// What else was being done while it passed by, the innermost first.
  public var frames: [AppError.Frame] { box.fields.frames }
  /// Where the error was made.
  public var site: SourceSite { box.fields.site }
  /// What happened before, the oldest first.
  public var breadcrumbs: [Breadcrumb] { box.fields.breadcrumbs }
  /// The calls that were running, the innermost first; empty unless stacks are taken.
  public var stack: [String] { box.fields.stack }
  /// What its group counted since its last report and did not tell; nil where that is nothing.
  public var suppressed: Suppressed? { box.fields.suppressed }
  /// What a person saw of it; nil where nobody saw anything so far.
  public var presentation: Presentation? { box.fields.presentation }
  /// How it was recovered from; nil where nobody has tried so far.
  public var recovery: Recovery? { box.fields.recovery }
  /// What holds for the whole process, such as the version of the app.
  public var facts: [String: String] { box.fields.facts }
}

extension ErrorReport {
  /// Whether it is one that a service for crashes is told of (C23).
  ///
  /// That is so where its severity is `critical`, and where data is damaged, so its kind is
  /// `corrupted`. It is so, too, where nobody dealt with it and nobody has said what it means, so
  /// that it is as good as a crash.
  public var isCritical: Bool {
    let fields = box.fields
    return Self.isCritical(
      fields.severity, fields.kind, fields.disposition, isHandled: fields.isHandled)
  }

  static func isCritical(
    _ severity: Severity, _ kind: ErrorKind, _ disposition: Disposition, isHandled: Bool
  ) -> Bool {
    severity == .critical || kind == .corrupted || !isHandled && disposition == .unclassified
  }

  /// The report without what only makes it long: what happened before, and the calls.
  ///
  /// A store that has no room for a report tries this one before it drops it.
  public var trimmed: ErrorReport {
    guard !breadcrumbs.isEmpty || !stack.isEmpty else { return self }
    var copy = fields
    copy.breadcrumbs = []
    copy.stack = []
    return ErrorReport(copy)
  }
}

extension ErrorReport: Equatable {
  /// Whether both hold the same.
  public static func == (left: ErrorReport, right: ErrorReport) -> Bool {
    left.box === right.box || left.fields == right.fields
  }
}

extension ErrorReport.Fields: Equatable {}

extension ErrorReport: CustomStringConvertible {
  /// One line for logs: time, operation, code, kind, disposition, what may be done, group; no texts
  /// for people (D19, T21).
  public var description: String {
    let doing = operation.map { " \($0):" } ?? ""
    let time = time.formatted(.iso8601)
    return "\(time)\(doing) \(code) (\(kind), \(disposition)) \(type) [\(fingerprint)] at \(site)"
  }
}
