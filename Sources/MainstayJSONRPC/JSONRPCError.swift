// SPDX-License-Identifier: Apache-2.0

public import Mainstay
public import MainstayHTTP

/// A server answered a call with an error; nothing of it is lost.
///
/// Over HTTP it arrives with any status, 400 among them: the answer decides, not the status. The
/// number comes from the member `code` and never from a text. Source: JSON-RPC 2.0, section 5.1.
public struct JSONRPCError: Error, Sendable, Hashable {
  /// The number.
  public let code: Int64
  /// What the server says, in its words; for logs.
  public let message: String
  /// What else the server says, numbers with all their digits; nil where it says nothing.
  public let data: JSONValue?
  /// The method that was called.
  public let method: String
  /// What the number means; nil where the catalogue does not have it.
  public let entry: JSONRPCErrorCatalog.Entry?
  /// Whether calling the method twice does no harm.
  public let isRepeatable: Bool

  /// Makes an error, such as for a test.
  ///
  /// - Parameters:
  ///   - code: The number.
  ///   - message: What the server says.
  ///   - data: What else the server says; the default is nothing.
  ///   - method: The method that was called.
  ///   - catalog: What numbers mean; the default is `JSONRPCErrorCatalog.standard`.
  ///   - isRepeatable: Whether calling the method twice does no harm; the default is false.
  public init(
    code: Int64, message: String, data: JSONValue? = nil, method: String,
    catalog: JSONRPCErrorCatalog = .standard, isRepeatable: Bool = false
  ) {
    self.code = code
    self.message = message
    self.data = data
    self.method = method
    self.isRepeatable = isRepeatable
    entry = catalog[code]
  }
}

extension JSONRPCError: AppErrorConvertible {
  /// The answer as people and policies see it.
  ///
  /// Code and kind are those of `AppError.jsonRPC(code:)`: `rpc.32602` for a number that JSON-RPC
  /// reserves, and `jsonrpc.3117` for one of the server's own. What may be done, the catalogue says
  /// where it has the number. Words of the server stand in the metadata alone.
  public var appError: AppError {
    let row = row
    var metadata = row.metadata
    metadata["jsonrpc.code"] = String(code)
    metadata["jsonrpc.method"] = BoundedText.redacted(method, to: 200)
    metadata["server.message"] = BoundedText.redacted(message, to: BoundedText.text)
    metadata["jsonrpc.name"] = entry?.name
    let answer = AppError.Service.provider(code: String(code), message: message).appError
    let error = AppError(
      code: row.code, kind: kind, disposition: isOpen ? usual : disposition,
      title: text("title", entry?.title) ?? answer.title,
      message: text("message", entry?.meaning) ?? answer.message,
      suggestion: entry == nil ? answer.suggestion : text("suggestion", entry?.suggestion),
      details: description, metadata: metadata, help: entry?.help)
    // So the person is asked to look what was done before it is tried again.
    return isOpen ? error.with(disposition: .unknownOutcome) : error
  }

  /// What the number is to every module.
  private var row: AppError { .jsonRPC(code: Int(clamping: code), isRepeatable: isRepeatable) }

  /// The number as a part of a key.
  private var name: String { "jsonrpc." + (code < 0 ? "minus-\(code.magnitude)" : String(code)) }

  /// Whether the server may have done what must not be done twice.
  private var isOpen: Bool {
    entry.map { $0.mayHaveTakenEffect && !isRepeatable } ?? (row.disposition == .unknownOutcome)
  }

  /// What the number means where nothing may have been done.
  private var usual: Disposition { entry?.disposition ?? .unclassified }

  private var disposition: Disposition {
    isOpen ? .unknownOutcome : entry?.disposition ?? row.disposition
  }

  private var kind: ErrorKind {
    switch disposition {
    case .throttled: .throttled
    case .cancelled: .cancelled
    case .rejected: .rejected
    default: row.kind
    }
  }

  /// Words of the catalogue, which an app may have translated under their key.
  private func text(_ part: String, _ words: String?) -> LocalizableText? {
    words.map {
      JSONRPCTexts.library.text(
        "\(entry?.textKey ?? "error." + name).\(part)",
        english: LocalizableText(stringLiteral: $0))
    }
  }
}

extension JSONRPCError: CustomStringConvertible {
  /// One line for logs: method, number, name and what the server says, redacted.
  public var description: String {
    let name = entry.map { " \($0.name)" } ?? ""
    return BoundedText.redacted(method, to: 200) + ": error \(code)\(name): "
      + BoundedText.redacted(message, to: BoundedText.text)
  }
}
