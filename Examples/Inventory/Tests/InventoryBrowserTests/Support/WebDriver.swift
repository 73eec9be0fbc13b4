// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import InventoryCore
import NIOCore
import NIOHTTP1

/// A driver that steers a browser, as it is spoken to over HTTP.
///
/// https://www.w3.org/TR/webdriver2/
struct WebDriver: Sendable {
  enum Method: String {
    case get = "GET"
    case post = "POST"
    case delete = "DELETE"
  }

  /// How long the driver may take for a command: longer than a page, which it would tell of.
  static let limit = Browser.limit * 1.5

  let port: Int

  /// Sends a command and returns the value of its answer.
  ///
  /// - Throws: `WebDriverError` with what the driver says, when it refuses.
  @discardableResult
  func send(
    _ method: Method, _ path: String, _ body: JSONValue = [:], limit: Duration = Self.limit
  ) async throws -> JSONValue {
    var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
    request.method = HTTPMethod(rawValue: method.rawValue)
    if method == .post {
      request.headers.add(name: "Content-Type", value: "application/json; charset=utf-8")
      request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(body)))
    }
    let response: HTTPClientResponse
    do {
      response = try await HTTPClient.shared.execute(request, timeout: TimeAmount(limit))
    } catch let error as HTTPClientError where error == .deadlineExceeded {
      throw WebDriverError(
        code: "no answer", message: "nothing within \(limit)",
        command: "\(method.rawValue) \(path)")
    }
    // A picture of a page may have some megabytes.
    let bytes = try await response.body.collect(upTo: 50_000_000)
    let answer = try JSONDecoder().decode(JSONValue.self, from: Data(bytes.readableBytesView))
    let value = answer["value"] ?? .null
    guard response.status == .ok else {
      throw WebDriverError(
        code: value["error"]?.text ?? "\(response.status.code)",
        message: value["message"]?.text ?? "\(answer)", command: "\(method.rawValue) \(path)")
    }
    return value
  }
}

/// A command that the driver refused.
struct WebDriverError: Error, CustomStringConvertible {
  /// What the standard calls the error, such as `no such element`.
  let code: String
  let message: String
  let command: String

  /// Whether an asynchronous script ended without an answer.
  ///
  /// Its time is over, or the page that it ran in has gone; some drivers call both a timeout.
  var isLeftPage: Bool {
    code == "script timeout"
      || ["unloaded", "navigation", "execution context"].contains { message.contains($0) }
  }

  var description: String {
    "\(code): \(message.split(separator: "\n").first ?? "") (\(command))"
  }
}
