// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Mainstay
internal import NIOCore

/// Knows forms that its own pages have sent from those that other sites have.
struct FormGuard: Sendable {
  static let cookie = "mainstay-dashboard"
  /// How large a form may be: one that names ten thousand operations has its room.
  static let maximumBytes = 262_144
  /// How long a form may take to arrive.
  static let maximumTime = Duration.seconds(10)

  /// Without a secret it lives as long as the process: after a start, pages that are open have to
  /// be reloaded.
  private let key: SymmetricKey
  private let timeline: Timeline

  init(_ timeline: Timeline, secret: Data?) {
    self.timeline = timeline
    key = secret.map { SymmetricKey(data: $0) } ?? SymmetricKey(size: .bits256)
  }

  /// The session of a request; a new one where it has none.
  func session(of request: Request) -> Session {
    let text = request.cookies[Self.cookie]?.value ?? ""
    if let data = Data(base64Encoded: text), data.count == 32 {
      return Session(id: text, isNew: false)
    }
    let id = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0).base64EncodedString() }
    return Session(id: id, isNew: true)
  }

  func token(for session: Session) -> String {
    Data(HMAC<Crypto.SHA256>.authenticationCode(for: Data(session.id.utf8), using: key))
      .base64EncodedString()
  }

  /// The fields of a form that one of the own pages sent in this session.
  ///
  /// - Throws: `Refusal`.
  func form(of request: Request) async throws -> Form {
    let (head, headers) = (request.head, request.headers)
    switch HTTPField.Name("Sec-Fetch-Site").flatMap({ headers[$0] }) {
    // A browser compares with the address that it knows; a proxy may have written another host. A
    // foreign name that leads here is refused by the gate, where nobody has to sign in.
    case "same-origin": break
    case nil:
      guard let origin = headers[.origin] else { break }
      let host = head.authority ?? ""
      guard origin == "http://\(host)" || origin == "https://\(host)" else {
        throw Refusal.foreignOrigin
      }
    default: throw Refusal.foreignOrigin
    }
    guard headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true else {
      throw Refusal.badForm
    }
    if let length = headers[.contentLength].flatMap({ Int($0) }), length > Self.maximumBytes {
      throw Refusal.tooLarge
    }
    guard let text = String(data: try await body(of: request), encoding: .utf8) else {
      throw Refusal.badForm
    }
    let form = Form(text)
    let session = session(of: request)
    guard !session.isNew, let given = form["token"].flatMap({ Data(base64Encoded: $0) }),
      HMAC<Crypto.SHA256>.isValidAuthenticationCode(
        given, authenticating: Data(session.id.utf8), using: key)
    else { throw Refusal.badToken }
    return form
  }

  /// The body of a request, unless it is too large or drips in.
  private func body(of request: Request) async throws -> Data {
    let end = timeline.now + Self.maximumTime
    return try await withThrowingTaskGroup(of: Data.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        var bytes = Data()
        for try await part in request.body {
          bytes += part.readableBytesView
          guard bytes.count <= Self.maximumBytes else { throw Refusal.tooLarge }
        }
        return bytes
      }
      group.addTask { [timeline] in
        try await timeline.sleep(until: end)
        throw Refusal.tooSlow
      }
      return try await group.next() ?? Data()
    }
  }
}

/// One browser, as long as it keeps its cookie.
struct Session: Sendable {
  let id: String
  let isNew: Bool
}

/// The fields of a form, in their order.
struct Form: Sendable {
  let fields: [(name: String, value: String)]

  init(_ text: String) {
    fields = text.split(separator: "&").map { field in
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
    }
  }

  private static func decoded(_ text: Substring) -> String {
    text.replacing("+", with: " ").removingPercentEncoding ?? ""
  }

  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
}
