// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Where a service keeps the answers to requests with an idempotency key.
///
/// One store serves as many processes as share it; each call is one step that nothing comes
/// between. It stands here and not beside the middleware that asks it, so that stores need no
/// server framework.
public protocol IdempotencyStore: Sendable {
  /// Begins a request, or says what became of the one before it.
  ///
  /// - Parameters:
  ///   - key: The key of the request and of whoever sends it.
  ///   - fingerprint: What the request is; a repetition has the same.
  /// - Returns: What is to be done.
  /// - Throws: What the store fails with; the request is not handled then.
  func begin(_ key: String, fingerprint: Data) async throws -> IdempotencyVerdict

  /// Ends a request that was begun.
  ///
  /// - Parameters:
  ///   - key: Its key.
  ///   - claim: What ``begin(_:fingerprint:)`` gave; another one changes nothing.
  ///   - answer: What repetitions are answered with; nil where the request may be made again.
  /// - Throws: What the store fails with.
  func end(_ key: String, _ claim: UInt64, with answer: StoredAnswer?) async throws
}

/// What is to be done with a request that has an idempotency key.
public enum IdempotencyVerdict: Sendable, Hashable {
  /// It is new: it is handled, and ended with this claim.
  case handle(claim: UInt64)
  /// It was handled: it is answered as it was then.
  case replay(StoredAnswer)
  /// It is being handled now.
  case running
  /// The key belongs to another request.
  case mismatch
}

/// An answer that was kept.
public struct StoredAnswer: Sendable, Hashable, Codable {
  /// The status.
  public let status: Int
  /// The fields that are repeated.
  public let fields: [String: String]
  /// The body; nil where it was not kept, such as one that was too large.
  public let body: Data?

  /// Makes an answer.
  public init(status: Int, fields: [String: String], body: Data?) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}
