// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import TestSupport
import Testing

/// Where the links lead that an answer has, and that they never lead to somebody else.
@Suite struct ClientLinkTests {
  private func answer(
    _ headers: HTTPHeaderFields = [:], at path: HTTPPath = "/books"
  ) async throws -> ResilientClient.Response {
    let books = try client(ScriptedTransport(.json(headers: headers)))
    return try await books.send(ResilientClient.Request(.get, path))
  }

  @Test func `pages are followed to the last one`() async throws {
    let transport = ScriptedTransport { request, count in
      let next = "<https://books.example/v1/books?page=\(count + 1)>; rel=\"next\""
      return .json("[\(count)]", headers: count < 2 ? ["Link": next] : [:])
    }
    let books = try client(transport)
    var numbers: [Int] = []
    var next: HTTPPath? = "/books"
    while let path = next {
      let page = try await books.send(ResilientClient.Request(.get, path))
      numbers += try books.decoded(page, as: [Int].self)
      next = page.link("next")
    }
    #expect(numbers == [0, 1, 2])
    #expect(transport.sent.compactMap(\.url.query) == ["page=1", "page=2"])
  }

  @Test(arguments: [
    ("<b>;rel=next", "b"), (" , <b> ; rel = \"next\" ,", "b"), ("<b>; REL=\"Next\"", "b"),
    ("<a>; rel=prev, <b>; rel=next", "b"), ("<b>; rel=\"last next\"; x", "b"),
    ("<b>; title=\"a, <c>; rel=next\"; rel=next", "b"), ("<b>; title=\"\\\"\"; rel=next", "b"),
    ("<b,c>; rel=next", "b,c"), ("<b>; rel=next, <c>; rel=next", "b"),
    ("<b>; rel=prev; rel=next", nil), ("<b>; rel=next; anchor=\"/else\"", nil),
    ("<b>; rel=nextpage", nil), ("<b>; rev=next", nil), ("<b>", nil), ("<b; rel=next", nil),
    ("b; rel=next", nil), ("", nil), ("<b>; rel=\"next", "b"), ("<b>; rel", nil),
  ])
  func `a link is found by its relation, however it is written`(
    _ field: String, _ target: String?
  ) async throws {
    let place = try await answer(["Link": field]).link("next")
    #expect(place?.text == target.map { "https://books.example/v1/\($0)" })
  }

  @Test func `several fields are read as one`() async throws {
    var headers: HTTPHeaderFields = ["Link": "<a>; rel=first"]
    headers.append("link", "<b>; rel=\"NEXT\"")
    #expect(try await answer(headers).link("Next")?.text == "https://books.example/v1/b")
    #expect(try await answer().link("next") == nil)
  }

  @Test(arguments: [
    ("c", "/a/c"), ("./c", "/a/c"), ("../c", "/c"), ("../../c", "/c"), ("/c/d", "/c/d"),
    ("/c/./../d", "/d"), ("/c/..", "/"), (".", "/a/"), ("?q=1", "/a/b?q=1"), ("", "/a/b?x=/y"),
    ("#top", "/a/b?x=/y"), ("c?d=..#e", "/a/c?d=.."), ("c d", "/a/c%20d"), ("c%2Fd", "/a/c%2Fd"),
    (" c", "/a/c"), ("c:d", nil), ("./c:d", "/a/c:d"), ("//books.example/c", "/c"),
    ("https://books.example/c", "/c"), ("HTTPS://BOOKS.example:443/c", "/c"),
  ])
  func `a link is seen from the address that has answered`(
    _ link: String, _ place: String?
  ) async throws {
    let transport = ScriptedTransport(.json())
    let address = try #require(URL(string: "https://books.example/"))
    let books = ResilientClient("books", at: address, over: transport) { _ in
      Pipeline("books") { Retry(maximumAttempts: 1) }
    }
    let response = try await books.send(ResilientClient.Request(.get, "/a/b?x=/y"))
    let path = response.path(to: link)
    if let place {
      _ = try await books.send(ResilientClient.Request(.get, path))
      #expect(transport.sent.last?.url.absoluteString == "https://books.example\(place)")
    } else {
      await #expect(throws: AppError.self) {
        try await books.send(ResilientClient.Request(.get, path))
      }
      #expect(transport.sent.count == 1)
    }
  }

  @Test(arguments: [
    ("https://books.example/v1/a/../b", "/v1/b"), ("//books.example/a/./../b?q=..", "/b?q=.."),
    ("https://books.example/..", "/"), ("https://books.example/a/.", "/a/"),
    ("https://books.example/a//b", "/a//b"), ("https://books.example?q=a", "?q=a"),
    ("https://books.example", ""),
  ])
  func `dots in an absolute link mean what they mean in a relative one`(
    _ link: String, _ place: String
  ) async throws {
    let path = try await answer().path(to: link)
    #expect(path.text == "https://books.example\(place)")
    let transport = ScriptedTransport(.json())
    _ = try await client(transport).send(ResilientClient.Request(.get, path))
    #expect(transport.sent.count == 1, "it is one within the origin")
  }

  @Test(arguments: [
    "https://evil.example/v1/../a", "https://books.example/%2e%2e/a", "//books.example/.%2E/a",
    "//evil.example/", "https://evil.example/", "http://books.example/v1/", "mailto:a@b.example",
    "javascript:alert(1)", "file:///etc/passwd", "https:evil", "//books.example@evil.example/",
    "%2e%2e/a", "/%2E%2e/a",
  ])
  func `a link to somebody else is not sent`(_ link: String) async throws {
    let transport = ScriptedTransport(.json(headers: ["Link": "<\(link)>; rel=next"]))
    let books = try client(transport)
    let response = try await books.send(ResilientClient.Request(.get, "/books"))
    for path in [response.path(to: link), try #require(response.link("next"))] {
      let error = await #expect(throws: AppError.self) {
        try await books.send(ResilientClient.Request(.get, path))
      }
      #expect(error?.code == "network.bad-address" && error?.mayHaveBeenSent == false)
    }
    #expect(transport.sent.count == 1)
  }

  @Test func `after a redirection, the last address counts`() async throws {
    let transport = ScriptedTransport { _, count in
      count == 0
        ? .json(status: 302, headers: ["Location": "/v2/lists/new"])
        : .json(headers: ["Link": "<old>; rel=prev"])
    }
    let response = try await client(transport).send(ResilientClient.Request(.get, "/books"))
    #expect(response.link("prev")?.text == "https://books.example/v2/lists/old")
    #expect(response.path(to: "x").text == "https://books.example/v2/lists/x")
  }

  @Test func `a streamed answer has links as well`() async throws {
    let transport = ScriptedTransport(.json(headers: ["Link": "<b>; rel=next"]))
    let response = try await client(transport).stream(ResilientClient.Request(.get, "/books"))
    #expect(response.link("next")?.text == "https://books.example/v1/b")
    #expect(response.path(to: "?page=2").text == "https://books.example/v1/books?page=2")
  }
}
