// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ErrorReport.Encoding {
  /// Log records of OTLP over HTTP in JSON, for `/v1/logs`.
  ///
  /// The facts are the attributes of the resource, so name them as OpenTelemetry does, such as
  /// `service.name`. `error.type` is the code, `exception.type` the type. The severity is 21 for
  /// critical, 17, 13, 9, and 5 for debug. What a person saw and did of a report that was sent
  /// before is a record of its own with its identity as `mainstay.report`.
  ///
  /// Source: OpenTelemetry Protocol 1.x, "JSON Protobuf Encoding"; semantic conventions for
  /// exceptions in logs.
  public static let otlp = Self(
    contentType: "application/json", category: "log_item", holdsSeveral: true,
    updates: { OTLP.document($0, OTLP.update).encoded }
  ) { OTLP.document($0, OTLP.record).encoded }
}

/// Names of members are in camel case, numbers of 64 bits are strings, identifiers are hexadecimal
/// and not base64, enumerations are numbers.
private enum OTLP {
  static func document(
    _ reports: [ErrorReport], _ record: (ErrorReport) -> JSONNode
  ) -> JSONNode {
    var resources: [(facts: [String: String], records: [JSONNode])] = []
    for report in reports {
      // Nearly always the same facts; of others there are as many as there were releases.
      if let index = resources.lastIndex(where: { $0.facts == report.facts }) {
        resources[index].records.append(record(report))
      } else {
        resources.append((report.facts, [record(report)]))
      }
    }
    return .members(["resourceLogs": .array(resources.map(resource))])
  }

  private static func resource(_ facts: [String: String], _ records: [JSONNode]) -> JSONNode {
    var all: [JSONNode] = facts.sorted { $0.key < $1.key }.map { text($0.key, $0.value) }
    if facts["telemetry.sdk.name"] == nil {
      all += [
        text("telemetry.sdk.language", "swift"), text("telemetry.sdk.name", "mainstay"),
        text("telemetry.sdk.version", MainstayVersion.current),
      ]
    }
    return .members([
      "resource": .members(["attributes": .array(all)]),
      "scopeLogs": .array([
        .members([
          "scope": .members([
            "name": .string("mainstay.errors"), "version": .string(MainstayVersion.current),
          ]),
          "logRecords": .array(records),
        ])
      ]),
    ])
  }

  /// What was learned of a report that was sent before: a record of its own that names it.
  static func update(_ report: ErrorReport) -> JSONNode {
    let time = WireTime.nanoseconds(
      report.recovery?.time ?? report.presentation?.time ?? report.time)
    let names = [
      text("mainstay.report", report.id.uuidString.lowercased()),
      text("error.type", report.code.rawValue),
      text("mainstay.fingerprint", report.fingerprint.description),
    ]
    return .members([
      "timeUnixNano": .string(time),
      "observedTimeUnixNano": .string(time),
      "severityNumber": .integer(number(.info)),
      "severityText": .string(Severity.info.rawValue.uppercased()),
      "body": .members(["stringValue": .string("an error was seen by a person or recovered from")]),
      "attributes": .array(names + sequel(report)),
      "traceId": report.trace.map { .string($0.trace) },
      "spanId": report.trace.map { .string($0.span) },
    ])
  }

  static func record(_ report: ErrorReport) -> JSONNode {
    .members([
      "timeUnixNano": .string(WireTime.nanoseconds(report.time)),
      "observedTimeUnixNano": .string(WireTime.nanoseconds(report.time)),
      "severityNumber": .integer(number(report.severity)),
      "severityText": .string(report.severity.rawValue.uppercased()),
      "body": .members(["stringValue": .string(report.message)]),
      "attributes": .array(attributes(report)),
      "traceId": report.trace.map { .string($0.trace) },
      "spanId": report.trace.map { .string($0.span) },
    ])
  }

  private static func attributes(_ report: ErrorReport) -> [JSONNode] {
    var all = [
      text("log.record.uid", report.id.uuidString.lowercased()),
      text("error.type", report.code.rawValue),
      text("exception.type", report.type),
      text("exception.message", report.details ?? report.message),
    ]
    let stack = report.stack + report.causes.map { "caused by \($0)" }
    if !stack.isEmpty { all.append(text("exception.stacktrace", stack.joined(separator: "\n"))) }
    all += [
      text("code.file.path", report.site.fileID),
      text("code.function.name", report.site.function),
      number("code.line.number", report.site.line),
      text("mainstay.fingerprint", report.fingerprint.description),
      text("mainstay.kind", "\(report.kind)"),
      text("mainstay.disposition", "\(report.disposition)"),
      attribute("mainstay.handled", .members(["boolValue": .bool(report.isHandled)])),
    ]
    if let suggestion = report.suggestion { all.append(text("mainstay.suggestion", suggestion)) }
    if let operation = report.operation { all.append(text("mainstay.operation", operation)) }
    if let category = report.category { all.append(text("mainstay.category", category)) }
    if let suppressed = report.suppressed {
      all.append(number("mainstay.suppressed", suppressed.count))
    }
    all += sequel(report)
    all += list("mainstay.frames", report.frames.map(\.operation))
    all += list("mainstay.breadcrumbs", report.breadcrumbs.map(line))
    all += report.metadata.sorted { $0.key < $1.key }
      .filter { report.trace == nil || ![Trace.traceKey, Trace.spanKey].contains($0.key) }
      .map { text("mainstay.metadata.\($0.key)", $0.value) }
    return all
  }

  /// What a person saw of it, and whether recovery worked.
  private static func sequel(_ report: ErrorReport) -> [JSONNode] {
    var all: [JSONNode] = []
    if let presentation = report.presentation {
      all.append(text("mainstay.presentation.style", presentation.style))
      if let key = presentation.titleKey { all.append(text("mainstay.presentation.title", key)) }
      if let action = presentation.action {
        all.append(text("mainstay.presentation.action", action.rawValue))
      }
    }
    if let recovery = report.recovery {
      let value = JSONNode.members(["boolValue": .bool(recovery.succeeded)])
      all.append(attribute("mainstay.recovered", value))
    }
    return all
  }

  private static func line(_ breadcrumb: ErrorReport.Breadcrumb) -> String {
    let category = breadcrumb.category.map { "\($0): " } ?? ""
    return "\(WireTime.iso(breadcrumb.time)) \(category)\(breadcrumb.message)"
  }

  private static func number(_ severity: Severity) -> Int {
    switch severity {
    case .debug: 5
    case .info: 9
    case .warning: 13
    case .error: 17
    case .critical: 21
    }
  }

  private static func attribute(_ key: String, _ value: JSONNode) -> JSONNode {
    .members(["key": .string(key), "value": value])
  }

  private static func text(_ key: String, _ value: String) -> JSONNode {
    attribute(key, .members(["stringValue": .string(value)]))
  }

  private static func number(_ key: String, _ value: Int) -> JSONNode {
    attribute(key, .members(["intValue": .string(String(value))]))
  }

  private static func list(_ key: String, _ lines: [String]) -> [JSONNode] {
    guard !lines.isEmpty else { return [] }
    let values = lines.map { JSONNode.members(["stringValue": .string($0)]) }
    return [attribute(key, .members(["arrayValue": .members(["values": .array(values)])]))]
  }
}
