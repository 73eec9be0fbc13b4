// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import HTTPTestSupport
import Mainstay
import MainstayAsyncHTTPClient
import MainstayHTTP
import MainstayHTTPTesting
import MainstayTesting
import NIOCore
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

  @Test(.ends(withinMinutes: 2), arguments: TransferConformance.Case.allCases)
  func `it tells that the parts of a long body go`(_ body: TransferConformance.Case) async throws {
    try await TransferConformance.check(AsyncHTTPClientTransport(), body)
  }

  @Test(.requirement("D6", "P28"), .ends(withinMinutes: 2), arguments: [HTTPVerb.get, .post])
  func `a time limit that it keeps is told once, and by its name`(_ verb: HTTPVerb) async throws {
    let server = try await ScriptedHTTPServer { _, _ in .silence }
    let address = try #require(URL(string: server.origin))
    var (error, recorder): (AppError?, EventRecorder)
    var (round, path) = (0, "")
    // Where this machine stands still its time may be up before it is sent: once more then, with
    // more time. Only the round's own request counts: that of an earlier one may come late.
    repeat {
      round += 1
      path = "/\(round)"
      let (told, limit) = (EventRecorder(), Duration.milliseconds(100 << min(round, 20)))
      recorder = told
      let client = ResilientClient("kept", at: address, over: AsyncHTTPClientTransport()) { _ in
        Pipeline("kept") { Timeout(limit, name: "short", observer: told).heeded }
      }
      let body: HTTPMessageBody? = verb == .get ? nil : .json([1])
      let request = ResilientClient.Request(verb, HTTPPath(path), body: body)
      error = await #expect(throws: AppError.self) { try await client.send(request) }
    } while !server.received.contains(where: { $0.path == path }) && !Task.isCancelled
    #expect(error?.kind == .timeout)
    #expect(error?.disposition == (verb == .get ? .transient() : .unknownOutcome))
    #expect(timeOuts(recorder) == ["short"])
  }

  @Test(.ends(withinMinutes: 2))
  func `a time limit that passes before there is a connection is told, whatever failed earlier`()
    async throws
  {
    // Behind it is nobody: it takes connections, and no handshake on them ends.
    let proxy = try await FaultProxy(to: 9) { _ in .blackHole }
    let address = try #require(URL(string: "https://127.0.0.1:\(proxy.port)"))
    let transport = AsyncHTTPClientTransport()
    await proxy.refuse()
    let refusal = await #expect(throws: AppError.self) {
      try await transport.send(HTTPTransmission(.get, address))
    }
    #expect(refusal?.kind == .network)
    try await proxy.accept()
    let recorder = EventRecorder()
    let limit = Timeout(.milliseconds(300), name: "short", observer: recorder).heeded
    let error = await #expect(throws: TimedOut.self) {
      try await limit.run { try await transport.send(HTTPTransmission(.get, address)) }
    }
    #expect(error?.policy == "short")
    #expect(timeOuts(recorder) == ["short"])
  }

  @Test(.ends(withinMinutes: 2)) func `what comes after its end is given up`() async throws {
    let server = try await ScriptedHTTPServer { _, _ in .reply(200) }
    let address = try #require(URL(string: server.origin))
    let transport = AsyncHTTPClientTransport()
    #expect(try await transport.send(HTTPTransmission(.get, address)).status == 200)
    for _ in 0..<2 { await transport.shutDown() }
    let error = await #expect(throws: (any Error).self) {
      try await transport.send(HTTPTransmission(.get, address))
    }
    #expect(error?.isCancellation == true)
  }

  @Test(.ends(withinMinutes: 2)) func `what is under way at its end is given up as well`()
    async throws
  {
    let arrival = Countdown(1)
    let server = try await ScriptedHTTPServer { _, _ in
      arrival.count()
      return .silence
    }
    let address = try #require(URL(string: server.origin))
    let transport = AsyncHTTPClientTransport()
    let request = await started {
      try await transport.send(HTTPTransmission(.post, address, body: .bytes(Data("[1]".utf8))))
    }
    await arrival.reached()
    await transport.shutDown()
    let error = await #expect(throws: (any Error).self) { _ = try await request.value }
    #expect(error?.isCancellation == true)
  }

  @Test(.ends(withinMinutes: 2))
  func `what has no time left is not sent`() async throws {
    let server = try await ScriptedHTTPServer { _, _ in .reply(200) }
    let address = try #require(URL(string: server.origin))
    let transport = AsyncHTTPClientTransport()
    // A connection that is there takes a request at once.
    for try await _ in try await transport.send(HTTPTransmission(.get, address)).body {}
    let (clock, recorder) = (ManualClock(), EventRecorder())
    let limit = Timeout(.seconds(5), name: "kept", clock: clock, observer: recorder).heeded
    await #expect(throws: TimedOut.self) {
      try await limit.run {
        let body = try await HeededLimit.enforce {
          clock.advance(by: .seconds(12))
          return Data("[1]".utf8)
        }
        return try await transport.send(HTTPTransmission(.post, address, body: .bytes(body)))
      }
    }
    #expect(timeOuts(recorder) == ["kept"])
    // Nothing was under way either: this comes second.
    for try await _ in try await transport.send(HTTPTransmission(.get, address)).body {}
    #expect(server.received.map(\.method) == ["GET", "GET"])
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
      let client = ResilientClient("secure", at: address, over: transport) { _ in
        Pipeline("secure") { Timeout(.patience) }
      }
      let error = await #expect(throws: AppError.self) {
        try await client.post("/a", json: [1])
      }
      #expect(error?.kind == .insecure)
      #expect(error?.disposition == .permanent)
      #expect(error?.mayHaveBeenSent == false)
      #expect(server.received.isEmpty)
    }
  }

  @Test(arguments: [ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH])
  func `what a connection carried that died of a lost network is not sent again`(
    _ number: Int32
  ) async throws {
    let transport = DyingTransport(
      IOError(errnoCode: number, reason: "read(descriptor:pointer:size:)"))
    let address = try #require(URL(string: "https://books.example"))
    let books = ResilientClient("dying", at: address, over: transport) { _ in
      Pipeline("dying") { Retry(maximumAttempts: 3, backoff: .none) }
    }
    let error = await #expect(throws: AppError.self) { try await books.post("/a", json: [1]) }
    #expect(error?.disposition == .unknownOutcome)
    #expect(error?.mayHaveBeenSent == true)
    #expect(transport.count == 1)
  }

  @Test(.ends(withinMinutes: 2), arguments: [Fault.Ending.reset, .finish])
  func `of what ends before there is a connection no byte was sent`(
    _ ending: Fault.Ending
  ) async throws {
    // It ends in the middle of the handshake.
    let proxy = try await FaultProxy(to: 9) { _ in .cut(.request, after: 20, by: ending) }
    let address = try #require(URL(string: "https://127.0.0.1:\(proxy.port)"))
    let parts = AsyncThrowingStream<Data, any Error> { continuation in
      continuation.yield(Data("[1]".utf8))
      continuation.finish()
    }
    let bodies: [HTTPTransmission.Body] = [
      .bytes(Data("[1]".utf8)), .stream(HTTPByteStream(parts, length: 3)),
    ]
    for body in bodies {
      let error = await #expect(throws: AppError.self) {
        try await AsyncHTTPClientTransport().send(HTTPTransmission(.post, address, body: body))
      }
      #expect(error?.mayHaveBeenSent == false, "\(String(describing: error))")
    }
  }

  /// The policies that told of a time limit that had passed.
  private func timeOuts(_ recorder: EventRecorder) -> [String] {
    recorder.events.compactMap { if case .timedOut = $0.what { $0.policy } else { nil } }
  }

  private func configuration(trusting authority: CertificateAuthority) -> HTTPClient.Configuration {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .file(authority.file.path)
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    // A handshake takes long on a busy machine.
    configuration.timeout.connect = .minutes(10)
    return configuration
  }
}

/// A transport whose connections are there, and die of an error of SwiftNIO.
private final class DyingTransport: HTTPTransport {
  private static let mapping = ErrorMapping.standard.addingAsyncHTTPClientErrors()

  private let error: IOError
  private let requests = Locked(0)

  init(_ error: IOError) { self.error = error }

  var count: Int { requests.withLock { $0 } }

  func send(_ transmission: HTTPTransmission) async throws -> HTTPReply {
    requests.withLock { $0 += 1 }
    throw Self.mapping.map(error)
  }
}
