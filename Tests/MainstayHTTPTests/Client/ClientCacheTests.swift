// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import TestSupport
import Testing

/// What a client keeps its answers by, and which of them it asks for anew.
@Suite struct ClientCacheTests {
  /// What becomes of a change: a status, or why there is none.
  typealias Change = Result<Int, AppError>

  /// Answers questions with the number of the request, for a minute.
  private static func numbering(
    _ fields: HTTPHeaderFields = [:], change: Change = .success(204)
  ) -> ScriptedTransport {
    ScriptedTransport { request, count in
      guard request.verb == .get else { return .json("", status: try change.get()) }
      var headers: HTTPHeaderFields = ["Cache-Control": "max-age=60"]
      headers.merge(fields)
      return .json("\(count)", headers: headers)
    }
  }

  private static func cache(in store: any CacheStore = MemoryCacheStore()) -> ResponseCache {
    ResponseCache("books", of: .account(1), in: store)
  }

  private static func settings(_ headers: HTTPHeaderFields) -> ResilientClient.Settings {
    var settings = ResilientClient.Settings()
    settings.headers = headers
    return settings
  }

  @Test(arguments: [HTTPVerb.put, .patch, .post, .delete])
  func `what a client has changed is asked for anew, and nothing else`(
    _ verb: HTTPVerb
  ) async throws {
    let books = try client(Self.numbering(), cache: Self.cache())
    #expect(try await books.cached("/books/1", as: Int.self) == CachedValue(0, .fresh))
    #expect(try await books.cached("/books/12", as: Int.self) == CachedValue(1, .fresh))
    #expect(try await books.cached("books/1", as: Int.self) == CachedValue(0, .fresh))
    _ = try await books.send(ResilientClient.Request(verb, "books/1"))
    #expect(try await books.cached("/books/1", as: Int.self) == CachedValue(3, .fresh))
    #expect(try await books.cached("/books/12", as: Int.self) == CachedValue(1, .fresh))
  }

