// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// What a request with an idempotency key is refused for.
extension AppError {
  static func missingKey(_ field: String) -> AppError {
    AppError(
      code: "server.idempotency-key-missing", kind: .validation, disposition: .permanent,
      title: "A key is missing",
      message: "This request needs the field \(field), so that it is never done twice.",
      suggestion: "Send a new key with each new request, and the same one when you repeat it.",
      metadata: [AppError.statusName: "400"])
  }

  static func wrongKey(_ field: String) -> AppError {
    AppError(
      code: "server.idempotency-key-invalid", kind: .validation, disposition: .permanent,
      title: "The key can’t be used",
      message: "The field \(field) must have 1 to 255 characters that can be printed.",
      suggestion: "A UUID makes a good key.", metadata: [AppError.statusName: "400"])
  }

  static var stillRunning: AppError {
    AppError(
      code: "server.idempotency-running", kind: .conflict,
      disposition: .transient(retryAfter: .seconds(1)), title: "This is being done already",
      message: "The same request came before and has not been answered yet.",
      suggestion: "Repeat it with the same key in a moment.",
      metadata: [AppError.statusName: "409"])
  }

  static func otherRequest(_ field: String) -> AppError {
    AppError(
      code: "server.idempotency-key-reused", kind: .validation, disposition: .permanent,
      title: "The key belongs to another request",
      message: "The key in the field \(field) came with another request before.",
      suggestion: "Send a new key with each new request.",
      metadata: [AppError.statusName: "422"])
  }

  static var tooLargeToRepeat: AppError {
    AppError(
      code: "server.idempotency-answer-lost", kind: .conflict, disposition: .permanent,
      title: "This was done already",
      message: "The same request came before and was done. Its answer was too large to be kept.",
      metadata: [AppError.statusName: "409"])
  }
}
