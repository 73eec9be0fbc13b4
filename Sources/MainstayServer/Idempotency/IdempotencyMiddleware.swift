// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Hummingbird
public import Mainstay
import NIOCore

/// Answers a request that is repeated under its `Idempotency-Key` as it was answered the first
/// time.
///
/// A repetition while the first one is being handled is refused with 409, and a key that belongs to
/// another request with 422. What fails with 500 or more, throws or is cancelled is not kept. The
/// request may be made again. Each time the handler and its policies find the same key in
/// `IdempotencyKey.current`, so a service behind this one does not do it twice either. That key is
/// made of the caller's key and principal: there, too, it is nothing to another principal.
///
/// An answer of known length is kept before it is sent. A stream is sent as it is made, and kept
/// when it has ended; where its reader goes before that, repetitions are refused with 409.
public struct IdempotencyMiddleware<Context: RequestContext>: RouterMiddleware {
  private let idempotency: Idempotency
  private let principal: @Sendable (Request, Context) async throws -> String?

  /// Makes the middleware.
  ///
  /// - Parameters:
  ///   - store: Where answers are kept.
  ///   - options: Which requests have a key, and what is kept.
  ///   - principal: Who sends a request, such as the account that has signed in: a key of one is
  ///     nothing to another. Nil where nobody has: a request with a key is refused with 401 then.
  ///     With one answer for all, anybody who learns a key reads the answer; and with a token, a
  ///     request that is repeated after its renewal is handled once more.
  public init(
    _ store: any IdempotencyStore, options: IdempotencyOptions = IdempotencyOptions(),
    principal: @escaping @Sendable (Request, Context) async throws -> String?
  ) {
    idempotency = Idempotency(store, options: options)
    self.principal = principal
  }

  /// Answers a request, or repeats its answer.
  ///
  /// - Throws: `AppError` for 400, 409 and 422; `HTTPError` 401 for a key of nobody, and 413 for a
  ///   body that is too large; and what store and handler throw.
  public func handle(
    _ request: Request, context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard let key = try idempotency.key(of: request.head) else {
      return try await next(request, context)
    }
    var request = request
    let body = try await body(of: &request)
    // One for all who are unknown would hand the answer of one to the next.
    guard let principal = try await principal(request, context) else {
      throw HTTPError(.unauthorized, message: "Sign in to send an idempotency key.")
    }
    let decision = try await idempotency.begin(
      request.head, key, body: Data(body.readableBytesView), principal: principal)
    switch decision {
    case .replay(let answer):
      return Response(answer)
    case .handle(let run):
      do {
        let response = try await run.key.active { try await next(request, context) }
        return try await response.kept(by: run, upTo: idempotency.options.maximumAnswer)
      } catch {
        await run.fail()
        throw error
      }
    }
  }

  private func body(of request: inout Request) async throws -> ByteBuffer {
    do {
      return try await request.collectBody(upTo: idempotency.options.maximumRequest)
    } catch is NIOTooManyBytesError {
      throw HTTPError(.contentTooLarge)
    }
  }
}

extension Response {
  fileprivate init(_ answer: StoredAnswer) {
    let head = answer.head
    self.init(
      status: head.status, headers: head.headerFields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body ?? Data())))
  }
}
