// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Mainstay
import MainstayAsyncHTTPClient
import MainstayHTTP
import NIOCore
import NIOHTTP2
import NIOSSL
import TestSupport
import Testing

/// What the client really throws over TLS and HTTP/2, from servers that do it.
@Suite struct SecureConnectionTests {
  private let mapping = ErrorMapping.standard.addingAsyncHTTPClientErrors()

  /// What the error of a request becomes, where no certificate but this one is believed.
  private func failure(of url: String, trusting trusted: Certificate? = nil) async throws
    -> AppError
  {
    var tls = TLSConfiguration.makeClientConfiguration()
    if let trusted { tls.trustRoots = .certificates(try trusted.chain()) }
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    // It would try to connect until the time is over, and only then say why it could not.
    configuration.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(configuration: configuration)
    let error = await #expect(throws: (any Error).self) {
      try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
    }
    try await client.shutdown()
    return mapping.map(try #require(error))
  }

  @Test(.requirement("B14", "T13"), .ends(withinMinutes: 2))
  func `a certificate that nobody vouches for is distrusted, and nothing was sent`() async throws {
    let certificate = try await Certificate(for: "localhost")
    let server = try await SecureServer(as: certificate, ending: .reset(.cancel))
    let mapped = try await failure(of: "https://localhost:\(server.port)/")
    #expect(mapped.code == "network.insecure")
    #expect(mapped.disposition == .permanent)
    #expect(!mapped.mayHaveBeenSent)
  }

  @Test(.requirement("B14", "T13"), .ends(withinMinutes: 2))
  func `a certificate of somebody else is distrusted`() async throws {
    let certificate = try await Certificate(for: "example.test")
    let server = try await SecureServer(as: certificate, ending: .reset(.cancel))
    let mapped = try await failure(of: "https://localhost:\(server.port)/", trusting: certificate)
    #expect(mapped.code == "network.insecure")
    #expect(!mapped.mayHaveBeenSent)
  }

  @Test(.requirement("B14"), .ends(withinMinutes: 2))
  func `a service without TLS is no secure connection`() async throws {
    let server = try await PlainServer()
    let mapped = try await failure(of: "https://localhost:\(server.port)/")
    #expect(mapped.code == "network.secure-connection-failed")
    #expect(!mapped.mayHaveBeenSent)
  }

  @Test(.requirement("B14", "A41"), .ends(withinMinutes: 2))
  func `a stream that is refused was not worked on, and one that is reset may have been`()
    async throws
  {
    let certificate = try await Certificate(for: "localhost")
    let expected: [(HTTP2ErrorCode, ErrorCode, Bool)] = [
      (.refusedStream, "network.overloaded", false),
      (.enhanceYourCalm, "network.slow-down", true),
      (.internalError, "network.connection-lost", true),
      (.protocolError, "network.bad-answer", true),
    ]
    for (reason, code, wasSent) in expected {
      let server = try await SecureServer(as: certificate, ending: .reset(reason))
      let mapped = try await failure(
        of: "https://localhost:\(server.port)/", trusting: certificate)
      #expect(mapped.code == code, "\(reason): \(mapped)")
      #expect(mapped.mayHaveBeenSent == wasSent, "\(reason)")
    }
  }

  @Test(.requirement("B14"), .ends(withinMinutes: 2))
  func `a connection that is closed for all streams is a lost one`() async throws {
    let certificate = try await Certificate(for: "localhost")
    let server = try await SecureServer(as: certificate, ending: .goAway(.noError))
    let mapped = try await failure(of: "https://localhost:\(server.port)/", trusting: certificate)
    #expect(mapped.code == "network.connection-lost")
    #expect(mapped.mayHaveBeenSent)
  }
}
