// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// One classified failure: what happened, what may be done, and what a person reads about it.
///
/// Everything else is converted to this type before a person sees it. It is one word wide, so
/// `throws(AppError)` costs no more than any other throw.
///
/// Equality compares code, kind, disposition, field and the texts: two errors that say the same
/// thing in the same words are equal, whenever and wherever they were made, and whatever caused
/// them.
public struct AppError: Error, Sendable, Identifiable {
  /// Something that was being done while the error passed by, such as "Load inventory".
  public struct Frame: Sendable, Hashable, Codable {
    /// What was being done; for logs and reports, never shown.
    public let operation: String
    /// Technical values that help to understand it.
    public let metadata: [String: String]
    /// Where it was being done.
    public let site: SourceSite

    /// Makes a frame.
    public init(_ operation: String, metadata: [String: String] = [:], site: SourceSite) {
      self.operation = operation
      self.metadata = metadata
      self.site = site
    }
  }

  struct Fields: Sendable {
    var code: ErrorCode
    var kind: ErrorKind
    var disposition: Disposition
    var severity: Severity
    var title: LocalizableText
    var message: LocalizableText
    var suggestion: LocalizableText?
    var details: String?
    var metadata: [String: String]
    var actions: [RecoveryAction]
    var help: URL?
    var field: JSONPointer?
    var context: [Frame]
    var underlying: [any Error]
    var site: SourceSite
    var time: Date
    var id: UUID
    /// How many attempts of a ``Retry`` ended with it; not encoded: only that call counts them.
    var attempts = 1
    /// Whether it is the failure of somebody else than whom the policies around the call guard; not
    /// encoded: it is for those policies alone.
    var isElsewhere = false
  }

  private final class Box: Sendable {
    let fields: Fields
    init(_ fields: Fields) { self.fields = fields }
  }

  // A class inside a struct, so that the error is one word wide.

  private var box: Box

  /// All fields at once; writing makes a new box, so copies never see each other's changes.
  var fields: Fields {
    get { box.fields }
    set { box = Box(newValue) }
  }

  init(_ fields: Fields) { box = Box(fields.readable) }
}

extension AppError {
  /// Makes an error of your own.
  ///
  /// A title or message that is blank is replaced by that of an unknown error, and a blank
  /// suggestion by none, so that nobody ever reads an empty alert.
  ///
  /// An action without a title is left out.
  ///
  /// - Parameters:
  ///   - code: The stable name, such as `payments.declined`.
  ///   - kind: What happened.
  ///   - disposition: What may be done.
  ///   - severity: How bad it is; by default what is usual for the disposition.
  ///   - title: What happened, in a few words; never just "Error".
  ///   - message: What that means for the person, in a sentence or two without codes.
  ///   - suggestion: What the person can do.
  ///   - details: Technical words for the log; never shown.
  ///   - metadata: Technical values for the log; never shown.
  ///   - actions: What the person is offered; by default what is usual for the disposition.
  ///   - help: A page that explains the error.
  ///   - field: The field of a form or document that the error is about.
  ///   - underlying: What caused it, in order of importance.
  ///   - time: When it happened; the default is now.
  ///   - id: The identity of this one failure; the default is a new one. An error that is kept in
  ///     a `static let` is one failure, however often it is thrown: make it anew each time.
  ///   - fileID: The file where it happened; leave it out.
  ///   - function: The function where it happened; leave it out.
  ///   - line: The line where it happened; leave it out.
  public init(
    code: ErrorCode,
    kind: ErrorKind,
    disposition: Disposition,
    severity: Severity? = nil,
    title: LocalizableText,
    message: LocalizableText,
    suggestion: LocalizableText? = nil,
    details: String? = nil,
    metadata: [String: String] = [:],
    actions: [RecoveryAction]? = nil,
    help: URL? = nil,
    field: JSONPointer? = nil,
    underlying: [any Error] = [],
    time: Date = Date(),
    id: UUID = AppError.newIdentity(),
    fileID: String = #fileID,
    function: String = #function,
    line: Int = #line
  ) {
    self.init(
      Fields(
        code: code,
        kind: kind,
        disposition: disposition,
        severity: severity ?? disposition.usualSeverity,
        title: title,
        message: message,
        suggestion: suggestion,
        details: details,
        metadata: metadata,
        actions: actions ?? disposition.defaultActions,
        help: help,
        field: field,
        context: [],
        underlying: underlying,
        site: SourceSite(fileID: fileID, function: function, line: line),
        time: time,
        id: id))
  }

