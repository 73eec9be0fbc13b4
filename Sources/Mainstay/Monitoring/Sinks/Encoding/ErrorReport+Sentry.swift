// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ErrorReport.Encoding {
  /// Envelopes of Sentry with one event each, for `/api/<project>/envelope/`.
  ///
  /// The group is the fingerprint, so Sentry's own grouping is not asked. Of the facts, `app.name`
  /// with `app.version` becomes the release and `environment` the environment. The public value
  /// `user.id` of the metadata or the facts becomes the user; see
  /// ``sentry(tags:sendsUserName:)`` for more.
  ///
  /// Source: Sentry's developer documentation, "Envelopes" and "Event Payloads".
  public static let sentry: Self = sentry(Sentry.Options(tags: [], sendsUserName: false))

  /// The same with tags of the app's own, which Sentry's search finds.
  ///
  /// The tags `code`, `kind`, `disposition` and `operation` are there anyway. The user has the
  /// names of OpenTelemetry: `user.id`, and `user.name` where that is allowed. Nothing else that
  /// begins with `user.` is sent, and no private value.
  ///
  /// Source: Sentry's documentation, "Tags" and "User Interface".
  ///
  /// - Parameters:
  ///   - tags: The names of metadata or facts that are sent as tags as well, such as `plan`, with
  ///     few different values each; metadata comes first. The default is none. In a name all but
  ///     letters and digits of ASCII and `_.:-` becomes a hyphen, and 32 characters are kept. A
  ///     value is one line of 200 bytes at most; one that is empty is left out.
  ///   - sendsUserName: Whether `user.name` is sent; the default is false.
  /// - Returns: The encoding.
  public static func sentry(tags: Set<String> = [], sendsUserName: Bool = false) -> Self {
    sentry(Sentry.Options(tags: tags.sorted(), sendsUserName: sendsUserName))
  }

  private static func sentry(_ options: Sentry.Options) -> Self {
    Self(
      contentType: "application/x-sentry-envelope", category: "error", holdsSeveral: false,
      losses: { Self.sentryLosses($0, at: $1) }
    ) { reports in
      reports.reduce(into: Data()) { $0 += Sentry.envelope($1, options) }
    }
  }

  /// An envelope that tells Sentry how many reports were lost, and why.
  ///
  /// Told are losses that Sentry cannot know of: nothing of what is reported anyway by another
  /// report (`duplicate`, `suppressed`), was never meant for it (`withheld`, `noSink`) or was
  /// counted by Sentry itself (`rateLimited`).
  ///
  /// - Parameters:
  ///   - losses: How many were lost since the last time, by reason.
  ///   - time: When they were counted.
  /// - Returns: The envelope; nil where nothing is to be told.
  public static func sentryLosses(
    _ losses: [ErrorReport.DropReason: Int], at time: Date
  ) -> Data? {
    var quantities: [String: Int] = [:]
    for (reason, count) in losses where count > 0 {
      guard let name = Sentry.reason(reason) else { continue }
      quantities[name] = (quantities[name] ?? 0).addingReportingOverflow(count).partialValue
    }
    guard !quantities.isEmpty else { return nil }
    let events = quantities.sorted { $0.key < $1.key }.map { reason, quantity in
      JSONNode.members([
        "reason": .string(reason), "category": .string("error"), "quantity": .integer(quantity),
      ])
    }
    let payload = JSONNode.members([
      "timestamp": .string(WireTime.iso(time)), "discarded_events": .array(events),
    ])
    return Sentry.envelope(headers: [:], type: "client_report", payload: payload)
  }
}

private enum Sentry {
  /// What of a report an app wants to have sent besides.
  struct Options: Sendable {
    /// The names of values, in order.
    let tags: [String]
    let sendsUserName: Bool
  }

  static func envelope(_ report: ErrorReport, _ options: Options) -> Data {
    envelope(
      headers: ["event_id": .string(identifier(report.id))], type: "event",
      payload: event(report, options))
  }

  /// A line of headers, a line of the item's headers with its length, the item.
  static func envelope(
    headers: KeyValuePairs<String, JSONNode?>, type: String, payload: JSONNode
  ) -> Data {
    let bytes = payload.encoded
    let item = JSONNode.members([
      "type": .string(type), "content_type": .string("application/json"),
      "length": .integer(bytes.count),
    ])
    let newline = Data([UInt8(ascii: "\n")])
    return JSONNode.members(headers).encoded + newline + item.encoded + newline + bytes + newline
  }

