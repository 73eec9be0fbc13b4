// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InventoryCore
import InventoryTestSupport
import InventoryWeb
import Mainstay
import NIOCore
import TestSupport
import Testing

/// Each route of the contract, in memory and through a socket, with one body.
@Suite(.ends(withinMinutes: 5)) struct RouteTests {
  typealias Client = any TestClientProtocol

  /// Runs a test against a server whose service cannot be reached.
  private func serve(
    _ setup: TestingSetup, _ test: @escaping @Sendable (Client) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "inventory-routes-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var settings = Inventory.Settings()
    settings.pullInterval = nil
    settings.health = nil
    let nowhere = try #require(URL(string: "http://127.0.0.1:1"))
    let inventory = try await Inventory(data: folder, upstream: nowhere, settings: settings)
    try await inventory.start()
    try await InventoryServer(inventory, port: 0).application().test(setup) { client in
      try await test(client)
    }
    await inventory.shutDown()
  }

  private static let setups: [TestingSetup] = [.router, .live]

  @Test(.requirement("C5"), arguments: setups)
  func `an item is made, read, changed, found and deleted without a network`(
    setup: TestingSetup
  ) async throws {
    try await serve(setup) { client in
      let made = try await client.answer(
        .post, "/api/items", #"{"title": "Lamp", "quantity": 2, "location": "Hall"}"#)
      #expect(made.status == 202 && made.headers["etag"] == "\"1\"")
      let id = try #require(try made.text("id"))
      let path = "/api/items/\(id)"
      #expect(try await client.answer(.get, path).text("title") == "Lamp")

      let stale = try await client.answer(
        .patch, path, #"{"title": "Old"}"#, [.ifMatch: "\"7\""])
      #expect(stale.status == 412)
      let edited = try await client.answer(
        .patch, path, #"{"title": "Desk lamp"}"#, [.ifMatch: "\"1\""])
      #expect(edited.status == 202 && edited.headers["etag"] == "\"2\"")

      let found = try await client.answer(.get, "/api/items?query=desk&limit=1")
      guard case .array(let items)? = try found.member("items") else {
        Issue.record("no items")
        return
      }
      #expect(items.count == 1)
      #expect(try await client.answer(.delete, path).status == 202)
      #expect(try await client.answer(.get, path).status == 404)
    }
  }

  @Test(arguments: setups) func `a key stands for one request`(setup: TestingSetup) async throws {
    try await serve(setup) { client in
      let key: HTTPFields = [.testKey: "k-1"]
      let scan = #"{"barcode": "9780141439518"}"#
      let first = try await client.answer(.post, "/api/scans", scan, key)
      let again = try await client.answer(.post, "/api/scans", scan, key)
      #expect(first.status == 202 && again.status == 202 && first.body == again.body)
      #expect(again.headers["idempotent-replayed"] == "true")
      let other = try await client.answer(
        .post, "/api/scans", #"{"barcode": "036000291452"}"#, key)
      #expect(other.status == 422)
      let bad = try await client.answer(.post, "/api/scans", scan, [.testKey: "a b"])
      #expect(bad.status == 400)
      #expect(try await client.answer(.get, "/api/status").number("outbox.pending") == 1)
    }
  }

  @Test(
    .requirement("A34", "E21"),
    arguments: [
      ("/api/scans", #"{"barcode": "9780141439519"}"#, 422, "/barcode"),
      ("/api/scans", #"{"barcode": 12}"#, 422, "/barcode"),
      ("/api/scans", "{}", 422, "/barcode"),
      ("/api/items", #"{"quantity": 1}"#, 422, "/title"),
      ("/api/items", #"{"title": "x", "quantity": -1}"#, 422, "/quantity"),
      ("/api/scans", #"{"bar"#, 400, ""), ("/api/items", "[]", 400, ""),
      ("/api/items", "", 400, ""),
    ])
  func `bad documents name the field`(
    path: String, body: String, status: Int, field: String
  ) async throws {
    try await serve(.router) { client in
      let answer = try await client.answer(.post, path, body)
      #expect(answer.status == status)
      #expect(answer.headers["content-type"] == "application/problem+json")
      #expect(try answer.text("title")?.isEmpty == false && answer.text("detail") != nil)
      guard !field.isEmpty else { return }
      guard case .array(let errors)? = try answer.member("errors"),
        case .object(let error)? = errors.first
      else {
        Issue.record("no field errors")
        return
      }
      #expect(error["pointer"] == .string(field))
    }
  }

  @Test(arguments: setups) func `what is not there or not allowed is explained`(
    setup: TestingSetup
  ) async throws {
    try await serve(setup) { client in
      let cases: [(HTTPRequest.Method, String, HTTPFields, Int)] = [
        (.get, "/nope", [:], 404), (.get, "/api/items/nope", [:], 400),
        (.get, "/api/items/\(UUID().uuidString)", [:], 404),
        (.get, "/api/items?limit=0", [:], 400), (.get, "/api/items?after=x", [:], 422),
        (.get, "/events", [.testLastEventID: "x"], 400),
        (.post, "/api/dead-letters/\(UUID().uuidString)/redrive", [:], 404),
        (.delete, "/api/dead-letters/\(UUID().uuidString)", [:], 404),
        (.post, "/api/items", [.origin: "http://evil.example"], 403),
      ]
      for (method, path, headers, status) in cases {
        let answer = try await client.answer(method, path, nil, headers)
        #expect(answer.status == status, "\(method) \(path)")
        #expect(answer.headers["content-type"] == "application/problem+json")
      }
      let wrong = try await client.answer(.put, "/api/items")
      #expect(wrong.status == 405 && wrong.headers["allow"] == "GET, HEAD, POST")
      let large = String(repeating: " ", count: 65_537)
      #expect(try await client.answer(.post, "/api/items", large).status == 413)
    }
  }

  @Test(arguments: setups) func `a photo is kept at once`(setup: TestingSetup) async throws {
    try await serve(setup) { client in
      let made = try await client.answer(.post, "/api/items", #"{"title": "Lamp"}"#)
      let path = "/api/items/\(try #require(try made.text("id")))/photo"
      #expect(try await client.answer(.get, path).status == 404)
      let bytes = "GIF89a" + String(repeating: "x", count: 2_000)
      #expect(try await client.answer(.put, path, bytes).status == 202)
      let photo = try await client.answer(.get, path)
      #expect(photo.body == Data(bytes.utf8))
      #expect(photo.headers["content-type"] == "image/gif")
      #expect(try await client.answer(.put, path, "no image").status == 415)
      let large = String(repeating: "x", count: ItemPhoto.maximumBytes + 1)
      let refused = try await client.answer(.put, path, large)
      #expect(refused.status == 413)
      #expect(try refused.text("detail") == "A photo may have at most 10 MB.")
      #expect(try refused.text("suggestion") == "Choose a smaller one.")
    }
  }

  @Test(.requirement("C3", "C6"), arguments: setups)
  func `how everything stands can be asked`(setup: TestingSetup) async throws {
    try await serve(setup) { client in
      let status = try await client.answer(.get, "/api/status")
      #expect(try status.number("outbox.pending") == 0)
      #expect(try status.member("ledger.balanced") == .bool(true))
      #expect(try await client.answer(.get, "/api/conflicts").member("conflicts") == .array([]))
      let letters = try await client.answer(.get, "/api/dead-letters")
      #expect(try letters.member("deadLetters") == .array([]))
      for query in ["limit=0", "limit=1001", "after=7"] {
        #expect(try await client.answer(.get, "/api/dead-letters?\(query)").status == 400)
      }
      #expect(try await client.answer(.get, "/api/errors").member("groups") != nil)
      let log = try await client.answer(.get, "/api/errors/log")
      #expect(log.status == 200 && log.headers["content-type"] == "application/jsonl")
      let diagnostics = try await client.answer(.get, "/api/diagnostics")
      let disposition = diagnostics.headers["content-disposition"]
      #expect(disposition?.hasPrefix("attachment") == true)
    }
  }
}

extension HTTPField.Name {
  fileprivate static var testKey: HTTPField.Name { named("Idempotency-Key") }
  fileprivate static var testLastEventID: HTTPField.Name { named("Last-Event-ID") }

  private static func named(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else { preconditionFailure(text) }
    return name
  }
}

extension TestClientProtocol {
  /// Sends a request and reads the answer whole.
  fileprivate func answer(
    _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, _ headers: HTTPFields = [:]
  ) async throws -> Answer {
    try await execute(
      uri: path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) }
    ) { response in
      Answer(
        status: response.status.code,
        headers: Dictionary(
          response.headers.map { ($0.name.canonicalName.lowercased(), $0.value) },
          uniquingKeysWith: { $1 }),
        body: Data(response.body.readableBytesView))
    }
  }
}