  @Test(
    arguments: [
      (.success(302), false), (.success(404), false), (.success(410), false),
      (.success(500), false), (.success(503), false), (.failure(.broken), false),
      (.success(400), true), (.success(409), true), (.success(422), true), (.success(429), true),
      (.failure(.notSent), true),
    ] as [(Change, Bool)])
  func `only a change that was certainly not made leaves what is kept fresh`(
    _ change: Change, _ isKept: Bool
  ) async throws {
    let books = try client(Self.numbering(change: change), attempts: 1, cache: Self.cache())
    #expect(try await books.cached("/a", as: Int.self) == CachedValue(0, .fresh))
    await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.put, "/a"))
    }
    #expect(try await books.cached("/a", as: Int.self) == CachedValue(isKept ? 0 : 2, .fresh))
  }

  @Test func `a change that is sent on is seen at both addresses`() async throws {
    let transport = ScriptedTransport { request, count in
      guard request.verb == .get else {
        return .json("", status: count == 2 ? 307 : 204, headers: ["Location": "b"])
      }
      return .json("\(count)", headers: ["Cache-Control": "max-age=60"])
    }
    let books = try client(transport, cache: Self.cache())
    #expect(try await books.cached("/a", as: Int.self).value == 0)
    #expect(try await books.cached("/b", as: Int.self).value == 1)
    _ = try await books.send(ResilientClient.Request(.put, "/a"))
    #expect(try await books.cached("/a", as: Int.self).value == 4)
    #expect(try await books.cached("/b", as: Int.self).value == 5)
  }

  @Test func `an answer in another language is another one, and a change is seen in all`()
    async throws
  {
    let transport = Self.numbering(["Vary": "Accept-Language, Accept"])
    let store = MemoryCacheStore()
    func books(_ language: String) throws -> ResilientClient {
      try client(
        transport, settings: Self.settings(["Accept-Language": language]),
        cache: Self.cache(in: store))
    }
    for _ in 0..<2 {
      #expect(try await books("de").cached("/a", as: Int.self) == CachedValue(0, .fresh))
      #expect(try await books("en").cached("/a", as: Int.self) == CachedValue(1, .fresh))
    }
    _ = try await books("en").send(ResilientClient.Request(.put, "/a"))
    #expect(try await books("de").cached("/a", as: Int.self) == CachedValue(3, .fresh))
    #expect(try await books("en").cached("/a", as: Int.self) == CachedValue(4, .fresh))
  }

  @Test(
    arguments: [
      ("Accept-Encoding", true), ("accept, ACCEPT-LANGUAGE", true), ("Origin", true),
      ("Authorization, Cookie, X-Token", true), ("X-Region", false),
      ("Accept-Encoding, User-Agent", false),
    ])
  func `what depends on more than its key is not given without asking`(
    _ vary: String, _ isSettled: Bool
  ) async throws {
    let transport = ScriptedTransport { _, count in
      guard count == 0 else { throw AppError.broken }
      return .json("7", headers: ["Cache-Control": "max-age=60", "Vary": vary])
    }
    let settings = Self.settings(["Accept-Language": "de", "User-Agent": "app/1"])
    let books = try client(
      transport, attempts: 1, settings: settings,
      authorization: HTTPAuthorization(token: "t", field: "X-Token") { _ in "u" },
      cache: Self.cache())
    #expect(try await books.cached("/a", as: Int.self) == CachedValue(7, .fresh))
    if isSettled {
      #expect(try await books.cached("/a", as: Int.self) == CachedValue(7, .fresh))
      #expect(transport.sent.count == 1)
    } else {
      await #expect(throws: AppError.self) { try await books.cached("/a", as: Int.self) }
      #expect(transport.sent.count == 2)
    }
  }

  @Test func `what depends on more than its key is asked for by its version`() async throws {
    let transport = ScriptedTransport { _, count in
      let fields: HTTPHeaderFields = [
        "Cache-Control": "max-age=60", "Vary": "X-Region", "ETag": "\"1\"",
      ]
      return count == 0 ? .json("7", headers: fields) : .json("", status: 304, headers: fields)
    }
    let books = try client(transport, cache: Self.cache())
    for _ in 0..<3 {
      #expect(try await books.cached("/a", as: Int.self) == CachedValue(7, .fresh))
    }
    #expect(transport.sent.map { $0.headers["if-none-match"] } == [nil, "\"1\"", "\"1\""])
  }

  /// Sends who asks for `latest` to another book each time; all of them are at the same version.
  private static func moving(
    _ status: Int, _ word: String? = nil, lifetime: Int
  ) -> ScriptedTransport {
    ScriptedTransport { request, count in
      let name = request.url.lastPathComponent
      if name == "latest" {
        var fields: HTTPHeaderFields = ["Location": "books/\(count)"]
        fields["Cache-Control"] = word
        return .json("", status: status, headers: fields)
      }
      let isKnown = request.headers["if-none-match"] == "\"1\""
      return .json(
        isKnown ? "" : name, status: isKnown ? 304 : 200,
        headers: ["ETag": "\"1\"", "Cache-Control": "max-age=\(lifetime)"])
    }
  }

  @Test(arguments: [302, 303, 307], [60, 0])
  func `what a redirection leads to now is asked for, whatever it led to before`(
    _ status: Int, _ lifetime: Int
  ) async throws {
    let transport = Self.moving(status, lifetime: lifetime)
    let books = try client(transport, cache: Self.cache())
    #expect(try await books.cached("/latest", as: Int.self) == CachedValue(0, .fresh))
    #expect(try await books.cached("/latest", as: Int.self) == CachedValue(2, .fresh))
    #expect(transport.sent.allSatisfy { !$0.headers.contains("if-none-match") })
  }

  @Test(
    arguments: [
      (301, nil, 60, 0), (308, nil, 60, 0), (301, "no-cache", 60, 2), (308, "max-age=5", 60, 2),
      (301, nil, 0, 2),
    ] as [(Int, String?, Int, Int)])
  func `what a permanent redirection leads to is kept for as long as it says, without its version`(
    _ status: Int, _ word: String?, _ lifetime: Int, _ second: Int
  ) async throws {
    let transport = Self.moving(status, word, lifetime: lifetime)
    let books = try client(transport, cache: Self.cache())
    #expect(try await books.cached("/latest", as: Int.self) == CachedValue(0, .fresh))
    #expect(try await books.cached("/latest", as: Int.self) == CachedValue(second, .fresh))
    #expect(transport.sent.allSatisfy { !$0.headers.contains("if-none-match") })
  }

  @Test func `only the address that was asked says that what is kept is still right`()
    async throws
  {
    let transport = ScriptedTransport { _, count in
      .json("", status: count == 0 ? 302 : 304, headers: count == 0 ? ["Location": "/b"] : [:])
    }
    let books = try client(transport)
    let error = await #expect(throws: AppError.self) {
      var request = ResilientClient.Request(.get, "/a")
      request.headers = ["If-None-Match": "\"1\""]
      return try await books.send(request)
    }
    #expect(error?.httpStatus == 304)
    #expect(transport.sent.map { $0.headers["if-none-match"] } == ["\"1\"", nil])
  }

  @Test func `an answer that is as it was at a time is an answer where that was asked`()
    async throws
  {
    let date = "Tue, 01 Dec 2026 10:00:00 GMT"
    var request = ResilientClient.Request(.get, "/a")
    request.headers = ["If-Modified-Since": date]
    let books = try client(ScriptedTransport(.json("", status: 304)))
    #expect(try await books.send(request).status == 304)
    // And so it is for what is kept without a version.
    let transport = ScriptedTransport { request, _ in
      let isKnown = request.headers["if-modified-since"] == date
      return .json(
        isKnown ? "" : "1", status: isKnown ? 304 : 200,
        headers: ["Cache-Control": "no-cache", "Last-Modified": date])
    }
    let kept = try client(transport, cache: Self.cache())
    for _ in 0..<3 { #expect(try await kept.cached("/a", as: Int.self).value == 1) }
    #expect(transport.sent.map { $0.headers["if-modified-since"] } == [nil, date, date])
    #expect(transport.sent.allSatisfy { !$0.headers.contains("if-none-match") })
  }

  @Test func `what a 304 confirms is invalidated by the tags that it was asked with`() async throws
  {
    let transport = ScriptedTransport { request, count in
      let lifetime = count == 0 ? "no-cache" : "max-age=60"
      return .json(
        "\(count)", status: request.headers.contains("if-none-match") && count == 1 ? 304 : 200,
        headers: ["Cache-Control": lifetime, "ETag": "\"1\""])
    }
    let cache = Self.cache()
    let books = try client(transport, cache: cache)
    // As a list asks that has no tags, and then the page of one book.
    #expect(try await books.cached("/a", as: Int.self) == CachedValue(0, .fresh))
    for _ in 0..<2 {
      #expect(try await books.cached("/a", as: Int.self, tags: ["a"]) == CachedValue(0, .fresh))
    }
    #expect(transport.sent.map { $0.headers["if-none-match"] } == [nil, "\"1\""])
    await cache.invalidate(.tag("a"))
    #expect(try await books.cached("/a", as: Int.self) == CachedValue(2, .fresh))
  }

  @Test func `a 304 that says a date alone leaves the version that it confirms`() async throws {
    let date = "Tue, 01 Dec 2026 10:00:00 GMT"
    let transport = ScriptedTransport { _, count in
      var fields: HTTPHeaderFields = ["Cache-Control": "no-cache", "Last-Modified": date]
      if count == 0 { fields["ETag"] = "\"7\"" }
      return .json(count == 0 ? "1" : "", status: count == 0 ? 200 : 304, headers: fields)
    }
    let books = try client(transport, cache: Self.cache())
    for _ in 0..<3 { #expect(try await books.cached("/a", as: Int.self).value == 1) }
    #expect(transport.sent.map { $0.headers["if-none-match"] } == [nil, "\"7\"", "\"7\""])
    #expect(transport.sent.allSatisfy { !$0.headers.contains("if-modified-since") })
  }

  @Test(arguments: [(200, 1), (203, 1), (201, 3), (202, 3), (206, 3)])
  func `a part, and what is still to come, does not stand for the whole`(
    _ status: Int, _ requests: Int
  ) async throws {
    let transport = ScriptedTransport { _, count in .json("\(count)", status: status) }
    let books = try client(transport, cache: Self.cache())
    for _ in 0..<3 { _ = try await books.cached("/a", as: Int.self) }
    #expect(transport.sent.count == requests)
  }

  @Test func `a success that says how long it is fresh is kept for that long`() async throws {
    let transport = ScriptedTransport { _, count in
      .json("\(count)", status: 202, headers: ["Cache-Control": "max-age=60"])
    }
    let books = try client(transport, cache: Self.cache())
    for _ in 0..<3 { #expect(try await books.cached("/a", as: Int.self).value == 0) }
  }

  @Test func `the condition of a change goes along to where that is sent on`() async throws {
    let transport = ScriptedTransport { _, count in
      count == 0 ? .json("", status: 307, headers: ["Location": "/b"]) : .json("", status: 201)
    }
    var request = ResilientClient.Request(.put, "/a", body: .json([1]))
    request.headers = ["If-None-Match": "*"]
    _ = try await client(transport).send(request)
    #expect(transport.sent.map { $0.headers["if-none-match"] } == ["*", "*"])
  }

  @Test(arguments: [(303, HTTPVerb.put), (303, .post), (302, .post), (301, .post)])
  func `what a change leads to is asked for without what was said of the change`(
    _ status: Int, _ verb: HTTPVerb
  ) async throws {
    let transport = ScriptedTransport { _, count in
      count == 0 ? .json("", status: status, headers: ["Location": "/b"]) : .json()
    }
    let ofChange: HTTPHeaderFields = [
      "If-Match": "\"1\"", "If-None-Match": "*", "If-Unmodified-Since": "x", "If-Range": "\"1\"",
      "If-Modified-Since": "x", "Content-Type": "text/csv", "Content-Encoding": "gzip",
      "content-language": "de",
    ]
    var request = ResilientClient.Request(verb, "/a", body: .json([1]), key: IdempotencyKey())
    request.headers = ofChange
    request.headers["Accept-Language"] = "de"
    _ = try await client(transport, settings: Self.settings(["Content-Location": "/a"]))
      .send(request)
    #expect(transport.sent.map(\.verb) == [verb, .get])
    let names = ofChange.all.map(\.name) + ["Content-Location", "Idempotency-Key"]
    let first = try #require(transport.sent.first?.headers)
    let second = try #require(transport.sent.last?.headers)
    #expect(names.allSatisfy(first.contains))
    #expect(!names.contains(where: second.contains))
    #expect(second["accept-language"] == "de" && second["accept"] == "application/json")
  }

  @Test func `keys hold no secret, and outlive a sign-in and an update of the app`() async throws {
    let transport = Self.numbering()
    let store = WatchedStore()
    for version in 1...2 {
      let settings = Self.settings([
        "X-Api-Key": "secret", "Authorization": "secret \(version)", "User-Agent": "app/\(version)",
      ])
      let books = try client(transport, settings: settings, cache: Self.cache(in: store))
      #expect(try await books.cached("/a", as: Int.self) == CachedValue(0, .fresh))
    }
    let names = store.names
    #expect(names.count == 1)
    #expect(names.allSatisfy { !$0.contains("secret") })
  }
}

/// A store that remembers what it was asked for.
private final class WatchedStore: CacheStore {
  private let store: any CacheStore = MemoryCacheStore()
  private let asked = Locked<Set<String>>([])

  var names: Set<String> { asked.withLock { $0 } }

  func read(_ key: CacheEntry.Key) async throws -> CacheEntry.Lookup {
    asked.withLock { _ = $0.insert(key.name) }
    return try await store.read(key)
  }

  func write(_ entry: CacheEntry, under ticket: CacheEntry.Ticket) async throws -> Bool {
    try await store.write(entry, under: ticket)
  }

  func expire(_ selection: CacheEntry.Selection) async throws { try await store.expire(selection) }

  func remove(_ selection: CacheEntry.Selection) async throws { try await store.remove(selection) }
}