  static func reason(_ reason: ErrorReport.DropReason) -> String? {
    switch reason.rawValue {
    case "duplicate", "suppressed", "withheld", "noSink", "rateLimited": nil
    case "overflow": "queue_overflow"
    case "expired", "tooLarge", "noSpace", "unwritable": "cache_overflow"
    case "rejected": "send_error"
    default: "internal_sdk_error"
    }
  }

  private static func identifier(_ id: UUID) -> String {
    id.uuidString.lowercased().filter { $0 != "-" }
  }

  private static func event(_ report: ErrorReport, _ options: Options) -> JSONNode {
    .members([
      "event_id": .string(identifier(report.id)),
      "timestamp": .string(WireTime.iso(report.time)),
      "platform": .string("other"),
      "level": .string(level(report.severity)),
      "logger": report.category.map { .string(cut($0, to: 64)) },
      "transaction": report.operation.map(JSONNode.string),
      "release": release(report.facts),
      "environment": report.facts["environment"].flatMap(environment),
      "fingerprint": .array([.string(report.fingerprint.description)]),
      "exception": .members(["values": .array(exceptions(report))]),
      "breadcrumbs": breadcrumbs(report),
      "tags": tags(report, options),
      "user": user(report, options),
      "contexts": contexts(report),
      "sdk": .members([
        "name": .string("mainstay.swift"), "version": .string(MainstayVersion.current),
      ]),
    ])
  }

  private static func release(_ facts: [String: String]) -> JSONNode? {
    guard let version = facts["app.version"] ?? facts["service.version"] else { return nil }
    let name = facts["app.name"] ?? facts["service.name"]
    // What a release may not contain.
    let legal = [name, version].compactMap { $0 }.joined(separator: "@")
      .filter { !$0.isNewline && $0 != "/" && $0 != "\\" && $0 != "\t" }
    return legal.isEmpty ? nil : .string(cut(legal, to: 200))
  }

  /// Without white space and slashes, which become hyphens, and never "None".
  ///
  /// Source: Sentry's documentation, "Environments".
  private static func environment(_ name: String) -> JSONNode? {
    let parts = name.unicodeScalars.split { scalar in
      scalar == "/" || scalar == "\\" || scalar.properties.isWhitespace
        || scalar.properties.generalCategory == .control
    }
    let legal = parts.map(String.init).joined(separator: "-")
    return legal.isEmpty || legal.lowercased() == "none" ? nil : .string(cut(legal, to: 64))
  }

  private static func level(_ severity: Severity) -> String {
    switch severity {
    case .debug: "debug"
    case .info: "info"
    case .warning: "warning"
    case .error: "error"
    case .critical: "fatal"
    }
  }

  /// The innermost cause first; each names the one that it caused by its number.
  private static func exceptions(_ report: ErrorReport) -> [JSONNode] {
    // It stands in the list of issues: what is said of all that nobody has classified says nothing.
    let isForeign = report.disposition == .unclassified
    let outermost = JSONNode.members([
      "type": .string(report.type),
      "value": .string(isForeign ? report.details ?? report.message : report.message),
      "stacktrace": stack(report),
      "mechanism": .members([
        "type": .string("mainstay"), "handled": .bool(report.isHandled),
        "exception_id": .integer(0),
      ]),
    ])
    let causes = report.causes.enumerated().map { index, cause in
      JSONNode.members([
        "type": .string(cause.type),
        "value": .string([cause.code, cause.text].filter { !$0.isEmpty }.joined(separator: " ")),
        "mechanism": .members([
          "type": .string("chained"), "handled": .bool(report.isHandled),
          "exception_id": .integer(index + 1), "parent_id": .integer(index),
        ]),
      ])
    }
    return causes.reversed() + [outermost]
  }

  /// The outermost call first.
  private static func stack(_ report: ErrorReport) -> JSONNode? {
    let site = JSONNode.members([
      "function": .string(report.site.function), "filename": .string(report.site.fileID),
      "lineno": .integer(max(0, report.site.line)), "in_app": .bool(true),
    ])
    let calls = report.stack.reversed().map { JSONNode.members(["function": .string($0)]) }
    return .members(["frames": .array(calls + [site])])
  }

