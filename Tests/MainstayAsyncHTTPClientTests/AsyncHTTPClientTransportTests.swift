// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import HTTPTestSupport
import Mainstay
import MainstayAsyncHTTPClient
import MainstayHTTP
import MainstayHTTPTesting
import MainstayTesting
import NIOSSL
import TestSupport
import Testing

@Suite struct AsyncHTTPClientTransportTests {
  @Test(
    .requirement("D10", "E14", "D6"), .ends(withinMinutes: 2),
    arguments: ClientConformance.Promise.allCases)
  func `a client over it keeps its promises`(_ promise: ClientConformance.Promise) async throws {
    try await ClientConformance(AsyncHTTPClientTransport()).check(promise)
  }

  @Test(
    .requirement("D10", "E14", "D6"), .ends(withinMinutes: 5), arguments: [false, true],
    ClientConformance.Promise.allCases)
  func `a client over it keeps its promises over TLS`(
    _ http2: Bool, _ promise: ClientConformance.Promise
  ) async throws {
    let authority = try await CertificateAuthority()
    try await ClientConformance(
      AsyncHTTPClientTransport(configuration: configuration(trusting: authority)),
      tls: try await authority.identity(), http2: http2
    ).check(promise)
  }

  @Test(.requirement("D2", "E14"), .ends(withinMinutes: 2))
  func `a service that is not who it says is not sent anything`() async throws {
    let authority = try await CertificateAuthority()
    let identities = [
      try await authority.identity(for: ["other.example"]),
      try await authority.identity(hasExpired: true),
      try await CertificateAuthority().identity(),
    ]
    for identity in identities {
      let server = try await ScriptedHTTPServer(tls: identity) { _, _ in .reply(200) }
      let address = try #require(URL(string: server.origin))
      let transport = AsyncHTTPClientTransport(configuration: configuration(trusting: authority))
      let client = ResilientClient("secure", at: address, over: transport)
      let error = await #expect(throws: AppError.self) {
        try await client.post("/a", json: [1])
      }
      #expect(error?.kind == .insecure)
      #expect(error?.disposition == .permanent)
      #expect(error?.mayHaveBeenSent == false)
      #expect(server.received.isEmpty)
    }
  }

  private func configuration(trusting authority: CertificateAuthority) -> HTTPClient.Configuration {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .file(authority.file.path)
    return HTTPClient.Configuration(tlsConfiguration: tls)
  }
}
