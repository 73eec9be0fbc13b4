// SPDX-License-Identifier: Apache-2.0

public import Mainstay
public import MainstayHTTP

/// A call to Ogmios failed; nothing of what the server said is lost.
///
/// The number is that of the answer's structure, never one that stands in a text. Cancellations are
/// no errors of this type.
public struct OgmiosError: Error, Sendable {
  /// What failed, in one of seven words.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The exchange over HTTP: no connection, or an answer that is not Ogmios's.
    case http
    /// The WebSocket: it could not be opened, or it broke.
    case websocket
    /// The server answered with an error, which has a ``OgmiosError/code``.
    case response
    /// The server answered with something that cannot be read.
    case invalidResponse
    /// There was no answer in time.
    case timeout
    /// What was to be sent is not what Ogmios takes, so it was not sent.
    case invalidFormat
    /// The method needs what no endpoint offers: a WebSocket.
    case invalidMethod
  }

  /// One of several failures in an error, such as that of one script.
  public struct Failure: Sendable {
    /// What it is about, as Ogmios writes it, such as `spend:0`.
    public let validator: String
    /// What failed.
    public let error: OgmiosError
  }

  /// What failed.
  public let kind: Kind
  /// The number of the server's error; nil for any other kind than `response`.
  public let code: Int64?
  /// What the server says, in its words; for logs.
  public let serverMessage: String?
  /// What else the server says, numbers with all their digits.
  public let data: JSONValue?
  /// The method that was called.
  public let method: String
  /// Where it was called: the address without user, path and query; nil where nobody was.
  public let endpoint: String?
  /// What lies below; nil where the server answered.
  public let cause: AppError?
  /// Technical words.
  let note: String?
  /// How the node's chain stands to the caller's place, where the two share none of its blocks.
  private(set) var chain: Chain?

  /// Why nobody could look whether a transaction arrived; nil where somebody did, or none was sent.
  private(set) var look: String?

  /// How the chain of a node stands to a place that is not on it.
  enum Chain: Sendable, Hashable {
    /// It ends before that.
    case behind
    /// It is another one.
    case apart
  }

  init(
    _ kind: Kind, method: String, endpoint: String? = nil, code: Int64? = nil,
    message: String? = nil, data: JSONValue? = nil, cause: AppError? = nil, note: String? = nil
  ) {
    self.kind = kind
    self.code = code
    self.serverMessage = message
    self.data = data
    self.method = method
    self.endpoint = endpoint
    self.cause = cause
    self.note = note
  }

  /// Makes the error of a server, such as for a test.
  ///
  /// - Parameters:
  ///   - code: The number.
  ///   - message: What the server says.
  ///   - data: What else the server says; the default is nothing.
  ///   - method: The method that was called.
  public init(code: Int64, message: String, data: JSONValue? = nil, method: String) {
    self.init(.response, method: method, code: code, message: message, data: data)
  }

  /// What the number means; nil for a number that the schema does not have, and for other kinds.
  public var entry: OgmiosErrorCatalog.Entry? { code.flatMap(OgmiosErrorCatalog.entry(for:)) }

  /// What may be done, by number and data; nil for a number that nobody knows, and for other kinds.
  public var advice: OgmiosAdvice? {
    if chain == .behind { return .wait }
    if isTrial { return .fix }
    return code.flatMap { OgmiosErrorCatalog.advice(for: $0, data: data) }
  }

  /// The failures inside of this one, all of them, in the order of the answer: with 3010 one for
  /// each script that failed.
  public var failures: [Failure] {
    (data?.array ?? []).compactMap { item in
      guard let error = item["error"], let code = error["code"]?.integer else { return nil }
      let validator = item["validator"]
      let place = [validator?["purpose"]?.string, validator?["index"]?.integer.map(String.init)]
      return Failure(
        validator: validator?.string ?? place.compactMap(\.self).joined(separator: ":"),
        error: OgmiosError(
          .response, method: method, endpoint: endpoint, code: Int64(code),
          message: error["message"]?.string, data: error["data"]))
    }
  }

  /// The same, after a look that failed as well.
  func looked(_ failure: AppError) -> OgmiosError {
    var error = self
    error.look = Redaction.redact(String("\(failure)".prefix(500)))
    return error
  }

  /// The refusal of all points of a caller by a node that may be behind.
  ///
  /// - Parameters:
  ///   - cursor: Where the caller is.
  ///   - method: The method for which the node was to be brought there.
  /// - Returns: The same, which says whether the node is behind.
  func refusing(placeAt cursor: OgmiosPoint, for method: String) -> OgmiosError {
    let tip = (data?["tip"]).flatMap { try? OgmiosTip(OgmiosReader($0, method: method)) }
    var error = OgmiosError(
      kind, method: method, endpoint: endpoint, code: code, message: serverMessage, data: data,
      cause: cause, note: note)
    error.chain = tip.map { $0.point.slot < cursor.slot } == true ? .behind : .apart
    return error
  }

  /// Whether the endpoint itself failed, and not what was asked of it.
  var isTransportFailure: Bool {
    // The node behind the server is gone, and with it the connection.
    kind == .http || kind == .websocket || code == -32000 || wasNeverSent
  }

  /// Whether the server said it as it closed the connection, and not as an answer.
  var hasEndedConnection: Bool { kind == .response && cause != nil }

  /// Whether an answer that cannot be read was that of one call, so that the connection goes on.
  var isOfOneAnswer: Bool { cause?.metadata["jsonrpc.reason"] == "missing" }

  /// Whether a transaction that was only tried out has inputs that are spent: nothing was sent.
  var isTrial: Bool { method == "evaluateTransaction" && entry?.advice == .checkOutcome }

  /// Whether its time was over before there was a connection to send it over.
  var wasNeverSent: Bool { kind == .timeout && cause.map { !$0.mayHaveBeenSent } ?? false }

  /// Whether the server may have got the call.
  var mayHaveBeenSent: Bool { cause?.mayHaveBeenSent ?? (kind == .response) }
}

extension OgmiosError: Equatable {
  /// Whether both say the same of the same method.
  public static func == (left: OgmiosError, right: OgmiosError) -> Bool {
    left.kind == right.kind && left.code == right.code && left.method == right.method
      && left.data == right.data && left.cause == right.cause
  }
}

extension OgmiosError: CustomStringConvertible {
  /// One line for logs: method, kind, number and name, and what the server says, redacted.
  public var description: String {
    var line = "\(method): \(kind.rawValue)"
    if let code { line += " \(code)" }
    if let name = entry?.name { line += " \(name)" }
    if let words = serverMessage ?? note {
      line += ": " + Redaction.redact(String(words.prefix(500)))
    }
    if let endpoint { line += " at \(endpoint)" }
    return line
  }
}
