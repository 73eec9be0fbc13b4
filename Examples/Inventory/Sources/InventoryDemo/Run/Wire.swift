// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1

/// An answer that was read whole.
struct Answer: Sendable {
  let status: Int
  let body: Data

  /// - Throws: `DemoFailure` where it is not the document that was asked for.
  func document<Document: Decodable>(_ type: Document.Type) throws -> Document {
    do {
      guard (200...299).contains(status) else { throw DemoFailure("status \(status)") }
      return try JSONDecoder().decode(type, from: body)
    } catch {
      let text = String(decoding: body.prefix(300), as: UTF8.self)
      throw DemoFailure("An answer could not be read (\(error)): \(text)")
    }
  }
}

/// A program on loopback, as any client sees it.
struct Wire: Sendable {
  let port: Int
  let http: HTTPClient

  /// Makes the connections of a run.
  ///
  /// A connection that is refused is a post that got no answer, and not one that is tried again
  /// behind the client's back.
  static func connections() -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  /// Sends a request once.
  func send(
    _ method: String, _ path: String, _ body: Data? = nil, key: String? = nil
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
    request.method = HTTPMethod(rawValue: method)
    if let key { request.headers.add(name: "Idempotency-Key", value: key) }
    if let body {
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(ByteBuffer(bytes: body))
    }
    let response = try await http.execute(request, timeout: .seconds(20))
    let bytes = try await response.body.collect(upTo: 50_000_000)
    return Answer(status: Int(response.status.code), body: Data(bytes.readableBytesView))
  }
}
