// SPDX-License-Identifier: Apache-2.0

import Foundation

extension AppError: Codable {
  private enum CodingKeys: String, CodingKey {
    case code, kind, disposition, severity, title, message, suggestion, details, metadata, actions
    case help, field, context, underlying, site, time, id
  }

  /// Decodes an error; its causes become ``RecordedError``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let recorded = try container.decodeIfPresent([RecordedError].self, forKey: .underlying) ?? []
    self.init(
      Fields(
        code: try container.decode(ErrorCode.self, forKey: .code),
        kind: try container.decode(ErrorKind.self, forKey: .kind),
        disposition: try container.decode(Disposition.self, forKey: .disposition),
        severity: try container.decode(Severity.self, forKey: .severity),
        title: try container.decode(LocalizableText.self, forKey: .title),
        message: try container.decode(LocalizableText.self, forKey: .message),
        suggestion: try container.decodeIfPresent(LocalizableText.self, forKey: .suggestion),
        details: try container.decodeIfPresent(String.self, forKey: .details),
        metadata: try container.decodeIfPresent([String: String].self, forKey: .metadata) ?? [:],
        actions: try container.decodeIfPresent([RecoveryAction].self, forKey: .actions) ?? [],
        help: try container.decodeIfPresent(URL.self, forKey: .help),
        field: try container.decodeIfPresent(JSONPointer.self, forKey: .field),
        context: try container.decodeIfPresent([Frame].self, forKey: .context) ?? [],
        underlying: recorded,
        site: try container.decode(SourceSite.self, forKey: .site),
        time: try container.decode(Date.self, forKey: .time),
        id: try container.decode(UUID.self, forKey: .id)))
  }

  /// Encodes the error, its causes as type, code and redacted text, each with its own causes.
  ///
  /// The technical details and values are redacted too; the texts for people are kept as they are.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(code, forKey: .code)
    try container.encode(kind, forKey: .kind)
    try container.encode(disposition, forKey: .disposition)
    try container.encode(severity, forKey: .severity)
    try container.encode(title, forKey: .title)
    try container.encode(message, forKey: .message)
    try container.encodeIfPresent(suggestion, forKey: .suggestion)
    try container.encodeIfPresent(details.map(Redaction.redact), forKey: .details)
    try container.encode(Redaction.redact(metadata), forKey: .metadata)
    try container.encode(actions, forKey: .actions)
    try container.encodeIfPresent(help, forKey: .help)
    try container.encodeIfPresent(field, forKey: .field)
    try container.encode(context.map(\.redacted), forKey: .context)
    try container.encode(RecordedError.causes(of: self), forKey: .underlying)
    try container.encode(site, forKey: .site)
    try container.encode(time, forKey: .time)
    try container.encode(id, forKey: .id)
  }
}

extension AppError.Frame {
  fileprivate var redacted: AppError.Frame {
    AppError.Frame(
      Redaction.redact(operation), metadata: Redaction.redact(metadata), site: site)
  }
}
