// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
package import Foundation
package import InventoryCore
internal import NIOCore
internal import NIOHTTP1

/// An answer that was read whole.
package struct Answer: Sendable {
  package let status: Int
  /// By name in lower case.
  package let headers: [String: String]
  package let body: Data

  package init(status: Int, headers: [String: String], body: Data) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A member of the document, and of the documents in it: `outbox.pending`.
  package func member(_ path: String) throws -> JSONValue? {
    var value = try JSONDecoder().decode(JSONValue.self, from: body)
    for name in path.split(separator: ".") {
      guard case .object(let members) = value, let next = members[String(name)] else { return nil }
      value = next
    }
    return value
  }

  package func text(_ path: String) throws -> String? {
    if case .string(let text)? = try member(path) { text } else { nil }
  }

  package func number(_ path: String) throws -> Int? {
    if case .integer(let number)? = try member(path) { number } else { nil }
  }
}

/// A program that listens on loopback, as curl sees it.
package struct Address: Sendable {
  package let port: Int

  package init(port: Int) { self.port = port }

  package var origin: String { "http://127.0.0.1:\(port)" }

  package func send(
    _ method: String, _ path: String, _ body: String? = nil, _ headers: [String: String] = [:],
    limit: Duration = .seconds(600)
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: origin + path)
    request.method = HTTPMethod(rawValue: method)
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    if let body { request.body = .bytes(ByteBuffer(string: body)) }
    let response = try await HTTPClient.shared.execute(request, timeout: TimeAmount(limit))
    let bytes = try await response.body.collect(upTo: 20_000_000)
    return Answer(
      status: Int(response.status.code),
      headers: Dictionary(
        response.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 }),
      body: Data(bytes.readableBytesView))
  }

  /// Reads events until one fits.
  ///
  /// - Parameters:
  ///   - headers: What is sent with the request.
  ///   - path: Where the events are.
  ///   - opened: Called when the stream has begun.
  ///   - fits: Whether it is the one.
  /// - Throws: ``EventsEnded``, or where it cannot be read.
  package func event(
    _ headers: [String: String] = [:], at path: String = "/events", opened: () -> Void = {},
    where fits: (_ name: String, _ data: String) -> Bool
  ) async throws {
    var request = HTTPClientRequest(url: origin + path)
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
    if response.status == .ok { opened() }
    var text = ""
    for try await part in response.body {
      text += String(buffer: part)
      while let end = text.range(of: "\n\n") {
        let lines = text[..<end.lowerBound].split(separator: "\n")
        text = String(text[end.upperBound...])
        let name = lines.first { $0.hasPrefix("event: ") }?.dropFirst(7) ?? ""
        let data = lines.first { $0.hasPrefix("data: ") }?.dropFirst(6) ?? ""
        if fits(String(name), String(data)) { return }
      }
    }
    throw EventsEnded()
  }
}

/// The stream of events ended before one fitted.
package struct EventsEnded: Error {}
