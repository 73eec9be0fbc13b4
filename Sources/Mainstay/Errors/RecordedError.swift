// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What is kept of an error once it has left the process that threw it: its type, code and text.
///
/// The text has been redacted before it was kept.
public struct RecordedError: Error, Sendable, Hashable, Codable {
  /// The type with its module, such as `Foundation.URLError`.
  public let type: String
  /// The code by which the type tells its errors apart: an ``ErrorCode``, the name of an enum and
  /// of its case, or domain and number.
  public let code: String
  /// The technical text, redacted.
  public let text: String
  /// What caused it, where it was recorded as a cause itself.
  let causes: [RecordedError]
  /// What its group is made of, where it was recorded as a cause.
  let identity: RecordedIdentity?

  private enum CodingKeys: String, CodingKey { case type, code, text, causes, identity }

  private static let maximumPath = 64

  /// Makes a record from its parts; the text is redacted.
  public init(type: String, code: String, text: String) {
    self.init(type: type, code: code, redacted: Redaction.redact(text))
  }

  private init(
    type: String, code: String, redacted text: String, causes: [RecordedError] = [],
    identity: RecordedIdentity? = nil
  ) {
    self.type = type
    self.code = code
    self.text = text
    self.causes = causes
    self.identity = identity
  }

  /// Records an error with what caused it.
  init(_ error: any Error, causes: [RecordedError]) {
    let record = RecordedError(error)
    let known = error as? RecordedError
    self.init(
      type: record.type, code: record.code, redacted: record.text, causes: causes,
      identity: known == nil ? RecordedIdentity(of: error) : known?.identity)
  }

  /// Decodes a record, also one without its causes, as earlier releases wrote them.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let isDeep = decoder.codingPath.count > Self.maximumPath
    self.init(
      type: try values.decode(String.self, forKey: .type),
      code: try values.decode(String.self, forKey: .code),
      redacted: try values.decode(String.self, forKey: .text),
      causes: isDeep
        ? [] : try values.decodeIfPresent([RecordedError].self, forKey: .causes) ?? [],
      identity: (try? values.decodeIfPresent(RecordedIdentity.self, forKey: .identity)) ?? nil)
  }

  /// Encodes the record; what is empty is left out.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(type, forKey: .type)
    try values.encode(code, forKey: .code)
    try values.encode(text, forKey: .text)
    if !causes.isEmpty { try values.encode(causes, forKey: .causes) }
    try values.encodeIfPresent(identity, forKey: .identity)
  }

  /// Records an error alone, without what caused it.
  public init(_ error: any Error) {
    if let error = error as? RecordedError {
      self.init(type: error.type, code: error.code, redacted: error.text)
      return
    }
    let type = QualifiedTypeName.of(Swift.type(of: error))
    if error is any AppErrorConvertible {
      let app = (error as? any AppErrorConvertible).flatMap { error in
        ConversionDepth.asking { error.appError }
      }
      self.init(type: type, code: app?.code.rawValue ?? "", text: app?.details ?? "")
    } else {
      self.init(
        type: type, code: Self.code(of: error, type: type),
        // What describes itself by its own record is not asked again.
        text: ConversionDepth.describing { Self.text(of: error) } ?? "")
    }
  }

  /// The name of the case of an enum, whose ordinal moves when a case is added; else the number
  /// that the author gave it.
  private static func code(of error: any Error, type: String) -> String {
    if !(Swift.type(of: error) is any CustomNSError.Type), let name = EnumCase.name(of: error) {
      return "\(type) \(name)"
    }
    let bridged = ConversionDepth.bridged(error)
    return "\(QualifiedTypeName.stripped(bridged.domain)) \(bridged.code)"
  }

  /// What the error says about itself: the text that its author wrote, else the name of its case.
  ///
  /// The values inside a case or a struct are left out, since anything may stand in them.
  private static func text(of error: any Error) -> String {
    if let error = error as? any ReticentError { return error.recordedText }
    if let text = PlainText.message(of: error) { return text }
    // The description of an `NSError` is its whole user info, addresses and all.
    if Swift.type(of: error) is NSError.Type { return "" }
    if Swift.type(of: error) is any CustomStringConvertible.Type,
      !(error is any CustomNSError)
    {
      return String(describing: error)
    }
    let mirror = Mirror(reflecting: error)
    guard mirror.displayStyle == .enum else { return "" }
    return mirror.children.first?.label ?? String(describing: error)
  }
}

extension RecordedError: CustomStringConvertible {
  /// Type, code and text on one line.
  public var description: String {
    [type, code.isEmpty ? "" : "[\(code)]", text].filter { !$0.isEmpty }.joined(separator: " ")
  }
}

/// Names of types that are the same in every run.
package enum QualifiedTypeName {
  /// The name of a type with its module and the types that it is nested in.
  package static func of(_ type: any Any.Type) -> String { stripped(String(reflecting: type)) }

  /// Whether something is taken out of a name.
  static func isStripped(_ name: String) -> Bool { name.contains("(unknown context at ") }

  /// Takes out `(unknown context at $…)`, by which the runtime names what is private or local: the
  /// address changes from run to run.
  ///
  /// What is left is the same for private types of one name in two files.
  package static func stripped(_ name: String) -> String {
    guard isStripped(name) else { return name }
    return name.replacing(/\(unknown context at \$?[0-9a-fA-Fx]+\)\./, with: "")
  }
}
