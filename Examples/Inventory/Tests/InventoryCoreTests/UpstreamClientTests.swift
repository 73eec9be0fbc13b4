// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import InventoryCore
import InventoryUpstream
import Mainstay
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 5)) struct UpstreamClientTests {
  struct Line: Sendable, CustomTestStringConvertible {
    let status: Int
    var body = "{}"
    var type = "application/problem+json"
    var headers: [String: String] = [:]
    /// What a write becomes: the disposition, `applied`, or `stale`.
    let becomes: String

    var testDescription: String { "\(status) \(type) → \(becomes)" }
  }

  static let twin = """
    {"id":"1D0C6F7E-0000-4000-8000-000000000001","version":3,"deleted":false,"title":"Lamp",
    "quantity":1,"updatedAt":"2026-11-21T09:52:02.125Z","color":"red"}
    """
  static let json = "application/json; charset=utf-8"

  static let lines: [Line] = [
    Line(status: 200, body: twin, type: json, becomes: "applied"),
    Line(status: 201, body: twin, type: json, becomes: "applied"),
    Line(status: 200, body: "<html>", type: "text/html", becomes: "portal"),
    Line(status: 200, body: "{\"hello\":1}", type: json, becomes: "portal"),
    Line(status: 200, body: "{\"id\":", type: json, becomes: "portal"),
    Line(status: 200, body: "", type: json, becomes: "portal"),
    Line(status: 200, body: twin, type: "text/plain", becomes: "portal"),
    Line(status: 302, headers: ["Location": "/login"], becomes: "portal"),
    Line(status: 401, becomes: "needsUser"),
    Line(status: 403, becomes: "permanent"),
    Line(status: 404, becomes: "permanent"),
    Line(status: 404, body: "<html>", type: "text/html", becomes: "portal"),
    Line(status: 408, becomes: "transient"),
    Line(
      status: 409, body: "{\"type\":\"https://x.example/idempotency-in-progress\"}",
      headers: ["Retry-After": "7"], becomes: "transient 7"),
    Line(status: 409, body: "{\"current\":\(twin)}", becomes: "stale 3"),
    Line(status: 412, body: "{\"current\":\(twin)}", becomes: "stale 3"),
    Line(status: 412, body: "no json", becomes: "stale"),
    Line(status: 413, becomes: "permanent"),
    Line(
      status: 422, body: "{\"type\":\"https://x.example/idempotency-key-reused\",\"title\":7}",
      becomes: "permanent"),
    Line(status: 425, becomes: "transient"),
    Line(status: 429, headers: ["Retry-After": "9"], becomes: "throttled 9"),
    Line(status: 500, body: "<html>", type: "text/html", becomes: "transient"),
    Line(status: 501, becomes: "permanent"),
    Line(status: 502, becomes: "transient"),
    Line(
      status: 503, headers: ["Retry-After": "Tue, 01 Jan 2199 00:00:00 GMT"],
      becomes: "transient 31536000"),
    Line(status: 504, becomes: "transient"),
    Line(status: 505, becomes: "permanent"),
    Line(status: 511, type: "text/html", becomes: "portal"),
  ]

  @Test(.requirement("B17", "E1"), arguments: lines)
  func `every answer becomes what the contract says`(
    _ line: Line
  ) async throws {
    let service = try await ScriptedService(
      status: line.status, headers: line.headers, body: line.body, type: line.type)
    let become: String
    do {
      let answer = try await service.client.put(
        UUID(), Data("{}".utf8), ifVersion: nil, key: IdempotencyKey())
      become =
        switch answer {
        case .applied: "applied"
        case .stale(let twin): twin.map { "stale \($0.version)" } ?? "stale"
        }
    } catch {
      become = Self.name(error)
    }
    #expect(become == line.becomes)
    let isPortal = line.becomes == "portal"
    if isPortal, line.type != Self.json {
      #expect(service.client.evidenceState == .portal)
    }
    await service.end()
  }

  private static func name(_ error: AppError) -> String {
    if error.kind == .portal { return "portal" }
    let wait = error.disposition.retryAfter.map { " \($0.components.seconds)" } ?? ""
    return switch error.disposition {
    case .transient: "transient" + wait
    case .throttled: "throttled" + wait
    case .permanent: "permanent"
    case .needsUser: "needsUser"
    case .unknownOutcome: "unknownOutcome"
    default: "other"
    }
  }

  @Test(arguments: [404, 410]) func `deleting what is gone is a success`(
    _ status: Int
  ) async throws {
    let service = try await ScriptedService(status: status, type: "application/problem+json")
    let answer = try await service.client.delete(UUID(), key: IdempotencyKey())
    #expect(answer == .applied(nil))
    await service.end()
  }

  @Test func `an answer that never ends is cut`() async throws {
    let service = try await ScriptedService(
      status: 200, body: String(repeating: " ", count: 20_000))
    let error = await #expect(throws: AppError.self) {
      try await service.client.twin(UUID())
    }
    #expect(error?.kind == .portal)
    await service.end()
  }

  @Test(.requirement("T13"))
  func `errors of the libraries say what happened, and not all is network`() {
    let map = ErrorMapping.inventory
    #expect(map.map(DatabaseError(resultCode: .SQLITE_FULL)).kind == .storageFull)
    #expect(map.map(DatabaseError(resultCode: .SQLITE_NOTADB)).kind == .corrupted)
    #expect(map.map(DatabaseError(resultCode: .SQLITE_BUSY)).disposition == .transient())
    let gone = RecordError.recordNotFound(databaseTableName: "items", key: [:])
    #expect(map.map(gone).kind == .notFound)
    let refused = NSError(domain: "NSURLErrorDomain", code: -1004)
    #expect(map.map(refused).metadata["http.sent"] == "no")
  }

  @Test(.requirement("T13"))
  func `the way to the service has the app's own words, and they say what was sent`() async throws {
    try await inWorld { world in
      let client = world.stranger()
      await world.fail(.down)
      for isGone in [false, true] {
        if isGone { await world.stop() }
        let error = await #expect(throws: AppError.self) {
          try await client.put(UUID(), Data("{}".utf8), ifVersion: nil, key: IdempotencyKey())
        }
        #expect(error?.code == (isGone ? "inventory.unreachable" : "inventory.connection-lost"))
        #expect(error?.metadata["http.sent"] == (isGone ? "no" : "maybe"))
        let reading = client.evidence.reading
        #expect(reading.state == .offline)
        let message = try #require(error?.message.description)
        #expect(reading.evidence.first?.hasPrefix(message) == true)
      }
      await client.shutDown()
    }
  }

  @Test(.requirement("D10")) func `a question has no key, also within the work of an operation`()
    async throws
  {
    try await inWorld { world in
      let (client, key) = (world.stranger(), IdempotencyKey())
      let (effect, twin) = try await key.active {
        (try await client.effect(of: key), try await client.twin(UUID()))
      }
      #expect(effect == nil && twin == nil)
      #expect(await world.upstream.store.ledger.requests.allSatisfy { $0.key != key.rawValue })
      await client.shutDown()
    }
  }

  @Test func `what another version is stays whole, however long it is`() async throws {
    let notes = String(repeating: "n", count: 65_000)
    let twin = Self.twin.replacing("\"color\":\"red\"", with: "\"notes\":\"\(notes)\"")
    let service = try await ScriptedService(
      status: 412, body: "{\"current\":\(twin)}", type: "application/problem+json")
    let answer = try await service.client.put(
      UUID(), Data("{}".utf8), ifVersion: 2, key: IdempotencyKey())
    guard case .stale(let current) = answer else {
      Issue.record("another version was expected")
      return
    }
    #expect(current?.fields?.notes == notes)
    await service.end()
  }
}

extension UpstreamClient {
  /// What the last answer said about the connection.
  fileprivate var evidenceState: ConnectivityEvidence.Reading.State { evidence.reading.state }
}
