// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import InventoryUpstream
import Testing

@Suite struct TwinTests {
  private let address = "/twins/\(twin)"

  @Test func `a twin is made, read, changed, deleted and made again`() async throws {
    try await Service().inMemory { client async throws in
      let made = try await client.send(
        .put, address, key: "1", headers: [.ifNoneMatch: "*"], emma)
      #expect(made.status == 201)
      #expect(made.headers[.eTag] == "\"1\"")
      let document: Twin = try made.document()
      #expect(document.id == twin && document.version == 1)
      #expect(document.fields?.title == "Emma" && document.fields?.quantity == 2)

      let read = try await client.get(address)
      #expect(read.status == 200 && read.headers[.eTag] == "\"1\"" && read.bytes == made.bytes)

      let changed = try await client.send(
        .put, address, key: "2", headers: [.ifMatch: "\"1\""], #"{"title": "Emma", "year": 1815}"#)
      #expect(changed.status == 200 && changed.headers[.eTag] == "\"2\"")
      #expect(try changed.document(Twin.self).fields == TwinFields(title: "Emma", year: 1815))

      let deleted = try await client.send(.delete, address, key: "3", headers: [.ifMatch: "\"2\""])
      #expect(deleted.status == 200 && deleted.headers[.eTag] == "\"3\"")
      #expect(try deleted.document(Twin.self).fields == nil)
      #expect(try await client.get(address).problem().status == 404)

      let again = try await client.send(
        .put, address, key: "4", headers: [.ifNoneMatch: "*"], emma)
      #expect(again.status == 201 && again.headers[.eTag] == "\"4\"")
    }
  }

  @Test func `a write without conditions is made over whatever is there`() async throws {
    try await Service().inMemory { client async throws in
      #expect(try await client.send(.put, address, key: "1", emma).status == 201)
      #expect(try await client.send(.put, address, key: "2", emma).status == 200)
      #expect(try await client.send(.delete, address, key: "3").status == 200)
    }
  }

  @Test func `a stale version is 412 with the current document`() async throws {
    try await Service().inMemory { client in
      _ = try await client.send(.put, address, key: "1", emma)
      let writes: [(HTTPRequest.Method, HTTPFields)] = [
        (.put, [.ifMatch: "\"7\""]), (.delete, [.ifMatch: "\"7\""]), (.put, [.ifNoneMatch: "*"]),
        (.put, [.ifMatch: "W/\"1\""]), (.put, [.ifNoneMatch: "\"5\", \"1\""]),
      ]
      for (method, headers) in writes {
        let answer = try await client.send(
          method, address, key: "2", headers: headers, method == .put ? emma : nil)
        #expect(answer.status == 412, "\(method) \(headers)")
        #expect(answer.headers[.eTag] == "\"1\"")
        let problem = try answer.problem()
        #expect(problem.type.hasSuffix("/stale-version"))
        #expect(problem.current?.version == 1 && problem.current?.fields?.title == "Emma")
      }
      #expect(
        try await client.send(.put, address, key: "3", headers: [.ifMatch: "\"0\", \"1\""], emma)
          .status == 200)
    }
  }

  @Test func `a change of what was deleted is 412 with the tombstone`() async throws {
    try await Service().inMemory { client in
      _ = try await client.send(.put, address, key: "1", emma)
      _ = try await client.send(.delete, address, key: "2")
      for tag in ["\"1\"", "\"2\"", "*"] {
        let answer = try await client.send(.put, address, key: "3", headers: [.ifMatch: tag], emma)
        #expect(answer.status == 412)
        let current = try answer.problem().current
        #expect(current?.version == 2 && current?.fields == nil)
      }
    }
  }

  @Test func `a change of what never was is 412 without a document`() async throws {
    try await Service().inMemory { client in
      let answer = try await client.send(
        .put, address, key: "1", headers: [.ifMatch: "\"1\""], emma)
      #expect(answer.status == 412)
      #expect(try answer.problem().current == nil)
    }
  }

