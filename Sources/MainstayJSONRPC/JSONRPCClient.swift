// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay
public import MainstayHTTP

/// Calls methods of a server by JSON-RPC 2.0, over HTTP or a WebSocket.
///
/// ```swift
/// let client = try JSONRPCClient(webSocket: url)
/// let tip = try await client.call("queryNetwork/tip")
/// ```
///
/// Every call ends exactly once: with its answer, an error, or after its time. Answers come in any
/// order. A WebSocket is opened by the first call and, when it breaks, opened again; calls that
/// were not sent yet survive that. Source: JSON-RPC 2.0, RFC 6455.
public final class JSONRPCClient: Sendable {
  private let core: ClientCore

  /// Makes a client that speaks over a WebSocket.
  ///
  /// It is opened by the first call.
  ///
  /// - Parameters:
  ///   - url: The address, with the scheme `ws` or `wss`.
  ///   - options: How it behaves.
  ///   - clock: The clock that counts waits; the default is the continuous one.
  /// - Throws: `ConfigurationError` with everything that is not legal.
  public init(
    webSocket url: URL, options: Options = Options(),
    clock: some Clock<Duration> = ContinuousClock()
  ) throws(ConfigurationError) {
    try options.check(url, schemes: ["ws", "wss"])
    JSONRPCTexts.join()
    core = ClientCore(
      options: options, carrier: try WebSocketCarrier(url, options), isConnected: true,
      timeline: Timeline(clock))
  }

  /// Makes a client that speaks over HTTP: each call, and each batch, is a POST of its own.
  ///
  /// - Parameters:
  ///   - url: The address, with the scheme `http` or `https`.
  ///   - transport: What sends the requests.
  ///   - options: How it behaves.
  ///   - clock: The clock that counts waits; the default is the continuous one.
  /// - Throws: `ConfigurationError` with everything that is not legal.
  public init(
    http url: URL, over transport: any HTTPTransport, options: Options = Options(),
    clock: some Clock<Duration> = ContinuousClock()
  ) throws(ConfigurationError) {
    try options.check(url, schemes: ["http", "https"])
    JSONRPCTexts.join()
    core = ClientCore(
      options: options, carrier: HTTPCarrier(url, transport, options), isConnected: false,
      timeline: Timeline(clock))
  }

  /// Calls a method.
  ///
  /// - Parameters:
  ///   - method: The name of the method.
  ///   - params: What it is given: an array or an object; the default is nothing.
  ///   - timeout: How long to wait for the answer; more than zero, the default is that of the
  ///     options.
  /// - Returns: The result.
  /// - Throws: ``JSONRPCError`` where the server answers with one, ``JSONRPCConnectionError`` where
  ///   there is no answer, each as the cause of an `AppError`.
  public func call(
    _ method: String, _ params: JSONValue? = nil, timeout: Duration? = nil
  ) async throws(AppError) -> JSONValue {
    try await call(JSONRPCRequest(method, params), timeout: timeout)
  }

  /// Calls a method with an id of your own.
  ///
  /// - Parameters:
  ///   - request: The method, what it is given, and the id; not a notification.
  ///   - timeout: How long to wait for the answer; more than zero, the default is that of the
  ///     options.
  /// - Returns: The result.
  /// - Throws: As for a call without an id, and where another call has the same one; over a
  ///   WebSocket also one that was given up, until its answer has come or the connection is gone.
  public func call(
    _ request: JSONRPCRequest, timeout: Duration? = nil
  ) async throws(AppError) -> JSONValue {
    let outcomes = await core.run([request], isBatch: false, timeout: timeout)
    return try outcomes[0].get()
  }

  /// Calls a method and reads its result as a type.
  ///
  /// - Parameters:
  ///   - method: The name of the method.
  ///   - params: What it is given: an array or an object; the default is nothing.
  ///   - type: The type of the result.
  ///   - timeout: How long to wait for the answer; more than zero, the default is that of the
  ///     options.
  /// - Returns: The result.
  /// - Throws: As for the result as JSON, and where the result is not of that type.
  public func call<Value: Decodable>(
    _ method: String, _ params: JSONValue? = nil, as type: Value.Type, timeout: Duration? = nil
  ) async throws(AppError) -> Value {
    let result = try await call(method, params, timeout: timeout)
    do throws(JSONValue.ReadingError) {
      return try result.decode(as: type)
    } catch {
      throw error.asAppError.adding(metadata: ["jsonrpc.method": method])
    }
  }

  /// Calls a method without a limit of time.
  ///
  /// Calls that begin one after the other are told of their answers in the order in which these
  /// arrive.
  ///
  /// - Parameters:
  ///   - method: The name of the method.
  ///   - params: What it is given: an array or an object; the default is nothing.
  ///   - ended: Is told how it ended, outside of all locks; it does not wait for anything.
  /// - Returns: What gives the call up.
  package func begin(
    _ method: String, _ params: JSONValue? = nil,
    ended: @escaping @Sendable (Result<JSONValue, AppError>) -> Void
  ) -> @Sendable () -> Void {
    core.begin(JSONRPCRequest(method, params), ended: ended)
  }

  /// Sends a notification, which nobody answers.
  ///
  /// - Parameters:
  ///   - method: The name of the method.
  ///   - params: What it is given: an array or an object; the default is nothing.
  ///   - timeout: How long to wait until it is sent; the default is that of the options.
  /// - Throws: ``JSONRPCConnectionError`` as the cause of an `AppError`, where it was not sent.
  public func notify(
    _ method: String, _ params: JSONValue? = nil, timeout: Duration? = nil
  ) async throws(AppError) {
    let request = JSONRPCRequest(method, params, isNotification: true)
    _ = try await call(request, timeout: timeout)
  }

  /// Calls several methods in one message.
  ///
  /// A server that refuses batches refuses all of the calls.
  ///
  /// - Parameters:
  ///   - requests: The calls; an empty batch is not sent.
  ///   - timeout: How long to wait for all answers; the default is that of the options.
  /// - Returns: What became of each call, in the order of the requests; `null` for a notification.
  public func batch(
    _ requests: [JSONRPCRequest], timeout: Duration? = nil
  ) async -> [Result<JSONValue, AppError>] {
    if requests.isEmpty { return [] }
    return await core.run(requests, isBatch: true, timeout: timeout)
  }

  /// What the server sends without being asked, from now on; of what nobody fetches the newest
  /// 1,000 are kept.
  public var pushes: AsyncStream<JSONRPCPush> { core.pushes.listen() }

  /// What happens, from now on; of what nobody fetches the newest 1,000 are kept.
  public var events: AsyncStream<JSONRPCEvent> { core.events.listen() }

  /// How many are told what happens.
  package var listeners: Int { core.events.count }

  /// How the connection stands; over HTTP, how the last exchange went.
  public var status: ConnectionStatus { core.status }

  /// Ends all calls and the connection; later calls fail at once.
  public func close() { core.close() }

  deinit { core.close() }
}
