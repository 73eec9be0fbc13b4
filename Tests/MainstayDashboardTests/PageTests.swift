// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Mainstay
import MainstayDashboard
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What each page shows.
@Suite(.ends(withinMinutes: 2)) struct PageTests {
  private func text(_ dashboard: Dashboard, _ path: String) async throws -> String {
    try await serve(dashboard) { client in
      let page = try await Visitor(client, at: "/mainstay").get("/mainstay\(path)")
      #expect(page.status == .ok)
      return page.text
    }
  }

  @Test func `circuits say their state, and how often they refused`() async throws {
    var dashboard = Dashboard()
    let tally = PolicyTally()
    let breaker = CircuitBreaker("catalog", clock: ManualClock(), observer: tally)
    breaker.open()
    for _ in 0..<3 { await #expect(throws: Rejection.self) { try await breaker.run {} } }
    dashboard.breakers = [breaker]
    dashboard.tally = tally
    #expect(tally.counts(of: "catalog")?.rejected == 3)
    #expect(tally.counts(of: "catalog")?.opened == 1)
    #expect(tally.counts(of: "nobody") == nil)
    let pipeline = Pipeline("load", observer: tally) {
      Retry(maximumAttempts: 2, backoff: .none, observer: tally)
    }
    await #expect(throws: AppError.self) {
      try await pipeline.run { throw AppError.Network.offline.appError }
    }
    #expect(tally.counts(of: "load")?.failed == 1)
    let page = try await text(dashboard, "/circuits")
    #expect(page.contains("open, next try in"))
    #expect(page.contains(#"<td class="number "><bdi>3</bdi></td>"#))
  }

  @Test func `failed attempts of a pipeline are shown where a retry has told of them`()
    async throws
  {
    let tally = PolicyTally()
    let pipelines = [nil, tally].map { observer in
      Pipeline(observer == nil ? "silent" : "told", observer: tally) {
        Retry(maximumAttempts: 2, backoff: .none, observer: observer)
      }
    }
    for pipeline in pipelines {
      await #expect(throws: AppError.self) {
        try await pipeline.run { throw AppError.Network.offline.appError }
      }
      var dashboard = Dashboard()
      (dashboard.pipelines, dashboard.tally) = ([pipeline.explain()], tally)
      let page = try await text(dashboard, "/pipelines")
      #expect(page.contains("0 refused, 1 failed, 0 took too long"))
      #expect(page.contains(/[1-9] attempts? failed/) == page.contains("Pipeline told"))
      #expect(!page.contains("0 attempts failed"))
    }
  }

  @Test func `pipelines are explained whole`() async throws {
    var dashboard = Dashboard()
    let pipeline = Pipeline("catalog") {
      CircuitBreaker("catalog")
      Retry(maximumAttempts: 4)
    }
    let explanation = pipeline.explain()
    dashboard.pipelines = [explanation]
    let page = try await text(dashboard, "/pipelines")
    for stage in explanation.stages {
      #expect(page.contains(stage.title.replacing("\"", with: "&quot;")))
    }
    #expect(!explanation.findings.isEmpty)
    for finding in explanation.findings { #expect(page.contains(finding.rule.rawValue)) }
    #expect(page.contains("at most 4"))
    #expect(page.contains("no limit:"))
  }

  @Test func `a group of errors has a page of its own`() async throws {
    var dashboard = Dashboard()
    let time = Date(timeIntervalSince1970: 1_800_000_000)
    let monitor = ErrorMonitor(clock: ManualClock(), wallClock: { time })
    for _ in 0..<3 { monitor.capture(AppError.Network.offline, during: "Load") }
    monitor.recordRecovery(from: AppError.Network.offline, succeeded: true, during: "Load again")
    dashboard.errors = monitor
    let group = try #require(monitor.groups.first)
    let page = try await text(dashboard, "/errors/\(group.fingerprint)")
    for words in [group.fingerprint.description, "First seen", "Last seen", "100 %", "Load (3)"] {
      #expect(page.contains(words), "\(words)")
    }
    #expect(page.contains("3 in all, at most 3 in a minute"))
    #expect(page.contains("<bdi>Recent reports</bdi>"))
    for report in monitor.history {
      #expect(page.contains(report.id.uuidString.lowercased()), "what a caller quotes is found")
    }
    let errors = try await text(dashboard, "/errors")
    #expect(errors.contains("/mainstay/errors/"))
    #expect(errors.contains("every captured error is accounted for"))
    #expect(!errors.contains("accounted for, or not"))
  }

  @Test func `connection and level say why`() async throws {
    var dashboard = Dashboard()
    let monitor = ConnectivityMonitor(source: ScriptedConnectivitySource(.online))
    // A link that comes afterwards makes older answers say nothing.
    for await state in monitor.updates where state.standing == .online { break }
    monitor.record(.delivered)
    let levels = DegradationController(.standard)
    levels.report(.network, isMet: false)
    (dashboard.connectivity, dashboard.levels) = (monitor, levels)
    let connection = try await text(dashboard, "/connection")
    #expect(connection.contains("answered"))
    #expect(connection.contains("<bdi>Evidence</bdi>"))
    let level = try await text(dashboard, "/levels")
    #expect(level.contains("<bdi>History</bdi>"))
    #expect(level.contains("<dt>Level</dt>"))
  }

  @Test func `a page that was given nothing is not there`() async throws {
    try await serve(Dashboard()) { client in
      let visitor = try await Visitor(client, at: "/mainstay")
      for path in ["errors", "connection", "levels", "diagnostics"] {
        #expect(try await visitor.get("/mainstay/\(path)").status == .notFound)
      }
    }
  }

  @Test func `the document for support is redacted, and has a name of its own`() async throws {
    let outbox = try await brokenOutbox(["mail ada@example.com"])
    var dashboard = Dashboard(outbox)
    let monitor = ErrorMonitor()
    monitor.capture(AppError.Network.offline, message: "for ada@example.com", during: "Load")
    dashboard.errors = monitor
    dashboard.connectivity = ConnectivityMonitor(source: ScriptedConnectivitySource(.online))
    try await serve(dashboard) { client in
      let visitor = try await Visitor(client, at: "/mainstay")
      var names: Set<String> = []
      for _ in 0..<2 {
        let answer = try await visitor.get("/mainstay/diagnostics")
        let name = try #require(answer.headers[.contentDisposition])
        #expect(name.contains(/^attachment; filename="diagnostics-[0-9TZ]+-[0-9a-f-]+\.json"$/))
        names.insert(name)
        let document = try Diagnostics(from: Data(answer.body.readableBytesView))
        #expect(document.sections["outbox orders"]?.value != nil)
        #expect(document.sections["connectivity"]?.value?["standing"] == .string("online"))
        #expect(!answer.text.contains("ada@example.com"))
      }
      #expect(names.count == 2)
    }
    await outbox.shutDown()
  }

  @Test func `an outbox is drawn over time, and the drawing is told in words`() async throws {
    let clock = ManualClock()
    let outbox = try await brokenOutbox(["a", "b"])
    try await serve(Dashboard(outbox, clock: clock)) { client in
      await clock.sleepers(atLeast: 3)
      let visitor = try await Visitor(client, at: "/mainstay")
      let path = "/mainstay/outboxes/orders"
      let first = try await visitor.get(path).text
      #expect(first.contains("There is nothing to draw yet"))
      for _ in 0..<3 {
        await clock.sleepers(atLeast: 3)
        clock.advance(by: .seconds(5))
      }
      await clock.sleepers(atLeast: 3)
      let page = try await visitor.get(path).text
      #expect(page.contains("<polyline class=\"line4\""))
      #expect(page.contains("aria-label=\"By state in the last 15 s: ready 0, from 0 to 0;"))
      #expect(page.contains("given up 2, from 2 to 2."))
      #expect(page.contains("By kind in the last 15 s: order 2"))
      #expect(!page.contains("style="))
    }
    await outbox.shutDown()
  }

  @Test func `a kind that was not counted has a gap, and not a zero`() async throws {
    let clock = ManualClock()
    let store = CountingStore(InMemoryStore())
    @Sendable func tally(_ number: Int, _ count: Int) -> OperationTally {
      OperationTally(
        kind: OperationKind(rawValue: "kind-\(number)"), lane: .main, state: .ready, count: count)
    }
    let nine = (0..<9).map { tally($0, 10 + $0) }
    store.pretend(nine)
    let outbox = try await Outbox(store: store) {}
    try await serve(Dashboard(outbox, clock: clock)) { client in
      await clock.sleepers(atLeast: 3)
      for tallies in [nine, [tally(0, 100)] + nine.dropFirst(), [tally(0, 200)]] {
        store.pretend(tallies)
        clock.advance(by: .seconds(5))
        await clock.sleepers(atLeast: 3)
      }
      let page = try await Visitor(client, at: "/mainstay/outboxes/orders").page
      #expect(page.contains("By kind in the last 15 s: kind-0 200, from 100 to 200."))
      // Of four looks two have counted it, and the line begins with them.
      #expect(page.contains(#"<polyline class="line1" points="400,"#))
      #expect(page.matches(of: /<td class="number">–<\/td>/).count == 2)
    }
    await outbox.shutDown()
  }

  @Test func `names of any letters lead to their pages`() async throws {
    let outbox = try await brokenOutbox(["a"])
    var dashboard = Dashboard(outbox)
    dashboard.outboxes["über-mail / 100%"] = outbox
    let monitor = ErrorMonitor()
    monitor.capture(AppError.Network.offline, during: "Load")
    dashboard.errors = monitor
    try await serve(dashboard) { client in
      let visitor = try await Visitor(client, at: "/mainstay")
      let page = try await visitor.get("/mainstay").text
      let links = page.matches(of: /href="(\/mainstay\/[^"]+)"/).map { String($0.1) }
      #expect(links.contains { $0.contains("%C3%BCber") })
      #expect(links.contains { $0.contains("errors/") })
      for link in links { #expect(try await visitor.get(link).status == .ok, "\(link)") }
    }
    await outbox.shutDown()
  }

  @Test(arguments: [
    ("", "", "/", ""), ("/", "/", "/", ""), ("", "/internal", "/internal", "/internal"),
    ("/operations/", "/internal/", "/internal/operations", "/internal/operations"),
  ])
  func `links lead to this server, wherever it is mounted`(
    path: String, prefix: String, home: String, root: String
  ) async throws {
    let outbox = try await brokenOutbox(["a"])
    var dashboard = Dashboard(outbox)
    dashboard.breakers = [CircuitBreaker("catalog")]
    let router = Router(context: LiveContext.self)
    let below = prefix.split(separator: "/").joined(separator: "/")
    dashboard.mount(on: router.group(RouterPath(below)), at: path, behind: prefix)
    try await Application(router: router).live { client in
      let visitor = try await Visitor(client, at: home)
      #expect(visitor.page.contains(#"<a class="brand" href="\#(home)">"#))
      #expect(visitor.page.contains(#"<a href="\#(home)" aria-current="page">"#))
      #expect(!visitor.page.contains("\"//"))
      let links = visitor.page.matches(of: /(?:href|src)="([^"#]+)"/).map { String($0.1) }
      #expect(links.contains("\(root)/public/dashboard.js"))
      for link in links { #expect(try await visitor.get(link).status == .ok, "\(link)") }
      let circuits = try await Visitor(client, at: "\(root)/circuits")
      let done = try await circuits.post(
        "\(root)/circuits/reset", [("id", "catalog"), ("confirmed", "yes")])
      #expect(done.headers[.location] == "\(root)/circuits?done=reset-1")
      let first = try await client.execute(uri: home, method: .get, headers: Visitor.host)
      let cookie = try #require(first.headers[.setCookie]).components(separatedBy: "; ")
      #expect(cookie.contains("Path=\(home)"))
    }
    await outbox.shutDown()
  }

  @Test func `numbers and spans read well`() async throws {
    let outbox = try await Outbox(store: InMemoryStore()) {}
    await outbox.pause()
    try await outbox.enqueue(contentsOf: (0..<1_234).map { Order(text: "\($0)") })
    let page = try await text(Dashboard(outbox), "")
    #expect(page.contains("1\u{202F}234 operations"))
    await outbox.shutDown()
  }
}
