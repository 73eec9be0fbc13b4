// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Mainstay
public import MainstayHTTP
public import MainstayJSONRPC

extension OgmiosClient {
  /// How a client behaves; the defaults suit a server nearby.
  public struct Options: Sendable {
    /// How long a call waits for its answer; more than zero, 30 seconds by default.
    public var timeout = Duration.seconds(30)
    /// How long a call waits for the next block, or for a new view of the mempool: both are
    /// answered only when something happens; more than zero, 10 minutes by default.
    public var longTimeout = Duration.seconds(600)
    /// What repeats calls, by default up to three attempts, one second apart; nil for nothing.
    public var retry: Retry? = OgmiosPresets.fixedRetry()
    /// Makes the breaker of each endpoint; by default it opens after five failures, for 30 seconds.
    public var breaker: @Sendable (_ endpoint: String) -> CircuitBreaker = {
      OgmiosPresets.breaker($0)
    }
    /// The largest answer that is read, in bytes; 1,000 to 1,000,000,000, 128 MiB by default.
    public var maximumMessageSize = 128 << 20
    /// How deep an answer may be nested; 8 to 512, 512 by default.
    ///
    /// Whoever sends a transaction chooses how deep its metadata and scripts are, and a block that
    /// is deeper than this cannot be read.
    public var maximumDepth = 512
    /// Header fields of each request, such as the key of a service in front of the server.
    public var headers: HTTPHeaderFields = [:]
    /// How WebSockets are opened and kept.
    ///
    /// What it says of waiting and restoring is set by the client. Whom it trusts, calls over HTTP
    /// trust too, unless there is a ``transport``.
    public var webSocket = JSONRPCClient.WebSocket()
    /// What carries calls over HTTP, and says by itself whom it trusts; nil, the default, for
    /// AsyncHTTPClient.
    public var transport: (any HTTPTransport)?
    /// How long an endpoint is asked last after it failed, at first; more than zero, 1 second by
    /// default.
    ///
    /// It doubles with each failure, up to 30 seconds.
    public var rest = Duration.seconds(1)
    /// Who is told what happens, outside of all locks; by default nobody.
    public var observer: (@Sendable (OgmiosEvent) -> Void)?

    /// Makes options with the defaults.
    public init() {}
  }
}

/// Something happened in a client of Ogmios; more may come, so keep an `@unknown default`.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum OgmiosEvent: Sendable, Hashable {
  /// Another endpoint answers now than before.
  case switched(to: String)
  /// An endpoint failed; the next one is asked.
  case failed(endpoint: String, OgmiosError.Kind)
  /// A WebSocket failed, and the call goes over HTTP to the same endpoint.
  case fellBackToHTTP(endpoint: String)
  /// A connection was brought to where the one before was.
  case restored(endpoint: String)
  /// A view of the ledger had run out, and was acquired again.
  case acquiredAgain(endpoint: String)
}
