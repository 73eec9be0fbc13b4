// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

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
    .setCookie, .date, .connection, .transferEncoding, .contentLength, .server, .trailer,
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
