// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HummingbirdTesting
import InventoryUpstream
import Testing

@Suite struct RouteTests {
  @Test func `a book of the catalog is 200, any other 404`() async throws {
    try await Service().inMemory { client in
      let found = try await client.get("/books/9780141439518")
      #expect(found.status == 200)
      #expect(found.headers[.contentType] == "application/json")
      let book: Book = try found.document()
      #expect(book.title == "Pride and Prejudice" && book.year == 1813)
      let missing = try await client.get("/books/9780000000002")
      #expect(missing.status == 404)
      #expect(try missing.problem().type.hasSuffix("/not-found"))
    }
  }

  @Test func `the features that need the network answer for a subject`() async throws {
    try await Service().inMemory { client in
      for name in ["recall-check", "resale-value", "recipe-ideas"] {
        let answer: FeatureAnswer = try await client.get("/features/\(name)?subject=Emma")
          .document()
        #expect(answer.name == name && answer.subject == "Emma" && answer.sample)
        #expect(answer.answer.contains("Emma"))
        #expect(try await client.get("/features/\(name)").status == 200)
      }
      #expect(try await client.get("/features/weather").problem().status == 404)
    }
  }

  @Test func `an unknown address is 404 with problem details`() async throws {
    try await Service().inMemory { client async throws in
      for address in ["/", "/nothing", "/twins/\(twin)/colour", "/control/secrets"] {
        #expect(try await client.get(address).problem().status == 404, "\(address)")
      }
    }
  }

  @Test(arguments: [
    ("PATCH", "/twins/\(twin)", "GET, HEAD, PUT, DELETE"),
    ("POST", "/twins", "GET, HEAD"),
    ("DELETE", "/books/9780141439518", "GET, HEAD"),
    ("PUT", "/effects/k", "GET, HEAD"),
    ("POST", "/features/recall-check", "GET, HEAD"),
    ("DELETE", "/twins/\(twin)/photo", "GET, HEAD, PUT"),
    ("GET", "/control/faults", "POST"),
    ("DELETE", "/control/ledger", "GET, HEAD"),
  ])
  func `a wrong method is 405 and names the right ones`(
    method: String, address: String, allowed: String
  ) async throws {
    let method = try #require(HTTPRequest.Method(method))
    try await Service().inMemory { client async throws in
      let answer = try await client.send(method, address)
      #expect(answer.status == 405)
      #expect(answer.headers[.allow] == allowed)
      #expect(try answer.problem().type.hasSuffix("/method-not-allowed"))
    }
  }

  @Test func `what can be read has a head`() async throws {
    try await Service().live { client async throws in
      let answer = try await client.send(.head, "/books/9780141439518")
      #expect(answer.status == 200)
      #expect(answer.bytes.isEmpty)
    }
  }

  @Test func `without permission there is no control`() async throws {
    try await Service(isControlAllowed: false).inMemory { client async throws in
      #expect(try await client.send(.post, "/control/faults", #"{"mode": "down"}"#).status == 404)
      #expect(try await client.get("/control/ledger").status == 404)
      #expect(try await client.get("/books/9780141439518").status == 200)
    }
  }

  @Test(arguments: [
    ("http://evil.example", 403), ("http://evil.example:80", 403), ("null", 403), ("", 403),
    ("http://localhost:8080", 201), ("http://LOCALHOST", 201), ("https://localhost.evil", 403),
  ])
  func `a write from a page of another host is refused`(origin: String, status: Int) async throws {
    try await Service().inMemory { client in
      let headers: HTTPFields = [.origin: origin]
      let answer = try await client.send(
        .put, "/twins/\(twin)", key: "k", headers: headers, emma)
      #expect(answer.status == status)
      #expect(try await client.send(.get, "/twins", headers: headers).status == 200)
      if status == 403 { #expect(try answer.problem().type.hasSuffix("/foreign-origin")) }
    }
  }

  @Test func `faults cannot be switched from a page of another host`() async throws {
    try await Service().inMemory { client in
      let answer = try await client.send(
        .post, "/control/faults", headers: [.origin: "http://evil.example"], #"{"mode": "down"}"#)
      #expect(answer.status == 403)
    }
  }

  @Test(arguments: [
    ("localhost", 200), ("LOCALHOST:1", 200), ("127.0.0.1:8081", 200), ("[::1]:8081", 200),
    ("service.example:8081", 200), ("evil.test:8081", 403), ("localhost.evil.test", 403),
    ("127.0.0.1.nip.io", 403), ("::1", 403),
  ])
  func `a foreign name that leads here is refused`(host: String, status: Int) async throws {
    var settings = Upstream.Settings()
    settings.host = "service.example"
    settings.isControlAllowed = true
    let upstream = try Upstream(settings)
    try await upstream.application().test(.live) { client in
      let port = try #require(client.port)
      for path in ["/twins", "/control/ledger"] {
        let request =
          "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nOrigin: http://\(host)\r\n"
          + "Connection: close\r\n\r\n"
        let answer = try await Wire.exchange(request, port: port)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        if status == 403 { #expect(answer.contains("/foreign-host")) }
      }
    }
  }
}
