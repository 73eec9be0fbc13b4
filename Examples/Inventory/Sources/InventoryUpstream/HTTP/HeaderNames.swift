// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPField.Name {
  /// Names the change that a write makes.
  package static let idempotencyKey = name("Idempotency-Key")

  /// Says that an answer was given before.
  package static let idempotentReplayed = name("Idempotent-Replayed")

  /// Says how many requests may come in how many seconds.
  package static let rateLimitPolicy = name("RateLimit-Policy")

  private static func name(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no header") }
    return name
  }
}