  @Test func `a deletion of what is gone is 404`() async throws {
    try await Service().inMemory { client in
      #expect(try await client.send(.delete, address, key: "1").problem().status == 404)
      _ = try await client.send(.put, address, key: "2", emma)
      _ = try await client.send(.delete, address, key: "3")
      let again = try await client.send(.delete, address, key: "4", headers: [.ifMatch: "\"1\""])
      #expect(again.status == 404)
    }
  }

  @Test func `ids mean the same in either case`() async throws {
    try await Service().inMemory { client in
      _ = try await client.send(.put, "/twins/" + twin.uppercased(), key: "1", emma)
      #expect(try await client.get(address).document(Twin.self).id == twin)
    }
  }

  @Test(arguments: [
    (#"{"title": 7, "quantity": -3, "a/b~": 1}"#, ["/title", "/quantity", "/a~1b~0"]),
    (#"{"quantity": 1}"#, ["/title"]),
    (#"{"title": null}"#, ["/title"]),
    (#"{"title": "  "}"#, ["/title"]),
    (#"{"title": "Emma", "quantity": 1.5}"#, ["/quantity"]),
    (#"{"title": "Emma", "quantity": true}"#, ["/quantity"]),
    (#"{"title": "Emma", "year": 99999, "kind": "car"}"#, ["/kind", "/year"]),
  ])
  func `a wrong member is 400 and pointed at`(body: String, pointers: [String]) async throws {
    try await Service().inMemory { client in
      let answer = try await client.send(.put, address, key: "1", body)
      #expect(answer.status == 400)
      let problem = try answer.problem()
      #expect(problem.type.hasSuffix("/invalid-document"))
      #expect(problem.errors?.map(\.pointer) == pointers)
      #expect(problem.errors?.allSatisfy { !$0.detail.isEmpty } == true)
      #expect(try await client.get("/effects/1").status == 404)
    }
  }

  @Test(arguments: ["", "{", "[]", "7", "{\"title\": \"Emma\"} x", "\u{0}", "{\"title\": }"])
  func `a body that is no JSON object is 400`(body: String) async throws {
    try await Service().inMemory { client in
      let answer = try await client.send(.put, address, key: "1", body)
      #expect(answer.status == 400)
      #expect(try answer.problem().type.hasSuffix("/malformed-json"))
    }
  }

  @Test func `what was read can be changed and sent back`() async throws {
    try await Service().inMemory { client in
      let made = try await client.send(.put, address, key: "1", emma)
      let edited = made.text.replacing("Emma", with: "Persuasion")
      let answer = try await client.send(.put, address, key: "2", headers: [.ifMatch: "*"], edited)
      #expect(answer.status == 200)
      #expect(try answer.document(Twin.self).fields?.title == "Persuasion")
    }
  }

  @Test func `a body of more than 64 KB is 413`() async throws {
    try await Service().inMemory { client in
      let notes = String(repeating: "x", count: 65_536)
      let answer = try await client.send(
        .put, address, key: "1", #"{"title": "Emma", "notes": "\#(notes)"}"#)
      #expect(answer.status == 413)
      #expect(try answer.problem().type.hasSuffix("/too-large"))
    }
  }

  @Test func `a body of more than 64 KB is 413 even if it does not say so`() async throws {
    try await Service().live { client in
      let chunk = [UInt8](repeating: UInt8(ascii: " "), count: 8192)
      let request = Wire.chunked(
        "PUT \(address)", ["Idempotency-Key: 1"], Array(repeating: chunk, count: 9))
      let port = try client.port()
      let answer = String(decoding: try await Wire.exchange(request, port: port), as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 413 "))
    }
  }

  @Test func `an address or a header that is wrong is 400`() async throws {
    try await Service().inMemory { client in
      let noID = try await client.send(.put, "/twins/seven", key: "1", emma)
      #expect(try noID.problem().type.hasSuffix("/bad-address"))
      for tag in ["1", "\"1", "", "\"1\", 2", "W/1"] {
        let answer = try await client.send(.put, address, key: "1", headers: [.ifMatch: tag], emma)
        #expect(try answer.problem().type.hasSuffix("/bad-header"), "\(tag)")
      }
    }
  }
}
