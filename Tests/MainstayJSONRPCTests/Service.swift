// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayHTTPTesting
import MainstayJSONRPC
import TestSupport

/// Servers and clients that several suites need.
enum Service {
  /// A client of a server that listens on loopback.
  static func client(
    _ server: WebSocketServer, path: String = "/",
    _ change: (inout JSONRPCClient.Options) -> Void = { _ in }
  ) throws -> JSONRPCClient {
    var options = JSONRPCClient.Options()
    options.timeout = .patience
    options.webSocket.openTimeout = .patience
    options.webSocket.pingInterval = nil
    options.webSocket.backoff = .none
    change(&options)
    let url = try address(server.origin + path)
    return try JSONRPCClient(webSocket: url, options: options)
  }

  static func address(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw URLError(.badURL) }
    return url
  }

  /// A server that answers each text as a script says, in order.
  static func answering(
    _ answer: @escaping @Sendable (JSONValue) -> String?
  ) async throws -> WebSocketServer {
    try await WebSocketServer { connection in
      for await message in connection.messages {
        guard let value = message.json, let text = answer(value) else { continue }
        await connection.send(text)
      }
    }
  }

  /// The answer that repeats the params as the result.
  static func echo(_ request: JSONValue) -> String {
    result(request["params"] ?? .null, to: request)
  }

  static func result(_ result: JSONValue, to request: JSONValue) -> String {
    text(["jsonrpc": .string("2.0"), "result": result, "id": request["id"] ?? .null])
  }

  static func error(_ code: Int, _ message: String, to request: JSONValue) -> String {
    let error: JSONValue = .object(["code": .integer(code), "message": .string(message)])
    return text(["jsonrpc": .string("2.0"), "error": error, "id": request["id"] ?? .null])
  }

  static func text(_ members: [String: JSONValue]) -> String {
    String(decoding: JSONValue.object(members).encoded, as: UTF8.self)
  }
}

extension WebSocketServer.Message {
  /// The document that it is; nil where it is none.
  var json: JSONValue? {
    guard case .text(let text) = self else { return nil }
    return JSONValue(json: Data(text.utf8))
  }
}

extension Result where Failure == AppError {
  /// The error of the client itself, where that is what it is.
  var connectionError: JSONRPCConnectionError? { error?.cause() }
  /// The error of the server, where that is what it is.
  var serverError: JSONRPCError? { error?.cause() }
}

extension JSONRPCClient {
  /// A call, with its error as a value.
  func outcome(
    _ method: String, _ params: JSONValue? = nil, timeout: Duration? = nil
  ) async -> Result<JSONValue, AppError> {
    await outcome(of: JSONRPCRequest(method, params), timeout: timeout)
  }

  /// A call with an id of its own, with its error as a value.
  func outcome(
    of request: JSONRPCRequest, timeout: Duration? = nil
  ) async -> Result<JSONValue, AppError> {
    do throws(AppError) {
      return .success(try await call(request, timeout: timeout))
    } catch {
      return .failure(error)
    }
  }

  /// A call that goes on by itself; on return it has been sent, where there is a connection.
  func begun(
    _ method: String, _ params: JSONValue? = nil
  ) async -> Task<Result<JSONValue, AppError>, any Error> {
    await started { await self.outcome(method, params) }
  }
}
