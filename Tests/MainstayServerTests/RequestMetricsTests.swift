// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Mainstay
import MainstayServer
import MainstayTesting
import NIOCore
import TestSupport
import Testing

/// How requests are counted and timed.
@Suite(.ends(withinMinutes: 2)) struct RequestMetricsTests {
  private let clock = ManualClock()
  private let factory = RecordingMetrics()

  private func application() -> some ApplicationProtocol {
    let router = Router()
    router.add(middleware: RequestMetricsMiddleware(RequestMetrics(factory: factory, clock: clock)))
    router.add(middleware: ProblemMiddleware())
    router.get("books/{id}") { [clock] _, _ in
      clock.advance(by: .milliseconds(30))
      return Response(
        status: .ok,
        body: ResponseBody { writer in
          clock.advance(by: .milliseconds(20))
          try await writer.write(ByteBuffer(string: "a book"))
          try await writer.finish(nil)
        })
    }
    router.get("broken") { _, _ -> String in
      throw AppError(
        code: "shop.down", kind: .server, disposition: .transient(), title: "Down", message: "-")
    }
    return Application(router: router)
  }

  private func seen(_ path: String, _ method: HTTPRequest.Method = .get) async throws -> [String] {
    try await application().test(.router) { client in
      _ = try await client.execute(uri: path, method: method)
    }
    return factory.log.lines
  }

  @Test func `a request is timed to its last byte, by its pattern and not by its path`()
    async throws
  {
    #expect(
      try await seen("/books/7") == [
        "http.server.active_requests{http.request.method=GET} =1",
        "http.server.active_requests{http.request.method=GET} =0",
        "http.server.request.duration{http.request.method=GET,http.route=/books/{id},"
          + "http.response.status_code=200} 50ms",
      ])
  }

  @Test func `failures are timed by what they are answered with`() async throws {
    let line = try #require(try await seen("/broken").last)
    #expect(line.contains("http.route=/broken,http.response.status_code=503"))
  }

  @Test func `what strangers make up adds no series`() async throws {
    let method = try #require(HTTPRequest.Method("BREW"))
    let line = try #require(try await seen("/nowhere/42", method).last)
    #expect(
      line == "http.server.request.duration{http.request.method=_OTHER,http.route=none,"
        + "http.response.status_code=404} 0ms")
  }

  @Test func `an answer that nobody takes is counted, once`() {
    let metrics = RequestMetrics(factory: factory, clock: clock)
    let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
    do {
      let measurement = metrics.begin(head)
      measurement.end(.ok, route: "/")
      measurement.end(nil, route: "/")
    }
    do { _ = metrics.begin(head) }
    let timed = factory.log.lines.filter { $0.contains("duration") }
    #expect(timed.count == 2)
    #expect(timed.last?.contains("http.route=none,http.response.status_code=499") == true)
    #expect(factory.log.lines.count { $0.hasSuffix("=0") } == 2)
  }
}
