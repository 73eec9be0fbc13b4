// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What is kept of an error once it has left the process that threw it: its type, code and text.
///
/// The text has been redacted before it was kept.
public struct RecordedError: Error, Sendable, Hashable, Codable {
  /// The type with its module, such as `Foundation.URLError`.
  public let type: String
  /// The code by which the type tells its errors apart: an ``ErrorCode``, or domain and number.
  public let code: String
  /// The technical text, redacted.
  public let text: String

  /// Makes a record from its parts; the text is redacted.
  public init(type: String, code: String, text: String) {
    self.type = type
    self.code = code
    self.text = Redaction.redact(text)
  }

  /// Records an error.
  public init(_ error: any Error) {
    if let error = error as? RecordedError {
      self = error
      return
    }
    let type = QualifiedTypeName.of(Swift.type(of: error))
    if error is any AppErrorConvertible {
      let app = (error as? any AppErrorConvertible).flatMap { error in
        ConversionDepth.asking { error.appError }
      }
      self.init(type: type, code: app?.code.rawValue ?? "", text: app?.details ?? "")
    } else {
      let bridged = error as NSError
      self.init(
        type: type, code: "\(QualifiedTypeName.stripped(bridged.domain)) \(bridged.code)",
        // What describes itself by its own record is not asked again.
        text: ConversionDepth.describing { Self.text(of: error) } ?? "")
    }
  }

  /// What the error says about itself: the text that its author wrote, else the name of its case.
  ///
  /// The values inside a case or a struct are left out, since anything may stand in them.
  private static func text(of error: any Error) -> String {
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

  /// Takes out `(unknown context at $…)`, by which the runtime names what is private or local: the
  /// address changes from run to run.
  package static func stripped(_ name: String) -> String {
    guard name.contains("(unknown context at ") else { return name }
    return name.replacing(/\(unknown context at \$?[0-9a-fA-Fx]+\)\./, with: "")
  }
}
