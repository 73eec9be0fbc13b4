// SPDX-License-Identifier: Apache-2.0
// The examples in the documentation of errors.

import Mainstay

enum PaymentError: AppErrorConvertible {
  case declined(reason: String)

  var appError: AppError {
    switch self {
    case .declined(let reason):
      AppError(
        code: "payments.declined", kind: .denied, disposition: .needsUser,
        title: "Card declined", message: "The bank said: \(reason).",
        suggestion: "Use another card.")
    }
  }
}

/// Stands for an error of somebody else's library.
struct StoreError: Error {}

ErrorMapping.bootstrap(
  .standard.adding(StoreError.self) { _ in
    AppError(
      code: "store.failed", kind: .server, disposition: .transient(), title: "Not bought",
      message: "The store didn’t answer.", suggestion: "Try again.")
  })

struct Shop: Sendable {
  func buy(_ book: String) async throws -> Int { 1 }
}

let shop = Shop()

// snippet.life
enum ShopError: AppErrorConvertible {
  case closed

  var appError: AppError {
    AppError(
      code: "shop.closed", kind: .unavailable, disposition: .transient(retryAfter: .seconds(30)),
      title: "The shop is closed", message: "It opens again in a moment.")
  }
}

let receipt = try await Retry().run { try await shop.buy("Emma") }
// snippet.hide

_ = receipt
