// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Mainstay
import MainstayServer
import MainstayTesting
import Metrics
import NIOCore
import TestSupport
import Testing

/// How requests are counted and timed.
@Suite(.ends(withinMinutes: 2)) struct RequestMetricsTests {
  private let clock = ManualClock()
  private let factory = RecordingMetrics()

  private func application(_ connection: BrokenConnection? = nil) -> some ApplicationProtocol {
    let router = Router(options: .autoGenerateHeadEndpoints)
    if let connection { router.add(middleware: connection) }
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
    router.get("half") { _, _ in
      Response(
        status: .ok,
        body: ResponseBody { writer in
          try await writer.write(ByteBuffer(string: "half of "))
          throw BrokenConnection.Gone()
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
        "http.server.active_requests{http.request.method=GET} +1.0",
        "http.server.active_requests{http.request.method=GET} -1.0",
        "http.server.request.duration{http.request.method=GET,http.route=/books/{id},"
          + "http.response.status_code=200} 50ms",
      ])
  }

  @Test func `failures are timed by what they are answered with`() async throws {
    let line = try #require(try await seen("/broken").last)
    #expect(line.contains("http.route=/broken,http.response.status_code=503"))
  }

  @Test(arguments: [
    ("/half", 9, 500), ("/half", 0, 499), ("/books/7", 9, 200), ("/books/7", 0, 499),
  ])
  func `a body that fails by itself is a failure, and one that nobody takes is not`(
    _ path: String, _ taken: Int, _ status: Int
  ) async throws {
    try await application(BrokenConnection(parts: taken)).test(.router) { client in
      // What its caller hears of it does not matter.
      _ = try? await client.execute(uri: path, method: .get)
    }
    let timed = factory.log.lines.filter { $0.contains("duration") }
    #expect(timed.count == 1)
    #expect(timed.first?.contains("http.response.status_code=\(status)}") == true, "\(timed)")
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
    #expect(factory.log.lines.count { $0.hasSuffix("-1.0") } == 2)
  }

  @Test func `a request for the head alone has its status and its route`() async throws {
    let timed = try await seen("/books/7", .head).filter { $0.contains("duration") }
    #expect(
      timed == [
        "http.server.request.duration{http.request.method=HEAD,http.route=/books/{id},"
          + "http.response.status_code=200} 30ms"
      ])
    #expect(factory.log.lines.count { $0.hasSuffix("-1.0") } == 1)
  }

  /// A backend that keeps one number, and in the middle of a call hears of something else.
  private final class Gauge: MetricsFactory, MeterHandler {
    private let number = Locked(0.0)
    private let interruption = Locked<(@Sendable () -> Void)?>(nil)

    var value: Double { number.withLock { $0 } }

    /// What happens once, before the next change counts.
    func interrupt(with something: @escaping @Sendable () -> Void) {
      interruption.withLock { $0 = something }
    }

    private func change(_ change: (inout Double) -> Void) {
      let something = interruption.withLock { interruption in
        defer { interruption = nil }
        return interruption
      }
      something?()
      number.withLock { change(&$0) }
    }

    func set(_ value: Int64) { change { $0 = Double(value) } }
    func set(_ value: Double) { change { $0 = value } }
    func increment(by amount: Double) { change { $0 += amount } }
    func decrement(by amount: Double) { change { $0 -= amount } }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { self }
    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
      NOOPMetricsHandler.instance
    }
    func makeRecorder(
      label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler { NOOPMetricsHandler.instance }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
      NOOPMetricsHandler.instance
    }
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
  }

  @Test func `two requests that end at once leave none behind`() {
    let gauge = Gauge()
    let metrics = RequestMetrics(factory: gauge, clock: clock)
    let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
    let (first, second) = (metrics.begin(head), metrics.begin(head))
    #expect(gauge.value == 2)
    gauge.interrupt { second.end(.ok, route: "/") }
    first.end(.ok, route: "/")
    #expect(gauge.value == 0)
  }
}
