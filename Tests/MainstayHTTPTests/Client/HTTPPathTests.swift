// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import TestSupport
import Testing

@Suite(.requirement("E13")) struct HTTPPathTests {
  @Test func `what is interpolated is one segment, whatever it holds`() {
    let title = "What? Slash/Dot/..&50% #1 ä"
    let path: HTTPPath = "/books/\(title)/pages"
    #expect(
      path.text == "/books/What%3F%20Slash%2FDot%2F..%2650%25%20%231%20%C3%A4/pages")
    let number: HTTPPath = "/books/\(42)"
    #expect(number.text == "/books/42")
  }

  @Test func `a path that is one already stays as it is`() {
    #expect(HTTPPath("/a%20b/c?d=e&f=%2F").text == "/a%20b/c?d=e&f=%2F")
    #expect(HTTPPath("/a b\"<>ä#f").text == "/a%20b%22%3C%3E%C3%A4%23f")
  }

  @Test func `values of a query may hold anything`() {
    let path = HTTPPath("/books").query(["title": "A & B = C?", "ä": ""])
    #expect(path.text == "/books?title=A%20%26%20B%20%3D%20C%3F&%C3%A4=")
    #expect(HTTPPath("/books?x=1").query(["y": "2"]).text == "/books?x=1&y=2")
  }

  @Test(arguments: [
    "/../admin", "/a/%2e%2E/b", "/a/.", "..", "/a/..?x=1", "/.%2e", "/%2E./a", "/a/%2e?x=1", "%2e",
  ])
  func `a path that leads elsewhere is not sent`(_ text: String) async throws {
    let transport = ScriptedTransport(.json())
    let books = try client(transport)
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.get, HTTPPath(text)))
    }
    #expect(error?.kind == .configuration)
    #expect(error?.mayHaveBeenSent == false)
    #expect(transport.sent.isEmpty)
  }

  @Test(arguments: ["/...", "/..a/b", "/%2e%2e%2e", "/a?x=/../b", "/.%2", "/.%2f.", "/a.", "/%2ea"])
  func `dots that lead nowhere are sent`(_ text: String) async throws {
    let transport = ScriptedTransport(.json())
    _ = try await client(transport).send(ResilientClient.Request(.get, HTTPPath(text)))
    #expect(transport.sent.count == 1)
  }

  @Test func `an address is one whatever stands in its path`() async throws {
    for byte in UInt8(0x01)...0x7f where byte != UInt8(ascii: "%") {
      let text = "/a\(Unicode.Scalar(byte))b"
      let path = HTTPPath(text)
      let transport = ScriptedTransport(.json())
      let response = try await client(transport).send(ResilientClient.Request(.get, path))
      let address = "https://books.example/v1" + path.text
      #expect(URL(string: address)?.absoluteString == address)
      #expect(transport.sent.map(\.url.absoluteString) == [address])
      #expect(response.url.absoluteString == address)
    }
  }

  @Test(arguments: ["..", ".", ""])
  func `a value that leads elsewhere is not sent`(_ value: String) async throws {
    let transport = ScriptedTransport(.json())
    let books = try client(transport)
    await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.get, "/books/\(value)/pages"))
    }
    #expect(transport.sent.isEmpty)
  }

  @Test(arguments: ["..", ".", "", "a?b"])
  func `a value of a query is sent, whatever it is`(_ value: String) async throws {
    let transport = ScriptedTransport(.json())
    let path: HTTPPath = "/books?title=\(value)&page=\(2)&last=\(value)"
    _ = try await client(transport).send(ResilientClient.Request(.get, path))
    let sent = value == "a?b" ? "a%3Fb" : value
    #expect(
      transport.sent.map(\.url.absoluteString)
        == ["https://books.example/v1/books?title=\(sent)&page=2&last=\(sent)"])
  }

  @Test func `what comes before the query stays a segment`() async throws {
    let transport = ScriptedTransport(.json())
    let books = try client(transport)
    await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.get, "/books/\("?")/\("..")?title=\("")"))
    }
    #expect(transport.sent.isEmpty)
  }

  @Test(arguments: [
    ("/books/1", "https://books.example/v1/books/1"),
    ("books", "https://books.example/v1/books"),
    ("?q=1", "https://books.example/v1?q=1"),
    ("//evil.example/x", "https://books.example/v1//evil.example/x"),
    ("@evil.example", "https://books.example/v1/@evil.example"),
    ("/https://evil.example/", "https://books.example/v1/https://evil.example/"),
  ])
  func `a path never leaves the address of its client`(
    _ path: String, _ address: String
  ) async throws {
    let transport = ScriptedTransport(.json())
    _ = try await client(transport).send(ResilientClient.Request(.get, HTTPPath(path)))
    #expect(transport.sent.map(\.url.absoluteString) == [address])
  }
  @Test(arguments: [
    ("https://books.example/v1/books?page=2", "https://books.example/v1/books?page=2"),
    ("HTTPS://Books.Example:443/other?a=%2F#top", "https://books.example/other?a=%2F"),
    ("https://books.example?page=2", "https://books.example?page=2"),
  ])
  func `a link of the service is followed within its origin`(
    _ link: String, _ address: String
  ) async throws {
    let transport = ScriptedTransport(.json())
    _ = try await client(transport).send(ResilientClient.Request(.get, HTTPPath(link)))
    #expect(transport.sent.map(\.url.absoluteString) == [address])
  }

  @Test(arguments: [
    ("/v1/books?page=2", "https://books.example/v1/books?page=2"),
    ("?page=2", "https://books.example/v1/books?page=2"),
    ("authors#top", "https://books.example/v1/authors"), ("//evil.example/x", nil),
  ])
  func `a relative link is followed once it was resolved by hand`(
    _ link: String, _ address: String?
  ) async throws {
    let transport = ScriptedTransport(.json())
    let books = try client(transport)
    let response = try await books.send(ResilientClient.Request(.get, "/books"))
    let absolute = try #require(URL(string: link, relativeTo: response.url)).absoluteString
    let path = HTTPPath(absolute)
    if let address {
      _ = try await books.send(ResilientClient.Request(.get, path))
      #expect(transport.sent.last?.url.absoluteString == address)
    } else {
      await #expect(throws: AppError.self) {
        try await books.send(ResilientClient.Request(.get, path))
      }
      #expect(transport.sent.count == 1)
    }
  }

  @Test(arguments: [
    "https://evil.example/", "http://books.example/v1/books", "https://books.example:444/v1",
    "https://books.example@evil.example/", "https://me:secret@books.example/v1",
    "https://books.example\\@evil.example/", "https://books.example/v1/../admin", "https://",
  ])
  func `a link to another origin is not sent`(_ link: String) async throws {
    let transport = ScriptedTransport(.json())
    let books = try client(transport)
    let error = await #expect(throws: AppError.self) {
      try await books.send(ResilientClient.Request(.get, HTTPPath(link)))
    }
    #expect(error?.code == "network.bad-address" && error?.mayHaveBeenSent == false)
    #expect(transport.sent.isEmpty)
  }

  @Test func `a link that is interpolated is a segment`() async throws {
    let transport = ScriptedTransport(.json())
    let link = "https://evil.example/"
    _ = try await client(transport).send(ResilientClient.Request(.get, "\(link)"))
    #expect(
      transport.sent.map(\.url.absoluteString)
        == ["https://books.example/v1/https%3A%2F%2Fevil.example%2F"])
  }
}
