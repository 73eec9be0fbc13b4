// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
package import MainstayHTTP
package import MainstayHTTPTesting
internal import MainstayTesting
internal import TestSupport
internal import Testing

/// What a client keeps to over every transport, with a service on loopback.
package struct ClientConformance: Sendable {
  /// One promise, as a sentence.
  package enum Promise: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case answer = "an answer comes with its status, fields and body"
    case headOnly = "the head of an answer is had alone, however long its body would be"
    case request = "the service gets method, path, fields and body as they are"
    case streamedRequest = "a body that comes in parts arrives whole"
    case readOnce = "a body that can be read once is not sent again empty"
    case statuses = "a status of any kind is an error of its kind"
    case refusal = "a refused connection was not sent, and is tried again"
    case loss = "a connection that breaks may have been sent"
    case hangUp = "a connection that ends without an answer may have been sent"
    case garbage = "bytes that are no HTTP are no answer"
    case cutOff = "an answer that breaks off is none"
    case silence = "a service that says nothing is given up at the time limit"
    case endless = "an answer that never ends is ended by the time limit"
    case dripping = "an error whose body does not end keeps its status"
    case onlyOnce = "a change is sent once, also over a connection that was kept"
    case portal = "a page for people is a portal"
    case redirection = "a redirection is followed"
    case cancellation = "a cancellation is one, and ends at once"
    case largeStream = "a long answer is streamed without keeping it"
    case lastingStream = "a stream goes on without its client"
    case droppedStream = "who stops reading ends the connection"
    case secondReader = "who reads an answer again is told, and does no harm"
    case concurrency = "requests at once each get their own answer"

    package var testDescription: String { rawValue }
  }

  let transport: @Sendable () -> any HTTPTransport
  let tls: CertificateAuthority.Identity?
  let http2: Bool
  /// Whether the transport keeps the time limit, by the clock of the system.
  private let keepsTime: Bool
  private let clock = ManualClock()

  /// Names the transport, of which each client has its own, how the service speaks, and who keeps
  /// the time limit.
  package init(
    _ transport: @autoclosure @escaping @Sendable () -> any HTTPTransport,
    tls: CertificateAuthority.Identity? = nil, http2: Bool = false, keepsTime: Bool = false
  ) {
    self.transport = transport
    self.tls = tls
    self.http2 = http2
    self.keepsTime = keepsTime
  }

  /// Checks a promise.
  package func check(_ promise: Promise) async throws {
    switch promise {
    case .answer: try await answer()
    case .headOnly: try await headOnly()
    case .request: try await request()
    case .streamedRequest: try await streamedRequest()
    case .readOnce: try await readOnce()
    case .statuses: try await statuses()
    case .refusal: try await refusal()
    case .loss: try await breaks(.reset, kinds: [.network])
    case .hangUp: try await breaks(.hangUp, kinds: [.network])
    case .garbage: try await breaks(.garbage, kinds: [.decoding, .network])
    case .cutOff:
      // In HTTP/2 it is the stream that has an error, of the protocol.
      try await breaks(
        .cutOff(200, body: Data("[1,".utf8)), kinds: http2 ? [.network, .decoding] : [.network])
    case .silence: try await limited(.silence)
    case .endless: try await limited(.endless(200, body: Data("[1,".utf8)))
    case .dripping: try await dripping()
    case .onlyOnce: try await onlyOnce()
    case .portal: try await portal()
    case .redirection: try await redirection()
    case .cancellation: try await cancellation()
    case .largeStream: try await largeStream()
    case .lastingStream: try await lastingStream()
    case .droppedStream: try await droppedStream()
    case .secondReader: try await secondReader()
    case .concurrency: try await concurrency()
    }
  }

  func client(
    _ origin: String, attempts: Int = 1, limit: Duration = .patience,
    onExchange: (@Sendable (HTTPExchange) -> Void)? = nil
  ) throws -> ResilientClient {
    let address = try #require(URL(string: origin + "/v1"))
    if keepsTime {
      let limit = limit
      return ResilientClient(
        "loopback", at: address, over: transport(), onExchange: onExchange
      ) { _ in
        Pipeline("loopback") {
          Retry(maximumAttempts: attempts, backoff: .none)
          Timeout(limit).heeded
        }
      }
    }
    let clock = clock
    return ResilientClient(
      "loopback", at: address, over: transport(), clock: clock, onExchange: onExchange
    ) { _ in
      Pipeline("loopback") {
        Retry(maximumAttempts: attempts, backoff: .none, clock: clock)
        Timeout(.seconds(5), clock: clock)
      }
    }
  }

  func server(
    _ answer: @escaping @Sendable (LoopbackServer.Received, Int) -> LoopbackServer.Answer
  ) async throws -> LoopbackServer {
    try await LoopbackServer(tls: tls, http2: http2, answer)
  }

  func get(_ path: HTTPPath = "/a") -> ResilientClient.Request { .init(.get, path) }

  private static func json(
    _ text: String, _ status: Int = 200, _ headers: [(String, String)] = []
  ) -> LoopbackServer.Answer {
    .reply(
      status, headers: [("Content-Type", "application/json")] + headers, body: Data(text.utf8))
  }

  private func answer() async throws {
    let server = try await server { _, _ in Self.json("[1]", 201, [("X-A", "b")]) }
    let response = try await client(server.origin).send(get())
    #expect(response.status == 201)
    #expect(response.headers["x-a"] == "b")
    #expect(response.body == Data("[1]".utf8))
    #expect(response.url.absoluteString == server.origin + "/v1/a")
  }

  private func headOnly() async throws {
    let length = 17_000_000
    let server = try await server { _, _ in .reply(200, body: Data(count: length)) }
    let client = try client(server.origin)
    #expect(client.settings.maximumAnswer < length)
    let response = try await client.send(.init(.head, "/a"))
    #expect(response.headers["content-length"] == "\(length)")
    #expect(response.body.isEmpty)
  }

  private func request() async throws {
    let server = try await server { _, _ in Self.json("[]") }
    let client = try client(server.origin)
    for verb in [HTTPVerb.get, .put, .post, .patch, .delete] {
      let hasBody = ![.get, .delete].contains(verb)
      var request = ResilientClient.Request(
        verb, "/a b/\("c/d")?q=1", body: hasBody ? .json(["a": 1]) : nil)
      request.headers = ["X-Own": "é"]
      _ = try await client.send(request)
      let received = try #require(server.received.last)
      #expect(received.method == verb.rawValue)
      #expect(received.path == "/v1/a%20b/c%2Fd?q=1")
      #expect(received.headers["x-own"] == "é")
      #expect(received.headers["cookie"] == nil)
      #expect(received.body == Data((hasBody ? #"{"a":1}"# : "").utf8))
    }
  }

  private func streamedRequest() async throws {
    let server = try await server { _, _ in Self.json("[]") }
    let body = HTTPMessageBody.stream {
      let parts = AsyncThrowingStream<Data, any Error> { continuation in
        for part in 0..<100 { continuation.yield(Data(repeating: UInt8(part), count: 1_000)) }
        continuation.finish()
      }
      return HTTPByteStream(parts, length: 100_000)
    }
    _ = try await client(server.origin).send(.init(.put, "/a", body: body))
    let received = try #require(server.received.last?.body)
    #expect(received.count == 100_000)
    #expect(received.last == 99)
  }

  private func readOnce() async throws {
    let server = try await server { _, earlier in Self.json("{}", earlier == 0 ? 429 : 201) }
    let client = try client(server.origin, attempts: 3)
    let parts = AsyncThrowingStream<Data, any Error> { continuation in
      continuation.yield(Data("once".utf8))
      continuation.finish()
    }
    let error = await #expect(throws: AppError.self) {
      try await client.send(.init(.post, "/a", body: .once(HTTPByteStream(parts))))
    }
    #expect(error?.httpStatus == 429)
    #expect(server.received.map(\.body) == [Data("once".utf8)])
  }

  private func statuses() async throws {
    let server = try await server { request, _ in
      Self.json("{}", Int(request.path.split(separator: "/").last ?? "") ?? 500)
    }
    let client = try client(server.origin)
    for status in [400, 401, 404, 409, 422, 429, 500, 503] {
      let error = await #expect(throws: AppError.self) { try await client.send(get("/\(status)")) }
      #expect(error?.httpStatus == status)
    }
  }

  private func refusal() async throws {
    let port = try HeldPort()
    let client = try client("http://127.0.0.1:\(port.number)", attempts: 3)
    let error = await #expect(throws: AppError.self) {
      try await client.send(.init(.post, "/a", body: .json([1])))
    }
    #expect(error?.kind == .network)
    #expect(error?.disposition == .transient())
    #expect(error?.mayHaveBeenSent == false)
  }

  private func breaks(_ answer: LoopbackServer.Answer, kinds: [ErrorKind]) async throws {
    let server = try await server { _, _ in answer }
    let client = try client(server.origin)
    let read = await #expect(throws: AppError.self) { try await client.send(get()) }
    #expect(kinds.contains(read?.kind ?? .unknown), "\(String(describing: read))")
    #expect(read?.mayHaveBeenSent == true)
    let written = await #expect(throws: AppError.self) {
      try await client.send(.init(.post, "/a", body: .json([1])))
    }
    // One that was to go over a connection that is just ending has not been sent.
    #expect(
      written?.disposition == .unknownOutcome || written?.disposition == .permanent
        || written?.mayHaveBeenSent == false, "\(String(describing: written))")
    // What the service has read was sent, whatever became of its connection.
    if server.received.contains(where: { $0.method == "POST" }) {
      #expect(written?.mayHaveBeenSent == true, "\(String(describing: written))")
    }
  }

  private func limited(_ answer: LoopbackServer.Answer) async throws {
    let (server, error) = try await untilTimeIsUp(answer)
    #expect(error?.kind == .timeout, "\(String(reflecting: error))")
    #expect(server.received.count == 1, "it is there until the end")
  }

  /// Asks a service that does not answer in time; once more where the time is the machine's, and
  /// passes before the service is asked.
  private func untilTimeIsUp(
    _ answer: LoopbackServer.Answer
  ) async throws -> (LoopbackServer, AppError?) {
    while true {
      let server = try await server { _, _ in answer }
      let client = try client(server.origin, limit: .seconds(3))
      let request = get()
      let reply = Task { try await client.send(request) }
      if !keepsTime {
        await server.log.lines(atLeast: 1)
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(5))
      }
      let error = await #expect(throws: AppError.self) { try await reply.value }
      if !keepsTime || !server.received.isEmpty || Task.isCancelled { return (server, error) }
    }
  }

  private func dripping() async throws {
    let server = try await server { _, _ in .endless(422, body: Data("{".utf8)) }
    let request = get()
    var error: AppError?
    var isAnswered = Flag()
    repeat {
      let (answered, seen) = (Countdown(1), Flag())
      let client = try client(server.origin, limit: .seconds(3)) { exchange in
        guard exchange.status != nil else { return }
        seen.raise()
        answered.count()
      }
      let reply = Task { try await client.send(request) }
      if !keepsTime {
        await answered.reached()
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(5))
      }
      error = await #expect(throws: AppError.self) { try await reply.value }
      isAnswered = seen
      // The time of a machine that stands still may be up before the answer begins.
    } while !isAnswered.isRaised && !Task.isCancelled
    #expect(error?.httpStatus == 422, "\(String(reflecting: error))")
  }

  private func onlyOnce() async throws {
    let server = try await server { request, _ in
      request.method == "GET" ? Self.json("[]") : .hangUp
    }
    let client = try client(server.origin, attempts: 5)
    for _ in 0..<5 {
      _ = try await client.send(get())
      await #expect(throws: AppError.self) {
        try await client.send(.init(.post, "/a", body: .json([1])))
      }
    }
    #expect(server.received.count { $0.method == "POST" } <= 5)
  }

  private func portal() async throws {
    let server = try await server { _, _ in
      .reply(200, headers: [("Content-Type", "text/html")], body: Data("<html>".utf8))
    }
    let client = try client(server.origin)
    let error = await #expect(throws: AppError.self) { try await client.send(get()) }
    #expect(error?.kind == .portal)
  }

  private func redirection() async throws {
    let server = try await server { request, _ in
      request.path == "/v1/a" ? Self.json("", 307, [("Location", "/b")]) : Self.json("[2]")
    }
    let response = try await client(server.origin).send(
      .init(.put, "/a", body: .json(["a": 1])))
    #expect(response.body == Data("[2]".utf8))
    #expect(server.received.map(\.path) == ["/v1/a", "/b"])
    #expect(server.received.last?.body == Data(#"{"a":1}"#.utf8))
    // Many at once: the first answer is given up while its session is still told of it.
    let client = try client(server.origin)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<100 {
        group.addTask { try await client.get("/a", as: [Int].self).first ?? 0 }
      }
      for try await number in group { #expect(number == 2) }
    }
  }

  private func cancellation() async throws {
    let server = try await server { _, _ in .silence }
    let client = try client(server.origin)
    let request = get()
    let task = Task { try await client.send(request) }
    await server.log.lines(atLeast: 1)
    task.cancel()
    let error = await #expect(throws: AppError.self) { try await task.value }
    #expect(error?.isCancellation == true)
  }

  private func concurrency() async throws {
    let server = try await server { request, _ in
      Self.json(#""\#(request.path)""#)
    }
    let client = try client(server.origin)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<50 {
        group.addTask {
          try await client.get("/\(number)", as: String.self) == "/v1/\(number)"
        }
      }
      for try await isOwn in group { #expect(isOwn) }
    }
  }
}
