// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import MainstayHTTPTesting
import NIOCore
import NIOHTTP1
import NIOSSL
import TestSupport
import Testing

/// Certificates and HTTP/2, as a real client sees them.
@Suite(.ends(withinMinutes: 2)) struct SecureServerTests {
  private typealias Answer = ScriptedHTTPServer.Answer

  /// Does something with a client that believes in an authority.
  private func withClient(
    trusting authority: CertificateAuthority?, _ body: (HTTPClient) async throws -> Void
  ) async throws {
    var tls = TLSConfiguration.makeClientConfiguration()
    if let authority { tls.trustRoots = .file(authority.file.path) }
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    configuration.connectionPool.retryConnectionEstablishment = false
    // A handshake takes long on a busy machine.
    configuration.timeout.connect = .minutes(10)
    let client = HTTPClient(configuration: configuration)
    do {
      try await body(client)
    } catch {
      try await client.shutdown()
      throw error
    }
    try await client.shutdown()
  }

  private func get(_ url: String, _ client: HTTPClient) async throws -> HTTPClientResponse {
    try await client.execute(HTTPClientRequest(url: url), timeout: .minutes(10))
  }

  @Test(arguments: [false, true])
  func `a client that believes in the authority speaks the version that is offered`(
    isHTTP2: Bool
  ) async throws {
    let authority = try await CertificateAuthority()
    let identity = try await authority.identity()
    let server = try await ScriptedHTTPServer(tls: identity, http2: isHTTP2) { request, _ in
      var answer = Answer.reply(
        200, headers: [("x-path", request.path)], streaming: .pattern(count: 1_000_000),
        framing: .chunked(size: 5_000))
      answer.informational = [(status: 103, headers: [])]
      return answer
    }
    #expect(server.origin == "https://localhost:\(server.port)")
    try await withClient(trusting: authority) { client in
      let response = try await get(server.origin + "/a", client)
      #expect(response.version == (isHTTP2 ? .http2 : .http1_1))
      #expect(response.headers["x-path"] == ["/a"])
      let body = try await response.body.collect(upTo: 2_000_000)
      #expect(body.readableBytes == 1_000_000)
      #expect(body.getInteger(at: 999_999, as: UInt8.self) == UInt8(999_999 % 251))
    }
    #expect(server.received.map(\.target) == ["/a"])
  }

  @Test func `nobody, others and those whose time is over are not believed`() async throws {
    let authority = try await CertificateAuthority()
    let identities = [
      try await authority.identity(for: ["example.test", "10.1.2.3"]),
      try await authority.identity(hasExpired: true),
    ]
    for identity in identities {
      let server = try await ScriptedHTTPServer(tls: identity) { _, _ in .reply(200) }
      try await withClient(trusting: authority) { client in
        await #expect(throws: (any Error).self) { _ = try await get(server.origin, client) }
      }
      #expect(server.received.isEmpty)
    }
    let server = try await ScriptedHTTPServer(tls: try await authority.identity()) { _, _ in
      .reply(200)
    }
    let other = try await CertificateAuthority()
    for stranger in [nil, other] {
      try await withClient(trusting: stranger) { client in
        await #expect(throws: (any Error).self) { _ = try await get(server.origin, client) }
      }
    }
    try await withClient(trusting: authority) { client in
      let response = try await get("https://127.0.0.1:\(server.port)/", client)
      #expect(response.status == .ok)
    }
  }

  @Test func `files of an authority go away with it and its servers`() async throws {
    var authority: CertificateAuthority? = try await CertificateAuthority()
    let file = try #require(authority?.file)
    var identity = try await authority?.identity()
    authority = nil
    let key = try #require(identity?.key)
    #expect(FileManager.default.fileExists(atPath: key.path))
    #expect(FileManager.default.fileExists(atPath: file.path))
    identity = nil
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func `a stream ends with a code, and a connection for all its streams`() async throws {
    let authority = try await CertificateAuthority()
    let identity = try await authority.identity()
    let server = try await ScriptedHTTPServer(tls: identity, http2: true) { request, _ in
      switch request.path {
      case "/stream": .nothing(then: .resetStream(code: 8))
      case "/connection": .nothing(then: .goAway(code: 0))
      case "/reset": .reset
      case "/hang-up": .hangUp
      default: .reply(200)
      }
    }
    for path in ["/stream", "/connection", "/reset", "/hang-up"] {
      try await withClient(trusting: authority) { client in
        await #expect(throws: (any Error).self, "\(path)") {
          _ = try await get(server.origin + path, client)
        }
      }
    }
    try await withClient(trusting: authority) { client in
      let response = try await get(server.origin, client)
      #expect(response.status == .ok)
    }
    #expect(server.received.map(\.path) == ["/stream", "/connection", "/reset", "/hang-up", "/"])
  }
}
