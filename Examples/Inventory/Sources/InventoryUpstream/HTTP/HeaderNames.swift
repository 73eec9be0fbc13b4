// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension HTTPField.Name {
  static let idempotencyKey = name("Idempotency-Key")

  /// Says that an answer was given before.
  static let idempotentReplayed = name("Idempotent-Replayed")
  static let rateLimitPolicy = name("RateLimit-Policy")

  private static func name(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no header") }
    return name
  }
}
