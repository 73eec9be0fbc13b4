// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// A call ended without an answer that could be used, for a reason that is no error of the server.
public struct JSONRPCConnectionError: Error, Sendable {
  /// What happened; the set is open.
  public struct Reason: Sendable, Hashable {
    /// The name of the reason.
    public let rawValue: String

    private init(_ rawValue: String) { self.rawValue = rawValue }

    /// No connection could be made.
    public static let unreachable = Reason("unreachable")
    /// The server did not open a WebSocket; the cause is an `HTTPError` where it said why.
    public static let refused = Reason("refused")
    /// The connection broke without a word.
    public static let lost = Reason("lost")
    /// The server closed the connection, with a code and a reason.
    public static let closedByServer = Reason("closed-by-server")
    /// The server broke the rules of WebSocket, so the connection was closed.
    public static let violation = Reason("protocol-violation")
    /// The server did not answer a ping in time.
    public static let silent = Reason("silent")
    /// A message is larger than the options allow.
    public static let tooLarge = Reason("too-large")
    /// What arrived cannot be read: no JSON, too deep, or no answer of JSON-RPC.
    public static let unreadable = Reason("unreadable")
    /// The answer to a batch has no answer to this call.
    public static let missing = Reason("missing")
    /// The time of the call was over.
    public static let timedOut = Reason("timed-out")
    /// As many calls as may wait were waiting.
    public static let full = Reason("full")
    /// Another call with the same id is on its way, or its answer may still come.
    public static let duplicateID = Reason("duplicate-id")
    /// What was to be sent is no request of JSON-RPC.
    public static let unsendable = Reason("unsendable")
    /// The client was closed by the app.
    public static let closed = Reason("closed")

    /// All of them, in the order of the page about errors.
    package static let all: [Reason] = [
      .unreachable, .refused, .lost, .closedByServer, .violation, .silent, .tooLarge, .unreadable,
      .missing, .timedOut, .full, .duplicateID, .unsendable, .closed,
    ]
  }

  /// What happened.
  public let reason: Reason
  /// The method that was called; nil where it is not about one call.
  public let method: String?
  /// Whether the server may have received the call; false only where that is certain.
  public let wasSent: Bool
  /// Whether calling the method twice does no harm.
  public let isRepeatable: Bool
  /// The code of WebSocket with which the connection was closed; nil where there was none.
  public let closeCode: Int?
  /// Technical words, redacted, such as the beginning of what could not be read.
  public let details: String?
  /// What caused it.
  public let cause: (any Error)?
  /// Whether other calls were on their way: what ended the connection may be about one of them.
  package let isShared: Bool

  package init(
    _ reason: Reason, method: String? = nil, wasSent: Bool = false, isRepeatable: Bool = false,
    closeCode: Int? = nil, details: String? = nil, isShared: Bool = false,
    cause: (any Error)? = nil
  ) {
    self.reason = reason
    self.method = method
    self.wasSent = wasSent
    self.isRepeatable = isRepeatable
    self.closeCode = closeCode
    self.details = details.map { BoundedText.redacted($0, to: BoundedText.text) }
    self.cause = cause
    self.isShared = isShared
  }
}
