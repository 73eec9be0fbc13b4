// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import TestSupport

/// A transport without a network, which answers as a test says and remembers what it was given.
final class ScriptedTransport: HTTPTransport {
  typealias Script = @Sendable (HTTPTransmission, Int) async throws -> HTTPReply

  /// A line for each request, so that a test can wait for it.
  let log = Log()
  private let script: Script
  private let requests = Locked<[HTTPTransmission]>([])

  init(_ script: @escaping Script) { self.script = script }

  /// Always the same answer.
  convenience init(_ reply: HTTPReply) { self.init { _, _ in reply } }

  /// What it was given, in order.
  var sent: [HTTPTransmission] { requests.withLock { $0 } }

  func send(_ transmission: HTTPTransmission) async throws -> HTTPReply {
    let count = requests.withLock { all in
      all.append(transmission)
      return all.count - 1
    }
    log.add("\(transmission.verb) \(transmission.url.path)")
    return try await script(transmission, count)
  }
}

extension HTTPReply {
  static func json(
    _ text: String = "{}", status: Int = 200, headers: HTTPHeaderFields = [:]
  ) -> HTTPReply {
    var fields: HTTPHeaderFields = ["Content-Type": "application/json"]
    fields.merge(headers)
    return HTTPReply(status: status, headers: fields, body: HTTPByteStream(Data(text.utf8)))
  }

  static func page(status: Int = 200) -> HTTPReply {
    HTTPReply(
      status: status, headers: ["Content-Type": "text/html; charset=utf-8"],
      body: HTTPByteStream(Data("<form>Sign in</form>".utf8)))
  }
}

extension AppError {
  /// A connection that could not be made.
  static var notSent: AppError {
    AppError.Network.offline.appError.adding(metadata: ["http.sent": "no"])
  }

  /// A connection that broke.
  static var broken: AppError {
    AppError.Network.timeout.appError.adding(metadata: ["http.sent": "maybe"])
  }
}

extension HTTPTransmission {
  /// The whole body.
  func content() async throws -> String {
    switch body {
    case .none: ""
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .stream(let stream):
      String(decoding: try await stream.collect(upTo: 1_000_000).bytes, as: UTF8.self)
    }
  }
}

/// A client without waits, over a scripted transport.
func client(
  _ transport: any HTTPTransport, attempts: Int = 3,
  settings: ResilientClient.Settings = ResilientClient.Settings(),
  authorization: HTTPAuthorization? = nil, cache: ResponseCache? = nil,
  onExchange: (@Sendable (HTTPExchange) -> Void)? = nil
) throws -> ResilientClient {
  guard let address = URL(string: "https://books.example/v1/") else { throw CancellationError() }
  return ResilientClient(
    "books", at: address, over: transport, settings: settings, authorization: authorization,
    cache: cache, onExchange: onExchange
  ) { _ in
    Pipeline("books") { Retry(maximumAttempts: attempts, backoff: .none) }
  }
}
