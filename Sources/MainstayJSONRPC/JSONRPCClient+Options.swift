// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Mainstay
public import MainstayHTTP

extension JSONRPCClient {
  /// How a client behaves; the defaults suit most services.
  public struct Options: Sendable {
    /// How long a call waits for its answer, from when it was made.
    ///
    /// More than zero, 30 seconds by default. A `Deadline` around the call may end it earlier.
    public var timeout = Duration.seconds(30)
    /// How many calls may be on their way at the same time; 1 to 100,000, 64 by default.
    public var maximumInFlight = 64
    /// How many calls may wait to be sent; zero to 1,000,000, 1,000 by default.
    public var maximumWaiting = 1_000
    /// The largest message that is read, in bytes; 1,000 to 1,000,000,000, 16,000,000 by default.
    public var maximumMessageSize = 16_000_000
    /// How deep an answer may be nested; 8 to 512, 128 by default.
    public var maximumDepth = 128
    /// Whether calling a method twice does no harm; by default this is true of none.
    public var isRepeatable: @Sendable (_ method: String) -> Bool = { _ in false }
    /// What numbers of errors mean.
    public var catalog = JSONRPCErrorCatalog.standard
    /// Header fields of each request, or of the one that opens a WebSocket.
    public var headers: HTTPHeaderFields = [:]
    /// How a WebSocket is kept; of no concern over HTTP.
    public var webSocket = WebSocket()
    /// Whether a WebSocket ends with something that cannot be read, where several calls may have
    /// been meant; otherwise each goes on waiting, and is told if its time passes.
    ///
    /// For services whose calls wait for as long as nothing happens.
    package var endsUnreadable = false

    /// Makes options with the defaults.
    public init() {}
  }

  /// How a WebSocket is opened, kept and opened again.
  public struct WebSocket: Sendable {
    /// Whom to trust, for `wss`.
    public enum Trust: Sendable, Hashable {
      /// Whom the system trusts; the default.
      case system
      /// Certificates of your own, in PEM; nobody else is trusted.
      case roots(pem: String)
    }

    /// How long opening may take, with the handshakes; more than zero, 10 seconds by default.
    public var openTimeout = Duration.seconds(10)
    /// How often the server is asked whether it is there; more than zero, 20 seconds by default,
    /// nil for never.
    public var pingInterval: Duration? = .seconds(20)
    /// How long it may take to answer that; more than zero, 10 seconds by default.
    public var pongTimeout = Duration.seconds(10)
    /// The wait before a connection is opened again.
    public var backoff = Backoff.exponential(from: .milliseconds(200), to: .seconds(20))
    /// Whether calls wait while there is no connection; true by default.
    ///
    /// They wait until their time is over. Otherwise all that wait fail with the first attempt that
    /// fails, and a call between two attempts starts the next one at once; where the server asked
    /// to wait, it fails at once instead.
    public var waitsForConnection = true
    /// The subprotocol to ask for; nil for none.
    public var subprotocol: String?
    /// Whom to trust, for `wss`.
    public var trust = Trust.system
    /// Brings a new connection to where the old one was, before any other call is made on it.
    ///
    /// What it throws closes that connection, and the next one is tried.
    public var restore: (@Sendable (JSONRPCSession) async throws -> Void)?
    /// What other clients of the same server know of whom to trust; nil for no others.
    package var identity: WebSocketIdentity?

    /// Makes options with the defaults.
    public init() {}
  }
}

extension JSONRPCClient.Options {
  /// Everything that is not legal.
  func check(_ address: URL, schemes: [String]) throws(ConfigurationError) {
    var found = Violations()
    let isAddress =
      schemes.contains(address.scheme?.lowercased() ?? "") && address.host?.isEmpty == false
      && (address.port.map { (1...65_535).contains($0) } ?? true)
    found.check(
      isAddress, "url", address.scheme ?? "none",
      "it must have a host and the scheme \(schemes.joined(separator: " or "))")
    found.check(timeout > .zero, "timeout", timeout, "it must be more than zero")
    check(maximumInFlight, "maximumInFlight", 1...100_000, &found)
    check(maximumWaiting, "maximumWaiting", 0...1_000_000, &found)
    check(maximumMessageSize, "maximumMessageSize", 1_000...1_000_000_000, &found)
    check(maximumDepth, "maximumDepth", 8...512, &found)
    if let name = headers.firstIllegalName {
      found.check(false, "headers", name.debugDescription, "it must be a header field of HTTP")
    }
    webSocket.check(&found)
    guard found.all.isEmpty else {
      throw ConfigurationError(subject: "JSONRPCClient", violations: found.all)
    }
  }

  private func check(
    _ value: Int, _ name: String, _ legal: ClosedRange<Int>, _ found: inout Violations
  ) {
    found.check(
      legal.contains(value), name, value, "it must be \(legal.lowerBound) to \(legal.upperBound)")
  }
}

extension JSONRPCClient.WebSocket {
  fileprivate func check(_ found: inout Violations) {
    let rule = "it must be more than zero"
    found.check(openTimeout > .zero, "webSocket.openTimeout", openTimeout, rule)
    if let pingInterval {
      found.check(pingInterval > .zero, "webSocket.pingInterval", pingInterval, rule)
    }
    found.check(pongTimeout > .zero, "webSocket.pongTimeout", pongTimeout, rule)
  }
}
