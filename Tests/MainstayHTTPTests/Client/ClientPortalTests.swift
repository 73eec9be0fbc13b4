// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayTesting
import TestSupport
import Testing

/// What is no answer of the service, and what the service says about a failure.
@Suite struct ClientPortalTests {
  struct Answer: Sendable, CustomTestStringConvertible {
    let status: Int
    var type = "application/json"
    let isPortal: Bool

    var testDescription: String { "\(status) \(type)" }
    var reply: HTTPReply { .json("[]", status: status, headers: ["Content-Type": type]) }
  }

  static let answers = [
    Answer(status: 200, isPortal: false), Answer(status: 200, type: "text/plain", isPortal: true),
    Answer(status: 302, isPortal: true), Answer(status: 404, isPortal: false),
    Answer(status: 404, type: "text/html", isPortal: true), Answer(status: 503, isPortal: false),
    // Known for it by its number.
    Answer(status: 511, isPortal: true),
  ]

  /// A client of a service that redirects nobody, and answers with JSON alone.
  private func client(
    _ scheme: String, _ answer: Answer,
    onExchange: @escaping @Sendable (HTTPExchange) -> Void = { _ in }
  ) throws -> ResilientClient {
    let address = try #require(URL(string: "\(scheme)://books.example"))
    var settings = ResilientClient.Settings()
    settings.isPortal = { status, headers in
      let isJSON = headers["content-type"] == "application/json"
      return (300...399).contains(status) || (status < 500 && !isJSON)
    }
    return ResilientClient(
      "books", at: address, over: ScriptedTransport(answer.reply), settings: settings,
      onExchange: onExchange
    ) { _ in Pipeline("books") {} }
  }

  @Test(.requirement("T20"), arguments: ["http", "https"], answers)
  func `an app says what else is the answer of a portal`(
    _ scheme: String, _ answer: Answer
  ) async throws {
    let seen = Locked<[HTTPExchange]>([])
    let books = try client(scheme, answer) { exchange in seen.withLock { $0.append(exchange) } }
    let told: AppError?
    do {
      _ = try await books.post("/a", json: 1)
      told = nil
    } catch {
      told = error
    }
    #expect((told?.kind == .portal) == answer.isPortal)
    let exchange = try #require(seen.withLock { $0 }.first)
    #expect(exchange.status == answer.status)
    #expect((exchange.error?.kind == .portal) == answer.isPortal)
    guard answer.isPortal else { return }
    // Over TLS the service itself has answered, and may have done what it was asked.
    let isUnknown = scheme == "https" && answer.status != 404
    #expect(told?.disposition == (isUnknown ? .unknownOutcome : .transient()))
  }

  @Test(arguments: [
    (Answer(status: 200, type: "application/json; charset=utf-8", isPortal: false), true),
    (Answer(status: 201, type: "Application/JSON;charset=UTF-8", isPortal: false), true),
    (Answer(status: 204, isPortal: false), false), (Answer(status: 200, isPortal: true), false),
    (Answer(status: 200, type: "text/plain", isPortal: true), true),
  ])
  func `the rule of the page knows JSON with parameters, and an answer without content`(
    _ answer: Answer, _ hasType: Bool
  ) async throws {
    var settings = ResilientClient.Settings()
    settings.isPortal = { status, headers in
      let isOther = status != 204 && headers.mediaType != "application/json"
      return (300...399).contains(status) || (status < 300 && isOther)
    }
    var headers = answer.reply.headers
    if !hasType { headers["content-type"] = nil }
    let reply = HTTPReply(status: answer.status, headers: headers, body: answer.reply.body)
    let books = try MainstayHTTPTests.client(ScriptedTransport(reply), settings: settings)
    var told: AppError?
    do { _ = try await books.send(ResilientClient.Request(.put, "/a")) } catch { told = error }
    #expect((told?.kind == .portal) == answer.isPortal)
  }

  @Test(arguments: [HTTPReply.page(), .json("", status: 302, headers: ["Location": "http://x.y"])])
  func `a portal is told to those who watch as to the caller`(_ reply: HTTPReply) async throws {
    let address = try #require(URL(string: "http://books.example"))
    let monitor = ConnectivityMonitor(source: ScriptedConnectivitySource(.online(by: .wifi)))
    let books = ResilientClient(
      "books", at: address, over: ScriptedTransport(reply),
      onExchange: { $0.report(to: monitor) }
    ) { _ in Pipeline("books") {} }
    let error = await #expect(throws: AppError.self) { try await books.get("/a", as: Int.self) }
    #expect(error?.kind == .portal)
    #expect(monitor.current.standing == .portal)
  }

  @Test(arguments: [
    ("http://books.example", true), ("http://10.0.0.1", true), ("http://127.example", true),
    ("http://localhost:8080", false), ("http://127.0.0.1:9", false), ("http://127.8.9.1", false),
    ("http://[::1]:9", false), ("http://books.localhost", false),
  ])
  func `an answer of the device itself shows no connection`(
    address: String, isTold: Bool
  ) async throws {
    let url = try #require(URL(string: address))
    let monitor = ConnectivityMonitor(source: ScriptedConnectivitySource(.online(by: .wifi)))
    let books = ResilientClient(
      "books", at: url, over: ScriptedTransport(.json("1")),
      onExchange: { $0.report(to: monitor) }
    ) { _ in Pipeline("books") {} }
    #expect(try await books.get("/a", as: Int.self) == 1)
    #expect(monitor.current.internet == (isTold ? .validated : .unknown))
  }

  @Test(.ends(withinMinutes: 5))
  func `a portal is no failure of the service, and not asked again at once`() async throws {
    let address = try #require(URL(string: "http://books.example"))
    let transport = ScriptedTransport(.page())
    // Its time stands still: whoever waited for another attempt would wait for ever.
    let books = ResilientClient("books", at: address, over: transport, clock: ManualClock())
    for _ in 1...10 {
      let error = await #expect(throws: AppError.self) { try await books.get("/a", as: Int.self) }
      #expect(error?.kind == .portal && error?.disposition == .transient())
    }
    #expect(transport.sent.count == 10)
    #expect(books.circuits.values.map(\.state) == [.closed])
  }

  @Test func `an answer that nothing has changed is none of a portal, and none to a change`()
    async throws
  {
    let books = try client("https", Answer(status: 304, isPortal: false))
    var request = ResilientClient.Request(.get, "/a")
    request.headers = ["If-None-Match": "*"]
    #expect(try await books.send(request).status == 304)
    request.verb = .put
    await #expect(throws: AppError.self) { try await books.send(request) }
  }

  @Test(.requirement("E27")) func `what a service says about a failure is read whole`() async throws
  {
    let notes = String(repeating: "n", count: 100_000)
    let problem = #"{"title":"Changed","current":{"version":3,"notes":"\#(notes)"}}"#
    let transport = ScriptedTransport(
      .json(problem, status: 412, headers: ["Content-Type": "application/problem+json"]))
    let books = try MainstayHTTPTests.client(transport)
    let error = await #expect(throws: AppError.self) { try await books.put("/a", json: 1) }
    #expect(error?.kind == .conflict)
    #expect(error?.problem?.title == "Changed")
    #expect(error?.problem?.extensions["current"]?["version"]?.integer == 3)
    #expect(AppError.portal().problem == nil)
  }
}
