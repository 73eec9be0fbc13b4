// SPDX-License-Identifier: Apache-2.0

import Foundation

// Written by one release and read by another: what is missing or has another form is left out. Only
// identity and group have to be there, since nothing can be done with a report without them.

extension ErrorReport: Codable {
  private enum CodingKeys: String, CodingKey {
    case version, id, time, fingerprint, code, kind, disposition, severity, isHandled, type, title,
      message, suggestion
    case details, operation, category, metadata, causes, frames, site, breadcrumbs, stack
    case suppressed, presentation, recovery, facts
  }

  /// Decodes a report, also one of another version.
  ///
  /// - Throws: `DecodingError` where identity or group are missing or have another form.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func read<T: Decodable>(_ key: CodingKeys, _ other: T) -> T {
      ((try? values.decodeIfPresent(T.self, forKey: key)) ?? nil) ?? other
    }
    func list<T: Decodable>(_ key: CodingKeys) -> [T] {
      read(key, [Tolerant<T>]()).compactMap(\.value)
    }
    self.init(
      Fields(
        version: read(.version, 1),
        id: try values.decode(UUID.self, forKey: .id),
        time: read(.time, Date(timeIntervalSince1970: 0)).finite,
        fingerprint: try values.decode(Fingerprint.self, forKey: .fingerprint),
        code: read(.code, "unknown"),
        kind: read(.kind, .unknown),
        disposition: read(.disposition, .unclassified),
        severity: read(.severity, .error),
        isHandled: read(.isHandled, true),
        type: read(.type, ""),
        title: read(.title, ""),
        message: read(.message, ""),
        suggestion: read(.suggestion, nil),
        details: read(.details, nil),
        operation: read(.operation, nil),
        category: read(.category, nil),
        metadata: read(.metadata, [:]),
        causes: list(.causes),
        frames: list(.frames),
        site: read(.site, SourceSite(fileID: "", function: "", line: 0)),
        breadcrumbs: list(.breadcrumbs),
        stack: list(.stack),
        suppressed: read(.suppressed, nil),
        presentation: read(.presentation, nil),
        recovery: read(.recovery, nil),
        facts: read(.facts, [:])))
  }

  /// Encodes the report; what is empty is left out.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    let fields = fields
    func present<T: Collection>(_ all: T) -> T? { all.isEmpty ? nil : all }
    try values.encode(fields.version, forKey: .version)
    try values.encode(fields.id, forKey: .id)
    try values.encode(fields.time, forKey: .time)
    try values.encode(fields.fingerprint, forKey: .fingerprint)
    try values.encode(fields.code, forKey: .code)
    try values.encode(fields.kind, forKey: .kind)
    try values.encode(fields.disposition, forKey: .disposition)
    try values.encode(fields.severity, forKey: .severity)
    try values.encode(fields.isHandled, forKey: .isHandled)
    try values.encode(fields.type, forKey: .type)
    try values.encodeIfPresent(present(fields.title), forKey: .title)
    try values.encode(fields.message, forKey: .message)
    try values.encodeIfPresent(fields.suggestion, forKey: .suggestion)
    try values.encodeIfPresent(fields.details, forKey: .details)
    try values.encodeIfPresent(fields.operation, forKey: .operation)
    try values.encodeIfPresent(fields.category, forKey: .category)
    try values.encodeIfPresent(present(fields.metadata), forKey: .metadata)
    try values.encodeIfPresent(present(fields.causes), forKey: .causes)
    try values.encodeIfPresent(present(fields.frames), forKey: .frames)
    try values.encode(fields.site, forKey: .site)
    try values.encodeIfPresent(present(fields.breadcrumbs), forKey: .breadcrumbs)
    try values.encodeIfPresent(present(fields.stack), forKey: .stack)
    try values.encodeIfPresent(fields.suppressed, forKey: .suppressed)
    try values.encodeIfPresent(fields.presentation, forKey: .presentation)
    try values.encodeIfPresent(fields.recovery, forKey: .recovery)
    try values.encodeIfPresent(present(fields.facts), forKey: .facts)
  }
}

/// An element that is left out where it cannot be read.
private struct Tolerant<T: Decodable>: Decodable {
  let value: T?

  init(from decoder: any Decoder) throws { value = try? T(from: decoder) }
}
