// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HummingbirdTesting
import Mainstay
import MainstayDashboard
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What is done about circuits by hand.
@Suite(.ends(withinMinutes: 10)) struct CircuitTests {
  static let path = "/mainstay/circuits"

  /// A dashboard with a circuit, its log and its clock.
  private struct Scene {
    let breaker = CircuitBreaker("catalog")
    let log = Log()
    let clock = ManualClock()

    var dashboard: Dashboard {
      var dashboard = Dashboard(logger: log.logger(), clock: clock)
      dashboard.breakers = [breaker, CircuitBreaker("payments")]
      return dashboard
    }
  }

  private struct Letter: QueuedOperation {
    static let kind: OperationKind = "letter"
  }

  private static let chosen = [("id", "catalog")]
  private static let confirmed = chosen + [("confirmed", "yes")]

  @Test func `a circuit is reset after a question`() async throws {
    let breaker = CircuitBreaker("catalog")
    breaker.open()
    // A form has ten seconds to come: by a clock that stands still it always does.
    var dashboard = Dashboard(clock: ManualClock())
    dashboard.breakers = [breaker]
    try await serve(dashboard) { client in
      let visitor = try await Visitor(client, at: "/mainstay/circuits")
      _ = try await visitor.post("/mainstay/circuits/reset", [("id", "catalog")])
      #expect(breaker.state != .closed)
      let done = try await visitor.post(
        "/mainstay/circuits/reset", [("id", "catalog"), ("confirmed", "yes")])
      #expect(done.status == .seeOther)
      #expect(breaker.state == .closed)
    }
  }

  @Test func `a circuit is isolated after a question, and says by whom`() async throws {
    let scene = Scene()
    try await serve(scene.dashboard) { client in
      let visitor = try await Visitor(client, at: Self.path)
      #expect(visitor.page.contains("Isolate chosen"))
      let question = try await visitor.post("\(Self.path)/isolate", Self.chosen)
      #expect(question.text.contains("Isolate catalog?"))
      #expect(question.text.contains("in this process alone"))
      #expect(scene.breaker.state == .closed)
      let done = try await visitor.post("\(Self.path)/isolate", Self.confirmed)
      #expect(done.status == .seeOther)
      #expect(scene.breaker.state == .isolated)
      await #expect(throws: Rejection.self) { try await scene.breaker.run {} }
      scene.clock.advance(by: .seconds(180))
      let page = try await visitor.get(try #require(done.headers[.location])).text
      #expect(page.contains("1 circuit was isolated."))
      #expect(page.contains("this dashboard, for 3 min"))
      #expect(
        scene.log.lines == [
          #"Circuits were isolated from the dashboard. circuits=["catalog"]"#
        ])
    }
  }

  @Test func `a later request releases what the dashboard isolates`() async throws {
    let scene = Scene()
    try await serve(scene.dashboard) { client in
      let visitor = try await Visitor(client, at: Self.path)
      _ = try await visitor.post("\(Self.path)/isolate", Self.confirmed)
      // A reset does not end it, and somebody else may be the one who releases it.
      _ = try await visitor.post("\(Self.path)/reset", Self.confirmed)
      #expect(scene.breaker.state == .isolated)
      let other = try await Visitor(client, at: Self.path)
      let question = try await other.post("\(Self.path)/release", Self.chosen)
      #expect(question.text.contains("Release catalog?"))
      #expect(scene.breaker.state == .isolated)
      let done = try await other.post("\(Self.path)/release", Self.confirmed)
      #expect(scene.breaker.state == .closed)
      let page = try await other.get(try #require(done.headers[.location])).text
      #expect(page.contains("1 circuit was released."))
      #expect(!page.contains("this dashboard"))
      #expect(scene.log.lines.last?.hasPrefix("Circuits were released") == true)
    }
  }

  @Test func `only its own hold is released, however often it is asked to isolate`() async throws {
    let scene = Scene()
    let own = scene.breaker.isolate()
    try await serve(scene.dashboard) { client in
      let visitor = try await Visitor(client, at: Self.path)
      #expect(visitor.page.contains("<bdi>the program</bdi>"))
      let nothing = try await visitor.post("\(Self.path)/release", Self.confirmed)
      #expect(nothing.text.contains("This dashboard isolates nothing of what you chose."))
      _ = try await visitor.post("\(Self.path)/isolate", Self.confirmed)
      let again = try await visitor.post("\(Self.path)/isolate", Self.confirmed)
      #expect(again.text.contains("This dashboard isolates what you chose already."))
      #expect(scene.breaker.isolationCount == 2)
      let page = try await visitor.get(Self.path).text
      #expect(page.contains("this dashboard, for under 1 s; the program"))
      _ = try await visitor.post("\(Self.path)/release", Self.confirmed)
      #expect(scene.breaker.state == .isolated)
      #expect(scene.breaker.isolationCount == 1)
      own.end()
      #expect(scene.breaker.state == .closed)
    }
  }

  @Test func `what a dashboard isolates is released with it`() async throws {
    let scene = Scene()
    try await serve(scene.dashboard) { client in
      let visitor = try await Visitor(client, at: Self.path)
      _ = try await visitor.post("\(Self.path)/isolate", Self.confirmed)
      #expect(scene.breaker.state == .isolated)
    }
    // A loop of the server may let go of it a little later.
    while scene.breaker.state != .closed, !Task.isCancelled { await Task.yield() }
    #expect(scene.breaker.state == .closed)
  }

  @Test func `a circuit that does not act says that isolating it refuses nothing`() async throws {
    let scene = Scene()
    scene.breaker.setMode(.metricsOnly)
    try await serve(scene.dashboard) { client in
      let visitor = try await Visitor(client, at: Self.path)
      let question = try await visitor.post("\(Self.path)/isolate", Self.chosen)
      #expect(question.text.contains("In its mode this refuses nothing: catalog."))
    }
  }

  @Test(arguments: ["isolate", "release"])
  func `a circuit is left alone without the right token, and where it is for looking only`(
    action: String
  ) async throws {
    let scene = Scene()
    let own = action == "release" ? scene.breaker.isolate() : nil
    let before = scene.breaker.state
    try await serve(scene.dashboard) { client in
      let visitor = try await Visitor(client, at: Self.path)
      let path = "\(Self.path)/\(action)"
      let stranger = try await visitor.post(path, Self.confirmed, token: "AAAA")
      #expect(stranger.status == .forbidden)
      let foreign = try await visitor.post(
        path, Self.confirmed, adding: Visitor.named("Origin", "https://evil.example"))
      #expect(foreign.status == .forbidden)
      let unknown = try await visitor.post(path, [("id", "nobody"), ("confirmed", "yes")])
      #expect(unknown.status == .unprocessableContent)
    }
    var dashboard = scene.dashboard
    dashboard.isReadOnly = true
    try await serve(dashboard) { client in
      let visitor = try await Visitor(client, at: Self.path)
      #expect(!visitor.page.contains("method=\"post\""))
      let refused = try await visitor.post("\(Self.path)/\(action)", Self.confirmed)
      #expect(refused.status == .notFound)
    }
    #expect(scene.breaker.state == before)
    withExtendedLifetime(own) {}
  }

  @Test func `the circuits of the hosts that outboxes call are shown, each once`() async throws {
    let given = CircuitBreaker("b.example")
    var configuration = Outbox.Configuration()
    configuration.circuitOfHost = { $0 == "b.example" ? given : CircuitBreaker($0) }
    let outbox = try await Outbox(store: InMemoryStore(), configuration: configuration) {
      Worker(for: Order.self) { _, _ in }.calling("a.example")
      Worker(for: Letter.self) { _, _ in }.calling("b.example")
    }
    var dashboard = Dashboard(outbox)
    dashboard.breakers = [given]
    try await serve(dashboard) { client in
      let visitor = try await Visitor(client, at: Self.path)
      #expect(visitor.page.contains("<bdi>a.example of orders</bdi>"))
      #expect(visitor.page.matches(of: /data-key="[^"]*b\.example"/).count == 1)
      let done = try await visitor.post(
        "\(Self.path)/isolate", [("id", "outboxes/orders/a.example"), ("confirmed", "yes")])
      #expect(done.status == .seeOther)
      #expect(outbox.circuits["a.example"]?.state == .isolated)
      #expect(given.state == .closed)
      #expect(try await visitor.get("/mainstay").text.contains("1 not closed"))
    }
    await outbox.shutDown()
  }

  @Test func `of two circuits with one name, the one that was chosen is isolated`() async throws {
    let breakers = [CircuitBreaker("catalog"), CircuitBreaker("catalog")]
    var dashboard = Dashboard(clock: ManualClock())
    // One that is given twice is still one.
    dashboard.breakers = breakers + [breakers[0]]
    dashboard.pipelines = ["mail", "mail"].map { Pipeline($0) { Timeout(.seconds(1)) }.explain() }
    try await serve(dashboard) { client in
      let visitor = try await Visitor(client, at: Self.path)
      #expect(visitor.page.matches(of: /data-key="catalog/).count == 2)
      let question = try await visitor.post("\(Self.path)/isolate", [("id", "catalog#2")])
      #expect(question.text.contains("Isolate catalog#2?"))
      let answer = [("id", "catalog#2"), ("confirmed", "yes")]
      _ = try await visitor.post("\(Self.path)/isolate", answer)
      #expect(breakers.map(\.state) == [.closed, .isolated])
      let pipelines = try await visitor.get("/mainstay/pipelines").text
      #expect(pipelines.contains("Pipeline mail#2"))
      #expect(Set(pipelines.matches(of: /<section id="([^"]*)"/).map(\.1)).count >= 2)
    }
  }

  @Test func `an open page is told that somebody else isolates a circuit, too`() async throws {
    let scene = Scene()
    let own = scene.breaker.isolate()
    let live = Live(scene.dashboard)
    await live.sample()
    let listener = try #require(live.listener())
    let other = scene.breaker.isolate()
    await live.sample()
    #expect(listener.take()?.parts == .circuits)
    withExtendedLifetime((own, other)) {}
    live.end()
  }
}
