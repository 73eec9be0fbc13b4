// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import Mainstay
package import MainstayHTTP
internal import MainstayHTTPTesting
package import MainstayTesting
internal import TestSupport
internal import Testing

/// What every transport of reports must keep to; each test target runs it with its own.
package struct TransportConformance: Sendable {
  /// One promise, as a sentence.
  package enum Promise: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case statuses = "a status of any kind is the reply"
    case request = "the service gets what is sent, with the headers of the endpoint"
    case headers = "headers that say when to come back are handed on, and cookies are not"
    case partialSuccess = "records that a collector did not take are counted"
    case largeReply = "a reply is cut, and is one all the same"
    case brokenReply = "a reply that breaks off is one all the same"
    case endlessReply = "a reply that never ends is ended by the time limit"
    case silence = "a service that says nothing is given up at the time limit"
    case refusal = "a refused connection is no reply, and nothing was sent"
    case loss = "a connection that breaks is no reply, and something may have been sent"
    case garbage = "bytes that are no HTTP are no reply"
    case redirection = "a redirection is not followed, and is no reply"
    case page = "a page for people is no reply"
    case cancellation = "a cancellation is one, and ends at once"
    case earlyCancellation = "nothing is sent for a task that was cancelled before"
    case concurrency = "requests at once each get their own reply"

    package var testDescription: String { rawValue }
  }

  private let make: @Sendable (ReportEndpoint, Duration, ManualClock) -> any ReportTransport
  private let clock = ManualClock()

  /// Names what makes a transport, of an endpoint, a time limit and the clock of that.
  package init(
    _ make: @escaping @Sendable (ReportEndpoint, Duration, ManualClock) -> any ReportTransport
  ) {
    self.make = make
  }

  /// Checks a promise with a service on loopback.
  package func check(_ promise: Promise) async throws {
    switch promise {
    case .statuses: try await statuses()
    case .request: try await request()
    case .headers: try await headers()
    case .partialSuccess: try await partialSuccess()
    case .largeReply: try await largeReply()
    case .brokenReply: try await brokenReply()
    case .endlessReply: try await endlessReply()
    case .silence: try await silence()
    case .refusal: try await refusal()
    case .loss: try await loss()
    case .garbage: try await garbage()
    case .redirection: try await redirection()
    case .page: try await page()
    case .cancellation: try await cancellation()
    case .earlyCancellation: try await earlyCancellation()
    case .concurrency: try await concurrency()
    }
  }

  private func transport(
    _ server: LoopbackServer, headers: [String: String] = [:]
  ) throws -> any ReportTransport {
    let url = try #require(URL(string: server.origin + "/api/42/envelope/"))
    return make(try ReportEndpoint(validating: url, headers: headers), .seconds(30), clock)
  }

  /// The reply to one report.
  private func reply(_ answer: LoopbackServer.Answer) async throws -> ReportStore.Reply {
    let server = try await LoopbackServer { _, _ in answer }
    return try await transport(server).send(.sample())
  }

  /// The error of one report.
  private func failure(_ answer: LoopbackServer.Answer) async throws -> any Error {
    let server = try await LoopbackServer { _, _ in answer }
    let transport = try transport(server)
    return try #require(
      await #expect(throws: (any Error).self) { try await transport.send(.sample()) })
  }
}

// MARK: Replies

extension TransportConformance {
  private func statuses() async throws {
    for status in [200, 202, 400, 401, 404, 413, 429, 500, 503] {
      #expect(try await reply(.reply(status)).status == status)
    }
  }

  private func request() async throws {
    let server = try await LoopbackServer { _, _ in .reply(200) }
    let transport = try transport(server, headers: ["X-Sentry-Auth": "Sentry sentry_key=abc"])
    let request = ReportStore.Request.sample(String(repeating: "long ", count: 100_000))
    #expect(try await transport.send(request).status == 200)
    let received = try #require(server.received.first)
    #expect(received.method == "POST" && received.path == "/api/42/envelope/")
    #expect(received.body == request.body)
    #expect(received.headers["x-sentry-auth"] == "Sentry sentry_key=abc")
    #expect(received.headers["content-type"] == "application/x-sentry-envelope")
  }