  private static func breadcrumbs(_ report: ErrorReport) -> JSONNode? {
    guard !report.breadcrumbs.isEmpty else { return nil }
    let values = report.breadcrumbs.map { breadcrumb in
      JSONNode.members([
        "timestamp": .string(WireTime.iso(breadcrumb.time)),
        "message": .string(breadcrumb.message),
        "category": breadcrumb.category.map(JSONNode.string),
        "level": .string(level(breadcrumb.severity)),
        "data": Self.values(breadcrumb.metadata),
      ])
    }
    return .members(["values": .array(values)])
  }

  /// One line of at most 200 characters each, as Sentry demands.
  private static func tags(_ report: ErrorReport, _ options: Options) -> JSONNode {
    var tags: [(name: String, value: JSONNode)] = [
      ("code", .string(report.code.rawValue)),
      ("kind", .string(tag("\(report.kind)"))),
      ("disposition", .string(tag("\(report.disposition)"))),
    ]
    if let operation = report.operation { tags.append(("operation", .string(tag(operation)))) }
    var taken: Set = ["code", "kind", "disposition", "operation"]
    for name in options.tags where !isOfUser(name) {
      guard let value = value(of: name, in: report) else { continue }
      let (key, text) = (tagKey(name), tag(value).trimmingCharacters(in: .whitespaces))
      guard !key.isEmpty, !text.isEmpty, taken.insert(key).inserted else { continue }
      tags.append((key, .string(text)))
    }
    return .object(tags)
  }

  /// What Sentry takes: older servers take 32 characters, newer ones 200.
  private static func tagKey(_ name: String) -> String {
    let scalars = name.unicodeScalars.prefix(32).map { scalar -> Unicode.Scalar in
      let isLegal = scalar.isASCII && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar)
      return isLegal || "_.:-".unicodeScalars.contains(scalar) ? scalar : "-"
    }
    return String(String.UnicodeScalarView(scalars))
  }

  /// A value that says something: nil for one that is private or was redacted as a whole.
  private static func value(of name: String, in report: ErrorReport) -> String? {
    [report.metadata[name], report.facts[name]].compactMap(\.self)
      .first { !($0.isEmpty || $0.hasPrefix("<") && $0.hasSuffix(">")) }
  }

  private static func isOfUser(_ name: String) -> Bool { name.hasPrefix("user.") }

  /// Without an `ip_address`, so Sentry is not asked to look that up from the connection.
  private static func user(_ report: ErrorReport, _ options: Options) -> JSONNode? {
    let id = value(of: "user.id", in: report)
    let name = options.sendsUserName ? value(of: "user.name", in: report) : nil
    guard id != nil || name != nil else { return nil }
    return .members([
      "id": id.map { .string(cut($0, to: 128)) },
      "username": name.map { .string(cut($0, to: 128)) },
    ])
  }

  private static func tag(_ text: String) -> String {
    cut(String(text.map { $0.isNewline ? " " : $0 }), to: 200)
  }

  private static func contexts(_ report: ErrorReport) -> JSONNode {
    .members([
      "trace": report.trace.map {
        .members(["trace_id": .string($0.trace), "span_id": .string($0.span)])
      },
      "error": .members([
        "details": report.details.map(JSONNode.string),
        "suggestion": report.suggestion.map(JSONNode.string),
        "frames": report.frames.isEmpty
          ? nil : .array(report.frames.map { .string($0.operation) }),
        "suppressed": report.suppressed.map { .integer($0.count) },
        "recovered": report.recovery.map { .bool($0.succeeded) },
        "shown": report.presentation.map { .string($0.style) },
        "action": report.presentation?.action.map { .string($0.rawValue) },
        "site": .string("\(report.site)"),
      ]),
      "facts": values(report.facts),
      "metadata": values(report.metadata),
    ])
  }

  /// All that does not say who the user is, which has a place of its own.
  private static func values(_ all: [String: String]) -> JSONNode? {
    let kept = all.filter { !isOfUser($0.key) }
    return kept.isEmpty ? nil : .sorted(kept)
  }

  private static func cut(_ text: String, to limit: Int) -> String {
    BoundedText.cut(text, to: limit)
  }
}
