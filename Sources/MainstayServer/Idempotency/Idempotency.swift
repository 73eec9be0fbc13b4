// SPDX-License-Identifier: Apache-2.0

import Crypto
public import Foundation
public import HTTPTypes
public import Mainstay
import MainstayHTTP

/// Sees to it that a request that comes again under its `Idempotency-Key` is done once.
///
/// It knows no framework: whoever adapts one asks for the ``key(of:)``, reads the body, begins, and
/// ends the ``IdempotentRun`` with the answer. ``IdempotencyMiddleware`` does so for Hummingbird.
///
/// Source: draft-ietf-httpapi-idempotency-key-header-07.
public struct Idempotency: Sendable {
  /// What is to be done with a request that has a key.
  public enum Decision: Sendable {
    /// It is new: it is handled, and the run is ended with its answer.
    case handle(IdempotentRun)
    /// It was handled: it is answered as it was then.
    case replay(StoredAnswer)
  }

  /// Where answers are kept.
  public let store: any IdempotencyStore
  /// Which requests have a key, and what is kept.
  public let options: IdempotencyOptions

  /// Makes the rules.
  ///
  /// - Parameters:
  ///   - store: Where answers are kept.
  ///   - options: Which requests have a key, and what is kept.
  public init(_ store: any IdempotencyStore, options: IdempotencyOptions = IdempotencyOptions()) {
    self.store = store
    self.options = options
  }

  /// The key of a request.
  ///
  /// - Parameter request: The head of the request.
  /// - Returns: The key; nil for a request that is handled without one.
  /// - Throws: `AppError`, answered with 400, for a key that is not legal or missing.
  public func key(of request: HTTPRequest) throws(AppError) -> IdempotencyKey? {
    guard options.methods.contains(request.method) else { return nil }
    guard let text = request.headerFields[options.field] else {
      guard options.isRequired else { return nil }
      throw AppError.missingKey(options.field.rawName)
    }
    guard let key = IdempotencyKey(Self.unquoted(text)) else {
      throw AppError.wrongKey(options.field.rawName)
    }
    return key
  }

  /// Begins a request, or says what became of the one before it.
  ///
  /// - Parameters:
  ///   - request: The head of the request.
  ///   - key: Its key.
  ///   - body: Its body.
  ///   - principal: Who sends it: a key of one is nothing to another, nor to a service behind.
  /// - Returns: What is to be done.
  /// - Throws: `AppError`, answered with 409 while the first one runs and with 422 where the key
  ///   belongs to another request; and what the store throws.
  public func begin(
    _ request: HTTPRequest, _ key: IdempotencyKey, body: Data, principal: String
  ) async throws -> Decision {
    let place = Self.place(of: key, principal)
    switch try await store.begin(place, fingerprint: Self.fingerprint(request, body)) {
    case .handle(let claim):
      IdempotentRun.count("handled")
      // What the handler passes on must not meet an equal key of another principal elsewhere.
      let own = IdempotencyKey(place) ?? key
      return .handle(IdempotentRun(own, in: store, at: place, claim, dropping: options.dropped))
    case .replay(let answer):
      IdempotentRun.count("replayed")
      guard answer.body != nil else { throw AppError.answerLost }
      return .replay(answer)
    case .running:
      IdempotentRun.count("running")
      throw AppError.stillRunning
    case .mismatch:
      IdempotentRun.count("mismatched")
      throw AppError.otherRequest(options.field.rawName)
    }
  }

  /// The draft writes the key as a quoted string, and most clients write it bare.
  private static func unquoted(_ text: String) -> Substring {
    let text = text.trimmingPrefix(" ")
    guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
    return text.dropFirst().dropLast()
  }

  /// Key and sender as one text that no other pair has, and that tells neither: principals are
  /// often credentials, and may be of any length.
  private static func place(of key: IdempotencyKey, _ principal: String) -> String {
    let digest = SHA256.hash(
      data: Data("\(principal.utf8.count):\(principal)\(key.rawValue)".utf8))
    let digits = Array("0123456789abcdef".utf8)
    let text = digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }

  private static func fingerprint(_ request: HTTPRequest, _ body: Data) -> Data {
    var hash = SHA256()
    let type = request.headerFields[.contentType] ?? ""
    for part in [request.method.rawValue, request.path ?? "", type] {
      hash.update(data: Data("\(part.utf8.count):\(part)".utf8))
    }
    hash.update(data: (isJSON(type) ? JSONValue.canonicalForm(of: body) : nil) ?? body)
    return Data(hash.finalize())
  }

  /// Many encoders write the members of an object in an order that is chance in each process.
  private static func isJSON(_ contentType: String) -> Bool {
    let type = contentType.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
    return type == "application/json" || type.hasSuffix("+json")
  }
}

extension StoredAnswer {
  /// The head of the answer as it is repeated, with `Idempotency-Replayed`.
  public var head: HTTPResponse {
    var fields = HTTPFields()
    for (name, value) in self.fields.sorted(by: { $0.key < $1.key }) {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    fields[.idempotencyReplayed] = "true"
    // A store that several builds share may hold anything.
    let code = (100...599).contains(status) ? status : 500
    return HTTPResponse(status: .init(code: code), headerFields: fields)
  }
}
