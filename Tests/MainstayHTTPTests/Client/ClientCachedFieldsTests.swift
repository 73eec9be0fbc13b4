// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import TestSupport
import Testing

/// Answers that are kept for a call with header fields of its own.
@Suite struct ClientCachedFieldsTests {
  /// Answers with the number of the request, for a minute.
  private static func numbering(_ fields: HTTPHeaderFields = [:]) -> ScriptedTransport {
    ScriptedTransport { request, count in
      var headers: HTTPHeaderFields = ["Cache-Control": "max-age=60"]
      headers.merge(fields)
      return .json(request.verb == .get ? "\(count)" : "", headers: headers)
    }
  }

  private func books(_ transport: ScriptedTransport) throws -> ResilientClient {
    var settings = ResilientClient.Settings()
    settings.headers = ["Accept-Language": "en", "User-Agent": "app/1"]
    let cache = ResponseCache("books", of: .account(1), in: MemoryCacheStore())
    return try client(transport, settings: settings, cache: cache)
  }

  @Test(arguments: ["Accept-Language", "X-Region", "User-Agent", "Authorization", "accept"])
  func `an answer is kept for the fields of its call`(_ name: String) async throws {
    let transport = Self.numbering(["Vary": name])
    let books = try books(transport)
    for _ in 0..<2 {
      for (number, value) in ["a", "b"].enumerated() {
        let answer = try await books.cached("/a", as: Int.self, headers: [name: value])
        #expect(answer == CachedValue(number, .fresh))
      }
    }
    #expect(transport.sent.map { $0.headers.values(of: name) } == [["a"], ["b"]])
  }

  @Test func `a call without fields of its own has the answer of the client`() async throws {
    let transport = Self.numbering(["Vary": "Accept-Language"])
    let books = try books(transport)
    #expect(try await books.cached("/a", as: Int.self).value == 0)
    #expect(try await books.cached("/a", as: Int.self, headers: [:]).value == 0)
    let same: HTTPHeaderFields = ["accept-language": "en"]
    #expect(try await books.cached("/a", as: Int.self, headers: same).value == 0)
    #expect(transport.sent.count == 1)
  }

  @Test func `a change is seen whatever an answer was asked for with`() async throws {
    let books = try books(Self.numbering())
    let german: HTTPHeaderFields = ["Accept-Language": "de"]
    #expect(try await books.cached("/a", as: Int.self).value == 0)
    #expect(try await books.cached("/a", as: Int.self, headers: german).value == 1)
    _ = try await books.send(ResilientClient.Request(.put, "/a"))
    #expect(try await books.cached("/a", as: Int.self).value == 3)
    #expect(try await books.cached("/a", as: Int.self, headers: german).value == 4)
  }

  @Test func `conditions are the cache's own`() async throws {
    let transport = ScriptedTransport { request, count in
      let isKnown = request.headers.contains("if-none-match")
      return .json(
        isKnown ? "" : "\(count)", status: isKnown ? 304 : 200,
        headers: ["Cache-Control": "no-cache", "ETag": "\"1\""])
    }
    let own: HTTPHeaderFields = [
      "If-None-Match": "\"9\"", "If-Modified-Since": "x", "If-Range": "x", "X-Region": "a",
    ]
    let books = try books(transport)
    for _ in 0..<2 {
      #expect(try await books.cached("/a", as: Int.self, headers: own).value == 0)
    }
    #expect(transport.sent.map { $0.headers["if-none-match"] } == [nil, "\"1\""])
    #expect(transport.sent.allSatisfy { $0.headers["if-modified-since"] == nil })
    #expect(transport.sent.allSatisfy { $0.headers["x-region"] == "a" })
  }

  @Test func `without a cache the fields are sent as well`() async throws {
    let transport = Self.numbering()
    let answer = try await client(transport)
      .cached("/a", as: Int.self, headers: ["X-Region": "a"])
    #expect(answer.value == 0)
    #expect(transport.sent.map { $0.headers["x-region"] } == ["a"])
  }
}
