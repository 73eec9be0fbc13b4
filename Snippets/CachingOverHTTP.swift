// SPDX-License-Identifier: Apache-2.0
// The example on the page about caching over HTTP.

import Mainstay
import MainstayHTTP

nonisolated struct Book: Codable, Sendable {
  var title: String
}

nonisolated struct Client: Sendable {
  struct Answer: Sendable {
    var status = 200
    var headers: [String: String] = [:]
    func decoded<T: Decodable>(_ type: T.Type) throws -> T {
      throw AppError.http(status: status, isRepeatable: true)
    }
  }

  func get(_ path: String, ifNoneMatch version: String?) async throws -> Answer { Answer() }
}

func asking(_ client: Client, _ cache: ResponseCache, isbn: String) async throws -> Book {
  let book = try await cache.value(for: "book/\(isbn)", as: Book.self) { version in
    let answer = try await client.get("books/\(isbn)", ifNoneMatch: version)
    if answer.status == 304 { return .unchanged(headers: answer.headers) }
    return .value(try answer.decoded(Book.self), headers: answer.headers)
  }
  return book.value
}
