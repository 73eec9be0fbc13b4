// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import TestSupport
import Testing

/// What a client makes of answers that depend on more than the address.
@Suite struct ClientVaryTests {
  private static let date = "Tue, 01 Dec 2026 10:00:00 GMT"

  private static func cache() -> ResponseCache {
    ResponseCache("books", of: .account(1), in: MemoryCacheStore())
  }

  /// Answers the first question with a value, and each later one that knows it with a 304.
  private static func service(
    first: HTTPHeaderFields, later: HTTPHeaderFields
  ) -> ScriptedTransport {
    ScriptedTransport { request, count in
      let isKnown = request.headers["if-none-match"] != nil
      let isAsked = isKnown || request.headers["if-modified-since"] != nil
      var headers: HTTPHeaderFields = ["Cache-Control": "max-age=60"]
      headers.merge(isAsked ? later : first)
      return .json(isAsked ? "" : "\(count)", status: isAsked ? 304 : 200, headers: headers)
    }
  }

  @Test(arguments: [[:], ["ETag": "\"2\""], ["Last-Modified": date]] as [HTTPHeaderFields])
  func `a 304 that says nothing of it leaves an answer that is never given without asking`(
    _ later: HTTPHeaderFields
  ) async throws {
    let transport = Self.service(first: ["ETag": "\"1\"", "Vary": "X-Region"], later: later)
    let books = try client(transport, cache: Self.cache())
    for _ in 0..<4 {
      #expect(try await books.cached("/a", as: Int.self) == CachedValue(0, .fresh))
    }
    let tag = later["etag"] ?? "\"1\""
    #expect(transport.sent.map { $0.headers["if-none-match"] } == [nil, "\"1\"", tag, tag])
    #expect(transport.sent.allSatisfy { !$0.headers.contains("if-modified-since") })
  }

  @Test func `a 304 that says that it depends on nothing else is fresh for as long as it says`()
    async throws
  {
    let transport = Self.service(
      first: ["ETag": "\"1\"", "Vary": "X-Region"], later: ["Vary": "Accept"])
    let books = try client(transport, cache: Self.cache())
    for _ in 0..<4 {
      #expect(try await books.cached("/a", as: Int.self) == CachedValue(0, .fresh))
    }
    #expect(transport.sent.map { $0.headers["if-none-match"] } == [nil, "\"1\""])
  }

  @Test func `a 304 that says that it depends on more takes away that it is fresh`() async throws {
    let transport = Self.service(
      first: ["ETag": "\"1\"", "Cache-Control": "no-cache"], later: ["Vary": "X-Region"])
    let books = try client(transport, cache: Self.cache())
    for _ in 0..<3 {
      #expect(try await books.cached("/a", as: Int.self) == CachedValue(0, .fresh))
    }
    #expect(transport.sent.map { $0.headers["if-none-match"] } == [nil, "\"1\"", "\"1\""])
  }

  @Test(arguments: [true, false])
  func `one of many is not asked for by its date, since an older one counts as not modified`(
    _ isSaidLater: Bool
  ) async throws {
    let dated: HTTPHeaderFields = ["Last-Modified": Self.date, "Cache-Control": "no-cache"]
    var varying = dated
    varying["Vary"] = "X-Region"
    let transport = Self.service(
      first: isSaidLater ? dated : varying, later: isSaidLater ? varying : [:])
    let books = try client(transport, cache: Self.cache())
    let numbers = [0, isSaidLater ? 0 : 1, 2]
    for number in numbers {
      #expect(try await books.cached("/a", as: Int.self) == CachedValue(number, .fresh))
    }
    #expect(
      transport.sent.map { $0.headers["if-modified-since"] }
        == [nil, isSaidLater ? Self.date : nil, nil])
  }
}
