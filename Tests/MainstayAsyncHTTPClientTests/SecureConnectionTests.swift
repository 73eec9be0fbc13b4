// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import Mainstay
import MainstayAsyncHTTPClient
import MainstayHTTP
import MainstayHTTPTesting
import NIOCore
import NIOHTTP2
import NIOSSL
import TestSupport
import Testing

/// What the client really throws over TLS and HTTP/2, from servers that do it.
@Suite struct SecureConnectionTests {
  private let mapping = ErrorMapping.standard.addingAsyncHTTPClientErrors()

  /// What the error of a request becomes, where nobody but this authority is believed.
  private func failure(of url: String, trusting authority: CertificateAuthority? = nil) async throws
    -> AppError
  {
    var tls = TLSConfiguration.makeClientConfiguration()
    if let authority { tls.trustRoots = .file(authority.file.path) }
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    // It would try to connect until the time is over, and only then say why it could not.
    configuration.connectionPool.retryConnectionEstablishment = false
    // On a busy machine it would give up before.
    configuration.timeout.connect = .minutes(10)
    let client = HTTPClient(configuration: configuration)
    let error = await #expect(throws: (any Error).self) {
      try await client.execute(HTTPClientRequest(url: url), timeout: .minutes(10))
    }
    try await client.shutdown()
    return mapping.map(try #require(error))
  }

  /// A server of HTTP/2 that does the same about each request.
  private func server(
    as identity: CertificateAuthority.Identity, _ answer: ScriptedHTTPServer.Answer
  ) async throws -> ScriptedHTTPServer {
    try await ScriptedHTTPServer(tls: identity, http2: true) { _, _ in answer }
  }

  @Test(.requirement("B14", "T13"), .ends(withinMinutes: 2))
  func `a certificate that nobody vouches for is distrusted, and nothing was sent`() async throws {
    let authority = try await CertificateAuthority()
    let server = try await server(as: authority.identity(), .silence)
    let mapped = try await failure(of: "https://localhost:\(server.port)/")
    #expect(mapped.code == "network.insecure")
    #expect(mapped.disposition == .permanent)
    #expect(!mapped.mayHaveBeenSent)
  }

  @Test(.requirement("B14", "T13"), .ends(withinMinutes: 2))
  func `a certificate of somebody else is distrusted`() async throws {
    let authority = try await CertificateAuthority()
    let server = try await server(as: authority.identity(for: ["example.test"]), .silence)
    let mapped = try await failure(of: "https://localhost:\(server.port)/", trusting: authority)
    #expect(mapped.code == "network.insecure")
    #expect(!mapped.mayHaveBeenSent)
  }

  @Test(.requirement("B14"), .ends(withinMinutes: 2))
  func `a service without TLS is no secure connection`() async throws {
    let server = try await ScriptedHTTPServer { _, _ in .reply(200) }
    let mapped = try await failure(of: "https://localhost:\(server.port)/")
    #expect(mapped.code == "network.secure-connection-failed")
    #expect(!mapped.mayHaveBeenSent)
  }

  @Test(.requirement("B14", "A41"), .ends(withinMinutes: 2))
  func `a stream that is refused was not worked on, and one that is reset may have been`()
    async throws
  {
    let authority = try await CertificateAuthority()
    let identity = try await authority.identity()
    let expected: [(HTTP2ErrorCode, ErrorCode, Bool)] = [
      (.refusedStream, "network.overloaded", false),
      (.enhanceYourCalm, "network.slow-down", true),
      (.internalError, "network.connection-lost", true),
      (.protocolError, "network.bad-answer", true),
    ]
    for (reason, code, wasSent) in expected {
      let server = try await server(
        as: identity, .nothing(then: .resetStream(code: reason.networkCode)))
      let mapped = try await failure(
        of: "https://localhost:\(server.port)/", trusting: authority)
      #expect(mapped.code == code, "\(reason): \(mapped)")
      #expect(mapped.mayHaveBeenSent == wasSent, "\(reason)")
    }
  }

  @Test(.requirement("B14"), .ends(withinMinutes: 2))
  func `a connection that is closed for all streams is a lost one`() async throws {
    let authority = try await CertificateAuthority()
    let server = try await server(as: authority.identity(), .nothing(then: .goAway(code: 0)))
    let mapped = try await failure(of: "https://localhost:\(server.port)/", trusting: authority)
    #expect(mapped.code == "network.connection-lost")
    #expect(mapped.mayHaveBeenSent)
  }
}
