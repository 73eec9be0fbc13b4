// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InventoryUpstream

/// A service for one test, with faults and ledger open.
struct Service: Sendable {
  /// What every time stamp says.
  static let moment = Timestamp(Date(timeIntervalSince1970: 1_767_323_045.678))

  let upstream: Upstream

  /// Makes one; without a folder it keeps nothing.
  init(
    data: URL? = nil, isControlAllowed: Bool = true,
    clock: some Clock<Duration> = ContinuousClock()
  ) throws {
    var settings = Upstream.Settings()
    settings.data = data
    settings.isControlAllowed = isControlAllowed
    upstream = try Upstream(settings, clock: clock, now: { Self.moment })
  }

  /// Asks it in memory.
  func inMemory<Value: Sendable>(
    _ test: @Sendable (Client) async throws -> Value
  ) async throws -> Value {
    try await upstream.application().test(.router) { try await test(Client($0)) }
  }

  /// Asks it through a socket, on a free port.
  ///
  /// The client of the test kit gives up after 20 seconds, and so fails tests when many others keep
  /// all cores busy: this one is more patient.
  func live<Value: Sendable>(
    _ test: @Sendable (Client) async throws -> Value
  ) async throws -> Value {
    try await upstream.application().test(.live) { given in
      guard let port = given.port else { throw Unexpected(text: "It does not listen.") }
      let client = TestClient(
        host: "localhost", port: port, configuration: .init(timeout: .seconds(240)))
      client.connect()
      do {
        let value = try await test(Client(client, port: port))
        try await client.shutdown()
        return value
      } catch {
        try? await client.shutdown()
        throw error
      }
    }
  }
}

/// Short ways to ask.
struct Client: Sendable {
  private typealias Exchange =
    @Sendable (HTTPRequest.Method, String, HTTPFields, ByteBuffer?) async throws -> Answer

  private let exchange: Exchange
  private let listeningPort: Int?

  /// Asks in memory.
  init(_ client: any TestClientProtocol) {
    listeningPort = client.port
    exchange = { method, address, headers, body in
      let response = try await client.executeRequest(
        uri: address, method: method, headers: headers, body: body)
      return Answer(
        status: response.status.code, headers: response.headers,
        bytes: Array(response.body.readableBytesView))
    }
  }

  /// Asks through a socket.
  init(_ client: TestClient, port: Int) {
    listeningPort = port
    exchange = { method, address, headers, body in
      var headers = headers
      headers[.connection] = "keep-alive"
      let response = try await client.execute(
        .init(address, method: method, authority: "localhost", headers: headers, body: body))
      return Answer(
        status: response.status.code, headers: response.headers,
        bytes: (response.body?.readableBytesView).map { Array($0) } ?? [])
    }
  }

  /// Sends a request.
  func send(
    _ method: HTTPRequest.Method, _ address: String, key: String? = nil,
    headers: HTTPFields = [:], _ body: String? = nil
  ) async throws -> Answer {
    try await send(
      method, address, key: key, headers: headers, bytes: body.map { Array($0.utf8) })
  }

  /// Sends a request with any bytes.
  func send(
    _ method: HTTPRequest.Method, _ address: String, key: String? = nil,
    headers: HTTPFields = [:], bytes: [UInt8]?
  ) async throws -> Answer {
    var headers = headers
    headers[.idempotencyKey] = key
    return try await exchange(method, address, headers, bytes.map { ByteBuffer(bytes: $0) })
  }

  /// The port of a service that listens.
  func port() throws -> Int {
    guard let port = listeningPort else { throw Unexpected(text: "It does not listen.") }
    return port
  }

  func get(_ address: String) async throws -> Answer { try await send(.get, address) }

  /// Switches faults.
  func fault(_ settings: String) async throws {
    let answer = try await send(.post, "/control/faults", settings)
    guard answer.status == 200 else { throw Unexpected(text: answer.text) }
  }

  func ledger() async throws -> Ledger { try await get("/control/ledger").document() }
}

/// What a request was answered.
struct Answer: Sendable {
  let status: Int
  let headers: HTTPFields
  let bytes: [UInt8]

  var text: String { String(decoding: bytes, as: UTF8.self) }

  func document<Document: Decodable>(_ type: Document.Type = Document.self) throws -> Document {
    try JSONDecoder().decode(type, from: Data(bytes))
  }

  /// The problem, when it is announced as one and says the status that it came with.
  func problem() throws -> ProblemDocument {
    let problem: ProblemDocument = try document()
    guard headers[.contentType] == "application/problem+json", problem.status == status else {
      throw Unexpected(text: text)
    }
    return problem
  }
}

/// An answer that a test cannot go on with.
struct Unexpected: Error {
  let text: String
}

/// A folder that goes when the test is over.
final class TemporaryFolder: Sendable {
  let url = FileManager.default.temporaryDirectory
    .appending(path: "inventory-upstream-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var journal: URL { url.appending(path: "journal.jsonl") }
}

/// An id for tests of one twin.
let twin = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

/// An id for tests of two.
let otherTwin = "9b2d7a54-0c1e-4c8f-8f43-52f0a1e3c902"

/// A body of `PUT /twins/{id}`.
let emma = #"{"title": "Emma", "author": "Jane Austen", "quantity": 2}"#
