// SPDX-License-Identifier: Apache-2.0
// The examples on the pages about calling and watching services over HTTP.

import Foundation
import Mainstay
import MainstayHTTP

nonisolated private struct Book: Codable, Sendable {
  var title: String
}

private func book(_ isbn: String, at address: URL) async throws(AppError) -> Book {
  let books = ResilientClient("books", at: address)
  return try await books.get("/books/\(isbn)", as: Book.self)
}

private func stubborn(at address: URL) -> ResilientClient {
  let breaker = CircuitBreaker("books", .consecutiveFailures(5), breakFor: .seconds(5))
  let books = ResilientClient("books", at: address) { origin in
    Pipeline("books \(origin)") {
      Deadline(.seconds(30))
      Retry(maximumAttempts: 5)
      Cooldown("books")
      breaker
      Timeout(.seconds(10))
    }
  }
  return books
}

private func settingsOfJSON() -> ResilientClient.Settings {
  var settings = ResilientClient.Settings()
  settings.isPortal = { status, headers in
    (300...399).contains(status) || (status < 300 && headers["content-type"] != "application/json")
  }
  return settings
}

nonisolated private struct Accounts: Sendable {
  func freshToken(insteadOf old: String?) async throws -> String { "token" }
}

private func signedIn(_ accounts: Accounts) -> HTTPAuthorization {
  HTTPAuthorization { old in try await accounts.freshToken(insteadOf: old) }
}

private func watched(
  _ client: ResilientClient, _ team: ErrorMonitor
) async throws(AppError) -> Book {
  let books = ServiceMonitor("books", of: client, reportingTo: team)
  return try await books.run("Read the book") { try await $0.get("/books/1", as: Book.self) }
}
