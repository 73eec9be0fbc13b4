// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayAsyncHTTPClient
internal import MainstayHTTP
internal import MainstayJSONRPC

/// One endpoint: its connections, its breaker, and where its WebSocket is.
final class OgmiosLink: Sendable {
  /// Where the WebSocket is, and where the caller is; shared with what restores it.
  final class Places: Sendable {
    /// What a connection is brought to.
    struct Parts: OptionSet, Sendable {
      let rawValue: Int
      static let chain = Parts(rawValue: 1)
      static let ledger = Parts(rawValue: 2)
    }

    let parts: Locked<Parts>
    let connection = Locked(OgmiosPlaceStateMachine.Connection())
    /// The steps of the chain that were asked for.
    let steps = OgmiosSteps()
    /// The view of the mempool that was asked for last.
    let acquisition = OgmiosPendingStep()
    /// Whether the server has answered over HTTP since the last WebSocket was opened.
    let isServedByHTTP = Locked(false)
    let caller: OgmiosCallerPlace
    let restored: @Sendable () -> Void

    init(
      caller: OgmiosCallerPlace, parts: Parts, restored: @escaping @Sendable () -> Void
    ) {
      self.caller = caller
      self.parts = Locked(parts)
      self.restored = restored
    }
  }

  /// Scheme, host and port, with a number where another endpoint has the same.
  let name: String
  let breaker: CircuitBreaker
  let places: Places
  /// Nil where the endpoint is one of HTTP.
  let socket: JSONRPCClient?
  /// Makes a WebSocket beside that one, on which nothing is restored.
  let newSocket: (@Sendable () throws(ConfigurationError) -> JSONRPCClient)?
  /// Makes a WebSocket beside that one, on which the place on the chain is restored.
  let newChainSocket: (@Sendable (Places) throws(ConfigurationError) -> JSONRPCClient)?
  let chainLine: Locked<ChainLine>
  let looks = Locked(Looks())
  private let http: JSONRPCClient
  private let httpURL: URL
  private let transport: any HTTPTransport
  private let headers: HTTPHeaderFields
  /// Leaves what takes longer, without ending it.
  let leaving: @Sendable (Duration) -> Timeout.Abandoning

  init(
    _ url: URL, named name: String, _ options: OgmiosClient.Options, caller: OgmiosCallerPlace,
    clock: some Clock<Duration>
  ) throws(ConfigurationError) {
    self.name = name
    let observer = options.observer
    let places = Places(caller: caller, parts: [.chain, .ledger]) {
      observer?(.restored(endpoint: name))
    }
    self.places = places
    chainLine = Locked(ChainLine(places: places))
    var rpc = JSONRPCClient.Options()
    rpc.timeout = options.timeout
    rpc.maximumMessageSize = options.maximumMessageSize
    rpc.maximumDepth = options.maximumDepth
    rpc.maximumInFlight = 1_000
    // A question for the next block would wait for as long as there is one that cannot be read.
    rpc.endsUnreadable = true
    rpc.isRepeatable = OgmiosMethod.isRepeatable
    rpc.catalog = OgmiosErrorCatalog.catalog
    rpc.headers = options.headers
    rpc.webSocket = options.webSocket
    rpc.webSocket.waitsForConnection = false
    rpc.webSocket.restore = nil
    rpc.webSocket.identity = WebSocketIdentity()
    let bare = rpc
    rpc.webSocket.restore = { session in try await places.restore(on: session) }
    headers = options.headers
    leaving = { Timeout.Abandoning($0, disposition: .transient(), clock: clock) }
    httpURL = try Self.httpURL(of: url)
    if let own = options.transport {
      transport = own
    } else {
      transport = try Self.transport(to: httpURL, options.webSocket.trust)
    }
    http = try JSONRPCClient(http: httpURL, over: transport, options: rpc, clock: clock)
    let isSocket = ["ws", "wss"].contains(url.scheme?.lowercased() ?? "")
    socket = isSocket ? try JSONRPCClient(webSocket: url, options: rpc, clock: clock) : nil
    let newSocket: @Sendable () throws(ConfigurationError) -> JSONRPCClient = {
      () throws(ConfigurationError) in
      try JSONRPCClient(webSocket: url, options: bare, clock: clock)
    }
    self.newSocket = isSocket ? newSocket : nil
    let newChainSocket: @Sendable (Places) throws(ConfigurationError) -> JSONRPCClient = {
      (places) throws(ConfigurationError) in
      var own = bare
      own.webSocket.restore = { session in try await places.restore(on: session) }
      return try JSONRPCClient(webSocket: url, options: own, clock: clock)
    }
    self.newChainSocket = isSocket ? newChainSocket : nil
    breaker = options.breaker(name)
  }

