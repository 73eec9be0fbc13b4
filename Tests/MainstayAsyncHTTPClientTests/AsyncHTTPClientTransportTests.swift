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
    .requirement("D10", "E14", "D6"), .ends(withinMinutes: 2), arguments: [false, true],
    ClientConformance.Promise.allCases)
  func `a client over it keeps its promises`(
    _ keepsTime: Bool, _ promise: ClientConformance.Promise
  ) async throws {
    try await ClientConformance(AsyncHTTPClientTransport(), keepsTime: keepsTime).check(promise)
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
      tls: try await authority.identity(), http2: http2, keepsTime: http2
    ).check(promise)
  }

  @Test(.requirement("D6", "P28"), .ends(withinMinutes: 2), arguments: [HTTPVerb.get, .post])
  func `a time limit that it keeps is told once, and by its name`(_ verb: HTTPVerb) async throws {
    let server = try await ScriptedHTTPServer { _, _ in .silence }
    let address = try #require(URL(string: server.origin))
    let recorder = EventRecorder()
    let client = ResilientClient("kept", at: address, over: AsyncHTTPClientTransport()) { _ in
      Pipeline("kept") { Timeout(.milliseconds(200), name: "short", observer: recorder).heeded }
    }
    let request = ResilientClient.Request(verb, "/a", body: verb == .get ? nil : try .json([1]))
    let error = await #expect(throws: AppError.self) { try await client.send(request) }
    #expect(error?.kind == .timeout)
    #expect(error?.disposition == (verb == .get ? .transient() : .unknownOutcome))
    let limits = recorder.events.filter { if case .timedOut = $0.what { true } else { false } }
    #expect(limits.map(\.policy) == ["short"])
  }

  @Test(.requirement("D6"), .ends(withinMinutes: 2))
  func `a sign-in that never ends is ended by a time limit that it keeps`() async throws {
    let server = try await ScriptedHTTPServer { _, _ in .reply(200) }
    let address = try #require(URL(string: server.origin))
    let patience = ManualClock()
    let authorization = HTTPAuthorization { _ in
      try await patience.sleep(for: .seconds(1))
      return "token"
    }
    let client = ResilientClient(
      "kept", at: address, over: AsyncHTTPClientTransport(), authorization: authorization
    ) { _ in
      Pipeline("kept") { Timeout(.milliseconds(50)).heeded }
    }
    let error = await #expect(throws: AppError.self) { try await client.get("/a", as: Int.self) }
    #expect(error?.kind == .timeout)
    #expect(server.received.isEmpty)
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
