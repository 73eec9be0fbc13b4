// SPDX-License-Identifier: Apache-2.0

/// What a service says about the idempotency key of a request, by status and type of its problem.
///
/// The type ends with a word, after `/`, `#`, `:` or `.`. So
/// `urn:problem:server.idempotency-running` says as much as
/// `https://example.com/problems/idempotency-in-progress`. The draft of the field calls every
/// problem `…/idempotency`, and leaves it to the status which one it is.
///
/// Source: draft-ietf-httpapi-idempotency-key-header-07, section 2.7.
package enum KeyProblem {
  /// The same request is being handled.
  case running
  /// The same request was done, and nobody knows its answer any more.
  case answerLost
  /// The key came with another request before.
  case reused

  /// Reads a problem; nil where it is about something else.
  ///
  /// - Parameters:
  ///   - status: The status of the answer.
  ///   - type: The `type` of its problem document.
  package init?(status: Int?, type: String?) {
    guard let type, let word = type.split(whereSeparator: { "/#:.".contains($0) }).last else {
      return nil
    }
    switch (status, word) {
    case (409, "idempotency-in-progress"), (409, "idempotency-running"), (409, "idempotency"):
      self = .running
    case (409, "idempotency-answer-lost"): self = .answerLost
    case (422, _) where word.hasPrefix("idempotency"): self = .reused
    case (422, _) where type.split(separator: "/").last?.hasPrefix("idempotency") == true:
      self = .reused
    default: return nil
    }
  }
}
