// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ErrorReport {
  /// How reports are written for a service: the same bytes for the same report, in valid UTF-8.
  ///
  /// One report takes 256,000 bytes at most. Of a longer one breadcrumbs and calls are left out,
  /// and where that is not enough, all but what names the error and its group, each cut to a
  /// length.
  public struct Encoding: Sendable {
    /// The value of `Content-Type`.
    public let contentType: String
    /// What the service's rate limits call this kind of data.
    public let category: String

    private let document: @Sendable ([ErrorReport]) -> Data
    private let holdsSeveral: Bool
    /// What is learned of reports after they were sent; nil where the form has no place for it.
    let updates: (@Sendable ([ErrorReport]) -> Data?)?
    /// How many reports were lost, as the service is told; nil where the form has no place for it.
    let losses: (@Sendable ([DropReason: Int], Date) -> Data?)?

    /// The most bytes that one report takes.
    static let limit = 256_000

    init(
      contentType: String, category: String, holdsSeveral: Bool,
      updates: (@Sendable ([ErrorReport]) -> Data?)? = nil,
      losses: (@Sendable ([DropReason: Int], Date) -> Data?)? = nil,
      document: @escaping @Sendable ([ErrorReport]) -> Data
    ) {
      self.contentType = contentType
      self.category = category
      self.holdsSeveral = holdsSeveral
      self.updates = updates
      self.losses = losses
      self.document = document
    }

    /// One report as the body of a request.
    public func body(of report: ErrorReport) -> Data { bounded(report).body }

    /// Reports as the bodies of as few requests as the form allows, in the same order.
    ///
    /// - Parameter reports: The reports.
    /// - Returns: Each body with the reports that stand in it; no body is longer than a million
    ///   bytes.
    public func bodies(of reports: [ErrorReport]) -> [(reports: [ErrorReport], body: Data)] {
      guard holdsSeveral else { return reports.map { ([$0], body(of: $0)) } }
      var result: [(reports: [ErrorReport], body: Data)] = []
      var group: [(original: ErrorReport, bounded: ErrorReport)] = []
      var size = 0
      func close() {
        guard !group.isEmpty else { return }
        result.append((group.map(\.original), document(group.map(\.bounded))))
        (group, size) = ([], 0)
      }
      for report in reports {
        let (small, body) = bounded(report)
        if size + body.count > 1_000_000 { close() }
        group.append((report, small))
        size += body.count
      }
      close()
      return result
    }

    /// The report, or as much of it as fits, and the body with it, which was needed to know that.
    private func bounded(_ report: ErrorReport) -> (report: ErrorReport, body: Data) {
      let whole = document([report])
      if whole.count <= Self.limit { return (report, whole) }
      let trimmed = report.trimmed
      let shorter = document([trimmed])
      if shorter.count <= Self.limit { return (trimmed, shorter) }
      let essential = report.essential
      return (essential, document([essential]))
    }
  }
}

extension ErrorReport {
  /// What names the error and its group, and nothing that may be long, whoever wrote the report.
  var essential: ErrorReport {
    var copy = trimmed.fields
    copy.metadata = ["mainstay.cut": "true"]
    copy.causes = copy.causes.suffix(1).map { cause in
      RecordedError(type: Self.name(cause.type), code: Self.name(cause.code), text: "")
    }
    copy.frames = []
    copy.type = Self.name(copy.type)
    copy.title = Self.name(copy.title)
    copy.message = BoundedText.cut(copy.message, to: BoundedText.text)
    copy.suggestion = copy.suggestion.map(Self.name)
    copy.details = copy.details.map(Self.name)
    copy.operation = copy.operation.map(Self.name)
    copy.category = copy.category.map(Self.name)
    if copy.kind.rawValue.utf8.count > BoundedText.name { copy.kind = .unknown }
    copy.facts = Self.essential(copy.facts)
    copy.site = SourceSite(
      fileID: Self.name(copy.site.fileID), function: Self.name(copy.site.function),
      line: copy.site.line)
    copy.presentation = copy.presentation?.essential
    copy.recovery = copy.recovery?.essential
    return ErrorReport(copy)
  }

  fileprivate static func name(_ text: String) -> String {
    BoundedText.cut(text, to: BoundedText.name)
  }

  /// The first facts by name; of two whose names are cut to the same one, the first.
  private static func essential(_ facts: [String: String]) -> [String: String] {
    let first = facts.sorted { $0.key < $1.key }.prefix(32)
    return Dictionary(first.map { (name($0.key), name($0.value)) }) { first, _ in first }
  }

  /// The identifiers of the trace that it was captured in, where ``Trace/identifiers`` put them.
  var trace: (trace: String, span: String)? {
    guard let trace = metadata[Trace.traceKey], let span = metadata[Trace.spanKey],
      Trace.isIdentifier(trace, length: 32), Trace.isIdentifier(span, length: 16)
    else { return nil }
    return (trace, span)
  }
}

extension RecoveryAction.ID {
  /// Nil for one that is no name: only a file can hold it.
  fileprivate var essential: Self? { rawValue.utf8.count > BoundedText.name ? nil : self }
}

extension ErrorReport.Presentation {
  fileprivate var essential: Self {
    Self(
      style: ErrorReport.name(style), titleKey: titleKey.map(ErrorReport.name),
      action: action?.essential, time: time)
  }
}

extension ErrorReport.Recovery {
  fileprivate var essential: Self {
    Self(
      id: id, fingerprint: fingerprint, code: code, type: ErrorReport.name(type),
      succeeded: succeeded, operation: operation.map(ErrorReport.name), action: action?.essential,
      time: time)
  }
}
