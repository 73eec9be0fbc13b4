// SPDX-License-Identifier: Apache-2.0
// The examples on the pages about calling and watching services over HTTP.

import Foundation
import Mainstay
import MainstayHTTP
import MainstayOutbox

nonisolated private struct Book: Codable, Sendable {
  var title: String
}

private func book(_ isbn: String, at address: URL) async throws(AppError) -> Book {
  let books = ResilientClient("books", at: address)
  return try await books.get("/books/\(isbn)", as: Book.self)
}

nonisolated private struct Order: Codable, Sendable {
  var id: Int
}

private func everyday(
  _ books: ResilientClient, _ book: Book, isbn: String, title: String
) async throws(AppError) -> [Book] {
  let found = try await books.get("/books?title=\(title)&page=\(2)", as: [Book].self)
  let alike = try await books.get(HTTPPath("/books").query(["title": title]), as: [Book].self)

  let key = IdempotencyKey()
  let order = try await books.post("/orders", json: book, key: key, as: Order.self)
  try await books.put("/books/\(isbn)", json: book)
  try await books.patch("/orders/\(order.id)", json: ["state": "paid"])
  try await books.delete("/orders/\(order.id)")
  return found + alike
}

private func sending(_ list: URL, to books: ResilientClient) async throws(AppError) -> [Book] {
  let file = HTTPMessageBody.file(list, contentType: "text/csv")
  var request = ResilientClient.Request(.post, "/imports", body: file)
  request.headers["Accept-Language"] = "de"
  let answer = try await books.send(request)
  let imported = try books.decoded(answer, as: [Book].self)
  return imported
}

private func settingsOfDates() -> ResilientClient.Settings {
  var settings = ResilientClient.Settings()
  settings.headers["User-Agent"] = "Library/1.0"
  settings.decoder = {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }
  return settings
}

private func show(_ book: Book, isOld: Bool) {}

private func untyped(_ books: ResilientClient, isbn: String) async throws(AppError) -> Data {
  Task {
    do throws(AppError) {
      show(try await books.get("/books/\(isbn)", as: Book.self), isOld: false)
    } catch {
      print(error.kind)
    }
  }
  let page = try await books.send(.init(.get, "/books/\(isbn)"))
  return page.body
}

private func paged(_ books: ResilientClient) async throws(AppError) -> [Book] {
  var all: [Book] = []
  var next: HTTPPath? = "/books"
  while let path = next {
    let page = try await books.send(.init(.get, path))
    all += try books.decoded(page, as: [Book].self)
    next = page.link("next")
  }
  return all
}

private func personal(
  _ accounts: Accounts, of user: Int, at address: URL, isbn: String,
  _ settings: ResilientClient.Settings
) async throws(AppError) {
  let books = ResilientClient(
    "books", at: address, settings: settings,
    authorization: HTTPAuthorization { old in try await accounts.freshToken(insteadOf: old) },
    cache: ResponseCache("books", of: .account(user), in: MemoryCacheStore()))
  let book = try await books.cached("/books/\(isbn)", as: Book.self)
  show(book.value, isOld: !book.freshness.isFresh)
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
    let isOther = status != 204 && headers.mediaType != "application/json"
    return (300...399).contains(status) || (status < 300 && isOther)
  }
  return settings
}

nonisolated private struct Accounts: Sendable {
  func freshToken(insteadOf old: String?) async throws -> String { "token" }
}

private func signedIn(_ accounts: Accounts) -> HTTPAuthorization {
  HTTPAuthorization { old in try await accounts.freshToken(insteadOf: old) }
}

nonisolated private struct Token: Codable, Sendable {
  var value: String
  var refresh: String
}

private actor Keychain {
  var refreshToken = ""
  func keep(_ token: String) { refreshToken = token }
}

private func expiring(
  _ keychain: Keychain, _ connectivity: ConnectivityMonitor, at address: URL, password: String
) async throws(AppError) -> (ResilientClient, Outbox.Configuration) {
  let tokens = ResilientClient(
    "tokens", at: address, onExchange: { $0.report(to: connectivity) }
  ) { origin in
    Pipeline("tokens \(origin)") { Deadline(.seconds(8)) }
  }
  let authorization = HTTPAuthorization { _ in
    let fields = ["refresh": await keychain.refreshToken]
    return try await tokens.post("/tokens", json: fields, as: Token.self).value
  }
  let books = ResilientClient("books", at: address, authorization: authorization)

  var configuration = Outbox.Configuration()
  configuration.signedIn = authorization.signIns

  let token = try await tokens.post("/tokens", json: ["password": password], as: Token.self)
  await keychain.keep(token.refresh)
  authorization.signIn(token.value)
  return (books, configuration)
}

private func watched(
  _ client: ResilientClient, _ team: ErrorMonitor
) async throws(AppError) -> Book {
  let books = ServiceMonitor("books", of: client, reportingTo: team)
  return try await books.run("Read the book") { try await $0.get("/books/1", as: Book.self) }
}