  /// The stable name of what went wrong.
  public var code: ErrorCode { box.fields.code }
  /// What happened, for programs.
  public var kind: ErrorKind { box.fields.kind }
  /// What may be done.
  public var disposition: Disposition { box.fields.disposition }
  /// How bad it is.
  public var severity: Severity { box.fields.severity }
  /// What happened, for people, in a few words.
  public var title: LocalizableText { box.fields.title }
  /// What it means for the person.
  public var message: LocalizableText { box.fields.message }
  /// What the person can do; nil where there is nothing to suggest.
  public var suggestion: LocalizableText? { box.fields.suggestion }
  /// Technical words; never shown.
  public var details: String? { box.fields.details }
  /// Technical values; never shown.
  public var metadata: [String: String] { box.fields.metadata }
  /// What the person is offered.
  public var actions: [RecoveryAction] { box.fields.actions }
  /// A page that explains the error.
  public var help: URL? { box.fields.help }
  /// The field of a form or document that the error is about.
  public var field: JSONPointer? { box.fields.field }
  /// What was being done, the innermost first.
  public var context: [Frame] { box.fields.context }
  /// What caused it, in order of importance.
  public var underlying: [any Error] { box.fields.underlying }
  /// Where it was made.
  public var site: SourceSite { box.fields.site }
  /// When it was made.
  public var time: Date { box.fields.time }
  /// The identity of this one failure: it stays through conversions and context.
  public var id: UUID { box.fields.id }
}

extension AppError {
  /// The same failure, with a frame added that says what was being done.
  public func adding(context frame: Frame) -> AppError {
    var copy = self
    copy.fields.context.append(frame)
    return copy
  }

  /// The same failure, about a field of a form or document.
  public func about(field: JSONPointer) -> AppError {
    var copy = self
    copy.fields.field = field
    return copy
  }

  /// The same failure with another disposition, for whoever knows more than the error says.
  ///
  /// Severity and actions follow where they were what is usual for the old disposition. Once the
  /// outcome is unknown nothing suggests to try again: the person is asked to check first.
  public func with(disposition: Disposition) -> AppError {
    var copy = self
    let old = fields.disposition
    if fields.severity == old.usualSeverity { copy.fields.severity = disposition.usualSeverity }
    if fields.actions == old.defaultActions { copy.fields.actions = disposition.defaultActions }
    copy.fields.disposition = disposition
    if disposition == .unknownOutcome, old != .unknownOutcome {
      copy.fields.suggestion = BuiltInError.outcomeUnknown.suggestion
      if let retry = copy.fields.actions.firstIndex(where: { $0.id == RecoveryAction.retry.id }) {
        copy.fields.actions[retry] = .checkOutcome
      }
    }
    return copy
  }

  /// The same failure with technical values added; the new value wins where both have a name.
  public func adding(metadata: [String: String]) -> AppError {
    var copy = self
    copy.fields.metadata.merge(metadata) { $1 }
    return copy
  }

  /// The same failure, as one of somebody else than whom the policies around the call guard, or as
  /// one of its own.
  ///
  /// What its disposition says still holds for whoever repeats the call. Those who learn from
  /// failures, such as breakers, learn nothing from this one.
  package func elsewhere(_ isElsewhere: Bool = true) -> AppError {
    guard fields.isElsewhere != isElsewhere else { return self }
    var copy = self
    copy.fields.isElsewhere = isElsewhere
    return copy
  }

  /// The first cause of a type, looking through the whole chain from the outside in.
  public func cause<E: Error>(as type: E.Type = E.self) -> E? {
    for error in ErrorChain(self).dropFirst() {
      if let match = error as? E { return match }
    }
    return nil
  }
}

extension AppError: Equatable {
  /// Whether both say the same thing in the same words: same code, kind, disposition, field, title,
  /// message and suggestion.
  public static func == (left: AppError, right: AppError) -> Bool {
    if left.box === right.box { return true }
    let (a, b) = (left.fields, right.fields)
    return a.code == b.code && a.kind == b.kind && a.disposition == b.disposition
      && a.field == b.field && a.title == b.title && a.message == b.message
      && a.suggestion == b.suggestion
  }
}

extension AppError: CustomStringConvertible {
  /// One line for logs: code, kind, disposition, place and causes, without any text for people.
  public var description: String {
    var line = "\(code.rawValue) (\(kind), \(disposition)) at \(site)"
    if let field { line += " field \(Redaction.redact(field.description))" }
    if let details { line += ": \(Redaction.redact(details))" }
    for cause in ErrorChain(self).dropFirst().prefix(10) {
      line += " ← " + RecordedError(cause).description
    }
    return line
  }
}

extension AppError.Fields {
  /// The fields without anything blank that a person would be shown.
  fileprivate var readable: AppError.Fields {
    let isReadable =
      !title.isBlank && !message.isBlank && suggestion?.isBlank != true
      && !actions.contains { $0.title.isBlank } && time.timeIntervalSince1970.isFinite
    if isReadable { return self }
    var copy = self
    if title.isBlank { copy.title = BuiltInError.unknown.title }
    if message.isBlank { copy.message = BuiltInError.unknown.message }
    if suggestion?.isBlank == true { copy.suggestion = nil }
    copy.actions.removeAll { $0.title.isBlank }
    copy.time = time.finite
    return copy
  }
}

extension Disposition {
  /// How bad an error of this disposition usually is.
  var usualSeverity: Severity {
    switch self {
    case .cancelled: .debug
    case .rejected, .needsUser: .info
    case .transient, .throttled: .warning
    case .permanent, .unknownOutcome, .unclassified: .error
    }
  }
}
