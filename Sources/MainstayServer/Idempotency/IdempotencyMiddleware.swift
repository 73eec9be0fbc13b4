// SPDX-License-Identifier: Apache-2.0

import Crypto
public import HTTPTypes
public import Hummingbird
import Mainstay
import Foundation
import Metrics
import NIOCore

/// Answers a request that is repeated under its `Idempotency-Key` as it was answered the first
/// time.
///
/// A repetition while the first one is being handled is refused with 409, and a key that belongs to
/// another request with 422. What fails with 500 or more, throws or is cancelled is not kept: the
/// request may be made again, and policies in the handler find the same key in
/// `IdempotencyKey.current`, so a service behind this one does not do it twice either.
///
/// Source: draft-ietf-httpapi-idempotency-key-header-07.
public struct IdempotencyMiddleware<Context: RequestContext>: RouterMiddleware {
  private let store: any IdempotencyStore
  private let options: IdempotencyOptions
  private let principal: @Sendable (Request, Context) async throws -> String

  /// Makes the middleware.
  ///
  /// - Parameters:
  ///   - store: Where answers are kept.
  ///   - options: Which requests have a key, and what is kept.
  ///   - principal: Who sends a request, such as the account that has signed in: a key of one is
  ///     nothing to another. With one answer for all, anybody who learns a key reads the answer.
  public init(
    _ store: any IdempotencyStore, options: IdempotencyOptions = IdempotencyOptions(),
    principal: @escaping @Sendable (Request, Context) async throws -> String
  ) {
    self.store = store
    self.options = options
    self.principal = principal
  }

  /// Answers a request, or repeats its answer.
  ///
  /// - Throws: `AppError` for 400, 409 and 422; `HTTPError` 413 for a body that is too large; and
  ///   what store and handler throw.
  public func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard options.methods.contains(request.method) else { return try await next(request, context) }
    guard let text = request.headers[options.field] else {
      guard options.isRequired else { return try await next(request, context) }
      throw AppError.missingKey(options.field.rawName)
    }
    guard let key = IdempotencyKey(Self.unquoted(text)) else {
      throw AppError.wrongKey(options.field.rawName)
    }
    var request = request
    let body = try await body(of: &request)
    let place = try await Self.place(of: key, principal(request, context))
    switch try await store.begin(place, fingerprint: Self.fingerprint(request, body)) {
    case .handle(let claim):
      count("handled")
      return try await handle(request, context, key, Claim(store, place, claim), next)
    case .replay(let answer):
      count("replayed")
      return try replay(answer)
    case .running:
      count("running")
      throw AppError.stillRunning
    case .mismatch:
      count("mismatched")
      throw AppError.otherRequest(options.field.rawName)
    }
  }

  /// What begins and ends a request in the store.
  private struct Claim {
    let store: any IdempotencyStore
    let place: String
    let claim: UInt64

    init(_ store: any IdempotencyStore, _ place: String, _ claim: UInt64) {
      (self.store, self.place, self.claim) = (store, place, claim)
    }

    /// Ends the request also where its task is cancelled, or nobody could make it again.
    func end(with answer: StoredAnswer?) async throws {
      try await Task { try await store.end(place, claim, with: answer) }.value
    }
  }

  private func body(of request: inout Request) async throws -> ByteBuffer {
    do {
      return try await request.collectBody(upTo: options.maximumRequest)
    } catch is NIOTooManyBytesError {
      throw HTTPError(.contentTooLarge)
    }
  }

  private func handle(
    _ request: Request, _ context: Context, _ key: IdempotencyKey, _ claim: Claim,
    _ next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      var response = try await key.active { try await next(request, context) }
      let buffer = try await response.collected(upTo: options.maximumAnswer)
      let isKept = response.status.code < 500
      try await claim.end(with: isKept ? kept(response, buffer) : nil)
      return response
    } catch {
      // The error says more than a store that fails to forget the key.
      try? await claim.end(with: nil)
      throw error
    }
  }

  private func kept(_ response: Response, _ body: ByteBuffer?) -> StoredAnswer {
    let fields = response.headers.filter { !options.dropped.contains($0.name) }
    return StoredAnswer(
      status: response.status.code,
      fields: Dictionary(fields.map { ($0.name.rawName, $0.value) }) { "\($0), \($1)" },
      body: body.map { Data($0.readableBytesView) })
  }

  private func replay(_ answer: StoredAnswer) throws -> Response {
    guard let body = answer.body else { throw AppError.tooLargeToRepeat }
    var fields = HTTPFields()
    for (name, value) in answer.fields.sorted(by: { $0.key < $1.key }) {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    fields[.idempotencyReplayed] = "true"
    return Response(
      status: .init(code: answer.status), headers: fields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }

  private func count(_ outcome: String) {
    Counter(label: "mainstay.server.idempotency", dimensions: [("outcome", outcome)]).increment()
  }

  /// The draft writes the key as a quoted string, and most clients write it bare.
  private static func unquoted(_ text: String) -> Substring {
    let text = text.trimmingPrefix(" ")
    guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
    return text.dropFirst().dropLast()
  }

  /// Key and sender as one text that no other pair has.
  private static func place(of key: IdempotencyKey, _ principal: String) -> String {
    "\(principal.utf8.count):\(principal)\(key.rawValue)"
  }

  private static func fingerprint(_ request: Request, _ body: ByteBuffer) -> Data {
    var hash = SHA256()
    let path = request.uri.string
    for part in [request.method.rawValue, path, request.headers[.contentType] ?? ""] {
      hash.update(data: Data("\(part.utf8.count):\(part)".utf8))
    }
    hash.update(data: Data(body.readableBytesView))
    return Data(hash.finalize())
  }
}

/// Which requests have an idempotency key, and what of their answers is kept.
public struct IdempotencyOptions: Sendable {
  /// The methods whose requests may have a key; by default `POST` and `PATCH`.
  public var methods: Set<HTTPRequest.Method> = [.post, .patch]
  /// The field of the key.
  public var field: HTTPField.Name = .idempotencyKey
  /// Whether a request without a key is refused with 400; the default is that it is handled.
  public var isRequired = false
  /// How large a request with a key may be, in bytes; the default is one million.
  public var maximumRequest = 1_000_000
  /// How large an answer is kept whole, in bytes; the default is 256,000.
  ///
  /// A repetition of what had a larger one is refused with 409.
  public var maximumAnswer = 256_000
  /// The fields that a repetition does not have, since they are of one moment or one connection.
  public var dropped: Set<HTTPField.Name> = [
    .setCookie, .date, .connection, .transferEncoding, .contentLength, .server,
  ]

  /// Makes the default options.
  public init() {}
}

extension HTTPField.Name {
  /// `Idempotency-Key`.
  public static let idempotencyKey = HTTPField.Name("Idempotency-Key") ?? .ifMatch
  /// `Idempotency-Replayed`, which an answer has that is repeated.
  public static let idempotencyReplayed = HTTPField.Name("Idempotency-Replayed") ?? .ifMatch
}
