// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import InventoryCore
import Mainstay
import MainstayDashboard
import NIOCore

extension HTTPField.Name {
  static let idempotencyKey = name("Idempotency-Key")
  static let idempotentReplayed = name("Idempotent-Replayed")
  static let lastEventID = name("Last-Event-ID")
  static let referrerPolicy = name("Referrer-Policy")

  private static func name(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no header") }
    return name
  }
}

extension Request {
  /// Documents are at most this large, in bytes.
  static let maximumDocument = 65_536

  /// Whether it may change something.
  var isWrite: Bool { ![.get, .head, .options, .trace].contains(method) }

  /// Whether a person sent it, with a browser.
  var wantsPage: Bool {
    let isForPrograms = ["/api", "/events", "/public"].contains {
      uri.path == $0 || uri.path.hasPrefix($0 + "/")
    }
    return !isForPrograms && headers[.accept]?.lowercased().contains("text/html") == true
  }

  /// The key that the client gave; nil where it gave none.
  func idempotencyKey() throws(AppError) -> IdempotencyKey? {
    guard let text = headers[.idempotencyKey] else { return nil }
    guard let key = IdempotencyKey(text) else {
      throw .badHeader("Idempotency-Key", "1 to 255 visible ASCII characters")
    }
    return key
  }

  /// The version in `If-Match`; nil where there is none, or any version will do.
  func expectedVersion() throws(AppError) -> Int? {
    guard let text = headers[.ifMatch], text != "*" else { return nil }
    guard text.hasPrefix("\""), text.hasSuffix("\""), text.count > 2,
      let version = Int(text.dropFirst().dropLast())
    else { throw .badHeader("If-Match", "the ETag of an earlier answer, such as \"3\"") }
    return version
  }

  /// The whole body.
  ///
  /// - Parameters:
  ///   - maximum: How many bytes are taken.
  ///   - tooLarge: What is said of more; by default the number.
  /// - Returns: The body.
  /// - Throws: `AppError` where it is too large or ends before it is complete.
  func bytes(
    upTo maximum: Int = maximumDocument, orSay tooLarge: AppError? = nil
  ) async throws(AppError) -> Data {
    // Whoever announces too much is refused before it comes.
    if let length = headers[.contentLength].flatMap({ Int($0) }), length > maximum {
      throw tooLarge ?? .tooLarge(maximum)
    }
    do {
      return Data(try await body.collect(upTo: maximum).readableBytesView)
    } catch is NIOTooManyBytesError {
      throw tooLarge ?? .tooLarge(maximum)
    } catch {
      // mainstay:ignore MS205 -- whoever sent it has left
      throw .brokenRequest
    }
  }
}

extension VisitContext {
  /// The id in the address.
  func id() throws(AppError) -> UUID {
    guard let text = parameters.get("id"), let id = UUID(uuidString: text) else {
      throw .badAddress("The id must be a UUID.")
    }
    return id
  }
}

extension Response {
  /// An answer with a JSON document.
  static func json(
    _ document: some Encodable, _ status: HTTPResponse.Status = .ok,
    type: String = "application/json", headers: HTTPFields = [:]
  ) throws -> Response {
    json(encoded: try JSONEncoder.inventory.encode(document), status, type: type, headers: headers)
  }

  private static func json(
    encoded document: Data, _ status: HTTPResponse.Status, type: String = "application/json",
    headers: HTTPFields
  ) -> Response {
    var headers = headers
    headers[.contentType] = type
    return Response(
      status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: document)))
  }

  /// An error as a page that costs next to nothing.
  static func plain(_ error: AppError, _ headers: HTTPFields) -> Response {
    var headers = headers
    headers[.contentType] = "text/html; charset=utf-8"
    headers[.cacheControl] = "no-store"
    headers[.contentSecurityPolicy] = "default-src 'none'"
    let escape = EscapedHTML().escapeText
    let texts = [error.message.description, error.suggestion?.description].compactMap(\.self)
    let title = escape(error.title.description)
    let page = """
      <!doctype html><html lang="en"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1"><title>\(title)</title>
      </head><body><main><h1>\(title)</h1>\(texts.map { "<p>\(escape($0))</p>" }.joined())
      </main></body></html>
      """
    return Response(
      status: error.answerStatus, headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
  }

  /// An answer that a browser saves under a name.
  static func file(_ bytes: Data, _ name: String, type: String) -> Response {
    Response(
      status: .ok,
      headers: [.contentType: type, .contentDisposition: "attachment; filename=\"\(name)\""],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// The answer to a write that is on the disk.
  static func accepted(_ answer: WriteAnswer) -> Response {
    var headers: HTTPFields = [.eTag: answer.item.tag]
    if answer.isReplay { headers[.idempotentReplayed] = "true" }
    return json(encoded: answer.document, .accepted, headers: headers)
  }
}