  private func headers() async throws {
    let reply = try await reply(
      .reply(
        429,
        headers: [
          ("Retry-After", "17"), ("X-Sentry-Rate-Limits", "60:error"), ("Set-Cookie", "a=b"),
          ("Date", "Sat, 01 Jan 2000 00:00:00 GMT"),
        ]))
    #expect(
      reply.headers == [
        "retry-after": "17", "x-sentry-rate-limits": "60:error",
        "date": "Sat, 01 Jan 2000 00:00:00 GMT",
      ])
  }

  private func partialSuccess() async throws {
    for count in ["3", "\"3\""] {
      let body = Data(#"{"partialSuccess":{"rejectedLogRecords":\#(count)}}"#.utf8)
      let json = [("Content-Type", "application/json")]
      #expect(try await reply(.reply(200, headers: json, body: body)).rejected == 3)
      #expect(try await reply(.reply(400, headers: json, body: body)).rejected == 0)
      #expect(try await reply(.reply(200, body: body)).rejected == 0)
    }
  }

  private func largeReply() async throws {
    let body = Data(repeating: 0x20, count: 5_000_000)
    #expect(try await reply(.reply(200, body: body)).status == 200)
    #expect(try await reply(.endless(200, body: body)).status == 200)
  }

  private func brokenReply() async throws {
    #expect(try await reply(.cutOff(200, body: Data("a".utf8))).status == 200)
  }

  private func endlessReply() async throws {
    let server = try await LoopbackServer { _, _ in .endless(200, body: Data("a".utf8)) }
    let transport = try transport(server)
    let sending = Task { try await transport.send(.sample()) }
    await clock.sleepers(atLeast: 1)
    await server.log.lines(atLeast: 1)
    clock.advance(by: .seconds(30))
    // Whether the status has come by then, the network decides.
    switch await sending.result {
    case .success(let reply): #expect(reply.status == 200)
    case .failure(let error): #expect(error is TimedOut)
    }
  }
}

// MARK: No reply

extension TransportConformance {
  private func silence() async throws {
    let server = try await LoopbackServer { _, _ in .silence }
    let transport = try transport(server)
    let sending = Task { try await transport.send(.sample()) }
    await clock.sleepers(atLeast: 1)
    await server.log.lines(atLeast: 1)
    clock.advance(by: .seconds(30))
    let error = await #expect(throws: TimedOut.self) { try await sending.value }
    #expect(error?.isCancellation == false)
  }

  private func refusal() async throws {
    let port = try HeldPort()
    let url = try #require(URL(string: "http://127.0.0.1:\(port.number)/"))
    let transport = make(try ReportEndpoint(validating: url), .seconds(30), clock)
    let error = await #expect(throws: AppError.self) { try await transport.send(.sample()) }
    #expect(error?.code.rawValue == "network.unreachable")
    #expect(error?.mayHaveBeenSent == false)
    withExtendedLifetime(port) {}
  }

  private func loss() async throws {
    for answer in [LoopbackServer.Answer.hangUp, .reset] {
      let error = try #require(try await failure(answer) as? AppError)
      #expect(error.code.rawValue == "network.connection-lost", "\(answer): \(error)")
      #expect(error.mayHaveBeenSent)
    }
  }

  private func garbage() async throws {
    let error = try #require(try await failure(.garbage) as? AppError)
    #expect(error.code.rawValue == "network.bad-answer")
    #expect(error.mayHaveBeenSent)
  }

  private func redirection() async throws {
    let elsewhere = try await LoopbackServer { _, _ in .reply(200) }
    for status in [301, 302, 303, 307, 308] {
      let location = [("Location", elsewhere.origin + "/login")]
      let error = try await failure(.reply(status, headers: location)) as? AppError
      #expect(error?.kind == .portal, "\(status)")
    }
    #expect(elsewhere.received.isEmpty)
  }

  private func page() async throws {
    let page = [("Content-Type", "text/html; charset=utf-8")]
    let body = Data("<html>Welcome to our network</html>".utf8)
    #expect(try await failure(.reply(200, headers: page, body: body)).asAppError.kind == .portal)
    #expect(try await failure(.reply(511)).asAppError.kind == .portal)
    #expect(try await reply(.reply(502, headers: page, body: body)).status == 502)
  }

  private func cancellation() async throws {
    let server = try await LoopbackServer { _, _ in .silence }
    let transport = try transport(server)
    let sending = Task { try await transport.send(.sample()) }
    await server.log.lines(atLeast: 1)
    sending.cancel()
    let error = await #expect(throws: (any Error).self) { try await sending.value }
    #expect(error?.isCancellation == true)
  }

  private func earlyCancellation() async throws {
    let server = try await LoopbackServer { _, _ in .reply(200) }
    let transport = try transport(server)
    let sending = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await transport.send(.sample())
    }
    let error = await #expect(throws: (any Error).self) { try await sending.value }
    #expect(error?.isCancellation == true)
    #expect(server.received.isEmpty)
  }

  private func concurrency() async throws {
    let server = try await LoopbackServer { request, _ in
      .reply(429, headers: [("Retry-After", String(decoding: request.body, as: UTF8.self))])
    }
    let transport = try transport(server)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 1...20 {
        group.addTask {
          let reply = try await transport.send(.sample("\(number)"))
          return reply.headers["retry-after"] == "\(number)"
        }
      }
      for try await isOwn in group { #expect(isOwn) }
    }
    #expect(server.received.count == 20)
  }
}

extension ReportStore.Request {
  /// A request with a body of its own.
  package static func sample(_ text: String = "a report") -> Self {
    Self(
      body: Data(text.utf8), headers: ["Content-Type": "application/x-sentry-envelope"],
      ids: [UUID()])
  }
}
