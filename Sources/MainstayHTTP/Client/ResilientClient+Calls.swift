// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Mainstay

extension ResilientClient {
  /// Sends a request, and reads the whole answer.
  ///
  /// - Parameter request: The request.
  /// - Returns: The answer, with a status of success.
  /// - Throws: `AppError` for anything else, cancellations included.
  public func send(_ request: Request) async throws(AppError) -> Response {
    let limit = core.settings.maximumAnswer
    let (response, isCut) = try await core.perform(request) { [verb = request.verb] reply, way in
      let (body, isCut) = try await Self.body(of: reply, to: verb, upTo: limit)
      let response = Response(
        status: reply.status, headers: reply.headers, body: body, verb: verb, address: way.address,
        move: way.move)
      return (response, isCut)
    }
    // After the policies: the service has done its work, and would do no better.
    guard !isCut else {
      throw unread(
        .wire(
          .badAnswer, wasSent: true, details: "The answer has more than \(limit) bytes",
          cause: URLError(.dataLengthExceedsMaximum)),
        of: response)
    }
    return response
  }

  private static func body(
    of reply: HTTPReply, to verb: HTTPVerb, upTo limit: Int
  ) async throws -> (bytes: Data, isCut: Bool) {
    if let length = reply.length(to: verb), length > limit { return (Data(), true) }
    return try await HeededLimit.enforce { try await reply.body.collect(upTo: limit) }
  }

  /// Asks for something, and decodes it.
  ///
  /// - Parameters:
  ///   - path: Where it is, below the address of the client.
  ///   - type: What it is.
  /// - Returns: What the service has.
  /// - Throws: `AppError`, also where the answer is something else.
  public func get<Value: Decodable>(
    _ path: HTTPPath, as type: Value.Type = Value.self
  ) async throws(AppError) -> Value {
    try decoded(try await send(Request(.get, path)))
  }

  /// Hands something over, and decodes what the service says.
  ///
  /// - Parameters:
  ///   - path: Where it goes, below the address of the client.
  ///   - value: What is handed over, as JSON.
  ///   - key: The name of the effect, by which the service knows a repetition; without one, nothing
  ///     is sent twice.
  ///   - type: What the service says.
  /// - Returns: What the service says.
  /// - Throws: `AppError`, also where the answer is something else.
  public func post<Value: Decodable>(
    _ path: HTTPPath, json value: some Encodable, key: IdempotencyKey? = nil,
    as type: Value.Type = Value.self
  ) async throws(AppError) -> Value {
    try decoded(try await send(Request(.post, path, body: try body(value), key: key)))
  }

  /// Hands something over, and does not read what the service says.
  ///
  /// - Parameters:
  ///   - path: Where it goes, below the address of the client.
  ///   - value: What is handed over, as JSON.
  ///   - key: The name of the effect; without one, nothing is sent twice.
  /// - Returns: The answer.
  /// - Throws: `AppError`.
  @discardableResult
  public func post(
    _ path: HTTPPath, json value: some Encodable, key: IdempotencyKey? = nil
  ) async throws(AppError) -> Response {
    try await send(Request(.post, path, body: try body(value), key: key))
  }

  /// Puts something in place of what is there.
  ///
  /// - Parameters:
  ///   - path: Where it goes, below the address of the client.
  ///   - value: What is put there, as JSON.
  /// - Returns: The answer.
  /// - Throws: `AppError`.
  @discardableResult
  public func put(
    _ path: HTTPPath, json value: some Encodable
  ) async throws(AppError) -> Response {
    try await send(Request(.put, path, body: try body(value)))
  }

  /// Puts something in place of what is there, and decodes what the service says.
  ///
  /// - Parameters:
  ///   - path: Where it goes, below the address of the client.
  ///   - value: What is put there, as JSON.
  ///   - type: What the service says.
  /// - Returns: What the service says.
  /// - Throws: `AppError`, also where the answer is something else.
  public func put<Value: Decodable>(
    _ path: HTTPPath, json value: some Encodable, as type: Value.Type = Value.self
  ) async throws(AppError) -> Value {
    try decoded(try await send(Request(.put, path, body: try body(value))))
  }

  /// Changes something, and decodes what the service says.
  ///
  /// - Parameters:
  ///   - path: Where it is, below the address of the client.
  ///   - value: What changes, as JSON.
  ///   - key: The name of the effect; without one, nothing is sent twice.
  ///   - type: What the service says.
  /// - Returns: What the service says.
  /// - Throws: `AppError`, also where the answer is something else.
  public func patch<Value: Decodable>(
    _ path: HTTPPath, json value: some Encodable, key: IdempotencyKey? = nil,
    as type: Value.Type = Value.self
  ) async throws(AppError) -> Value {
    try decoded(try await send(Request(.patch, path, body: try body(value), key: key)))
  }

  /// Changes something.
  ///
  /// - Parameters:
  ///   - path: Where it is, below the address of the client.
  ///   - value: What changes, as JSON.
  ///   - key: The name of the effect; without one, nothing is sent twice.
  /// - Returns: The answer.
  /// - Throws: `AppError`.
  @discardableResult
  public func patch(
    _ path: HTTPPath, json value: some Encodable, key: IdempotencyKey? = nil
  ) async throws(AppError) -> Response {
    try await send(Request(.patch, path, body: try body(value), key: key))
  }

  /// Removes something; that it is gone already is no failure.
  ///
  /// - Parameter path: Where it is, below the address of the client.
  /// - Throws: `AppError`.
  public func delete(_ path: HTTPPath) async throws(AppError) {
    do throws(AppError) {
      _ = try await send(Request(.delete, path))
    } catch {
      guard error.httpStatus == 404 || error.httpStatus == 410 else { throw error }
    }
  }

  /// What an answer says.
  ///
  /// - Parameters:
  ///   - response: The answer.
  ///   - type: What it is.
  /// - Returns: The value.
  /// - Throws: `AppError` where the body is something else; with an unknown outcome where the
  ///   request was to change something, which a service that answers so has mostly done.
  public func decoded<Value: Decodable>(
    _ response: Response, as type: Value.Type = Value.self
  ) throws(AppError) -> Value {
    do {
      return try settings.decoder().decode(Value.self, from: response.body)
    } catch {
      throw unread(.decoding(error), of: response)
    }
  }

  /// What a success means whose body cannot be read.
  private func unread(_ failure: AppError, of response: Response) -> AppError {
    let failure = failure.adding(metadata: [
      "http.status": String(response.status),
      "http.url": HTTPError.redacted(response.address.text),
    ])
    // What a question asks for can be asked for again.
    return response.verb.isSafe ? failure : failure.ofUnreadSuccess
  }

  private func body(_ value: some Encodable) throws(AppError) -> HTTPMessageBody {
    do {
      return try .json(value, encoder: settings.encoder())
    } catch {
      throw Core.unencodable(error)
    }
  }
}