  var hasSocket: Bool { socket != nil }

  /// What happens to the WebSocket, from now on; nil where there is none.
  var events: AsyncStream<JSONRPCEvent>? { socket?.events }

  /// How many are told what happens to the WebSocket.
  var listeners: Int { socket?.listeners ?? 0 }

  /// How the WebSocket stands; nil where there is none.
  var socketStatus: ConnectionStatus? { socket?.status }

  func close() {
    socket?.close()
    closeLooks()
    chainLine.withLock { $0.socket }?.close()
    http.close()
  }

  /// Calls over the WebSocket.
  func callSocket(
    _ method: String, _ params: JSONValue?, timeout: Duration
  ) async throws -> JSONValue {
    guard let socket else {
      throw OgmiosError(.invalidMethod, method: method, endpoint: name)
    }
    return try await call(socket, method, params, timeout: timeout, over: .websocket)
  }

  /// Calls over HTTP.
  func callHTTP(
    _ method: String, _ params: JSONValue?, timeout: Duration
  ) async throws -> JSONValue {
    do {
      let result = try await call(http, method, params, timeout: timeout, over: .http)
      places.isServedByHTTP.withLock { $0 = true }
      return result
    } catch let error as OgmiosError where error.kind == .response {
      places.isServedByHTTP.withLock { $0 = true }
      throw error
    }
  }

  /// Calls over one connection, with errors in the words of Ogmios.
  func call(
    _ client: JSONRPCClient, _ method: String, _ params: JSONValue?, timeout: Duration,
    over kind: OgmiosError.Kind
  ) async throws -> JSONValue {
    do throws(AppError) {
      return try await client.call(method, params, timeout: timeout)
    } catch {
      throw OgmiosError.from(error, method: method, endpoint: name, over: kind)
    }
  }

  /// Asks how the server is, whatever the status of its answer.
  func health(within limit: Duration, clock: some Clock<Duration>) async throws -> OgmiosHealth {
    let url = httpURL.appending(path: "health")
    do {
      return try await untilClosed { [transport, headers, name] in
        try await Timeout(limit, clock: clock).run {
          let reply = try await transport.send(HTTPTransmission(.get, url, headers: headers))
          let body = try await reply.body.collect(upTo: 1_000_000).bytes
          return try OgmiosHealth(status: reply.status, body: body, endpoint: name)
        }
      }
    } catch let error where error.isCancellation {
      throw error
    } catch let error as OgmiosError {
      throw error
    } catch {
      let cause = AppError.from(error)
      throw OgmiosError(
        cause.kind == .timeout ? .timeout : .http, method: "health", endpoint: name, cause: cause)
    }
  }

  /// What carries calls over HTTP and trusts whom the WebSocket trusts.
  private static func transport(
    to url: URL, _ trust: JSONRPCClient.WebSocket.Trust
  ) throws(ConfigurationError) -> any HTTPTransport {
    guard case .roots(let pem) = trust, url.scheme?.lowercased() == "https" else {
      return AsyncHTTPClientTransport()
    }
    do {
      return try AsyncHTTPClientTransport(roots: pem)
    } catch {
      // mainstay:ignore MS205 -- it says which option, and what is legal
      throw ConfigurationError(
        subject: "OgmiosClient",
        violations: [
          ConfigurationError.Violation(
            option: "webSocket.trust", value: "a text", rule: "it must be certificates in PEM")
        ])
    }
  }

  static func name(of url: URL) -> String {
    let port = url.port.map { ":\($0)" } ?? ""
    return "\(url.scheme?.lowercased() ?? "")://\(url.host() ?? "")\(port)"
  }

  /// The same address for HTTP; of it only the scheme changes.
  private static func httpURL(of url: URL) throws(ConfigurationError) -> URL {
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    switch url.scheme?.lowercased() {
    case "ws": parts?.scheme = "http"
    case "wss": parts?.scheme = "https"
    default: break
    }
    guard let address = parts?.url, address.host()?.isEmpty == false,
      ["http", "https"].contains(parts?.scheme?.lowercased() ?? "")
    else {
      throw ConfigurationError(
        subject: "OgmiosClient",
        violations: [
          .init(
            option: "endpoints", value: name(of: url),
            rule: "it must have a host and the scheme ws, wss, http or https")
        ])
    }
    return address
  }
}

/// Where the caller is, for all endpoints.
final class OgmiosCallerPlace: Sendable {
  private let state = Locked(OgmiosPlaceStateMachine())

  var now: OgmiosPlaceStateMachine { state.withLock { $0 } }

  func change<T: Sendable>(_ change: @Sendable (inout OgmiosPlaceStateMachine) -> T) -> T {
    state.withLock { state in change(&state) }
  }
}
