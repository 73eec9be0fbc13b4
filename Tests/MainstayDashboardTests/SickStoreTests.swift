// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import Mainstay
import MainstayDashboard
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What is seen while the store of one outbox is away, which is when somebody looks.
@Suite(.ends(withinMinutes: 2)) struct SickStoreTests {
  /// A store that cannot be counted until it is well again.
  private final class SickStore: ForwardingStore {
    enum Health: Sendable {
      case well, failing, recovered
      /// It does not answer before it is let, and fails then.
      case silent
    }

    let inner = InMemoryStore()
    let asked = Countdown(1)
    let release = Countdown(1)
    let countedAgain = Countdown(1)
    private let health = Locked(Health.well)
    private let counting = Locked((now: 0, most: 0))

    var store: any OutboxStore { inner }

    /// How many counted it at the same time.
    var mostAtOnce: Int { counting.withLock { $0.most } }

    func become(_ health: Health) { self.health.withLock { $0 = health } }

    func snapshot() async throws -> OutboxSnapshot {
      counting.withLock { counting in
        counting.now += 1
        counting.most = max(counting.most, counting.now)
      }
      defer { counting.withLock { $0.now -= 1 } }
      let health = health.withLock { $0 }
      if health == .silent {
        asked.count()
        await release.passed()
      }
      if health == .recovered { countedAgain.count() }
      guard [.well, .recovered].contains(health) else {
        throw OutboxError(.unavailable, details: "a test")
      }
      return try await inner.snapshot()
    }
  }

  /// A dashboard with an outbox that is well, one that is not, and a circuit.
  private struct Scene {
    let store = SickStore()
    let clock = ManualClock()
    let breaker = CircuitBreaker("catalog")
    let orders: Outbox
    let mail: Outbox

    init(_ health: SickStore.Health) async throws {
      orders = try await brokenOutbox(["a"])
      mail = try await Outbox(store: store) {}
      store.become(health)
    }

    var dashboard: Dashboard {
      var dashboard = Dashboard(orders, clock: clock)
      dashboard.outboxes["mail"] = mail
      dashboard.breakers = [breaker]
      return dashboard
    }

    func end() async {
      store.become(.well)
      store.release.count()
      await orders.shutDown()
      await mail.shutDown()
    }
  }

  private static func expectAll(on page: TestResponse) {
    #expect(page.status == .ok)
    #expect(page.text.contains("cannot be read"))
    #expect(page.text.contains("1 given up"))
    #expect(page.text.contains("all closed"))
  }

  @Test func `an outbox that cannot be read says so, and the overview shows the rest`()
    async throws
  {
    let scene = try await Scene(.failing)
    try await serve(scene.dashboard) { client in
      // Three look, and one says that it is there.
      await scene.clock.sleepers(atLeast: 4)
      Self.expectAll(on: try await Visitor(client, at: "/mainstay").get("/mainstay"))
      scene.store.become(.well)
      scene.clock.advance(by: .seconds(5))
      await scene.clock.sleepers(atLeast: 4)
      let page = try await Visitor(client, at: "/mainstay").page
      #expect(!page.contains("cannot be read"))
      #expect(page.contains("0 operations"))
    }
    await scene.end()
  }

  @Test func `an outbox that does not answer keeps the overview for two seconds, and only once`()
    async throws
  {
    let scene = try await Scene(.silent)
    try await serve(scene.dashboard) { client in
      await scene.clock.sleepers(atLeast: 3)
      async let first = client.execute(uri: "/mainstay", method: .get, headers: Visitor.host)
      // The page waits as well.
      await scene.clock.sleepers(atLeast: 4)
      scene.clock.advance(by: .seconds(2))
      Self.expectAll(on: try await first)
      Self.expectAll(on: try await Visitor(client, at: "/mainstay").get("/mainstay"))
    }
    await scene.end()
  }

  @Test func `an outbox that does not answer is counted once at a time, whatever is done with it`()
    async throws
  {
    let scene = try await Scene(.silent)
    try await serve(scene.dashboard) { client in
      await scene.store.asked.reached()
      await scene.clock.sleepers(atLeast: 3)
      let visitor = try await Visitor(client, at: "/mainstay/circuits")
      for action in ["pause", "resume", "pause"] {
        let form = [("id", "order"), ("confirmed", "yes")]
        let done = try await visitor.post("/mainstay/outboxes/mail/kinds/\(action)", form)
        #expect(done.status == .seeOther)
        async let page = visitor.get("/mainstay")
        if scene.clock.now.offset == .zero {
          // The first page waits as well; the next ones know that there is no answer.
          await scene.clock.sleepers(atLeast: 4)
          scene.clock.advance(by: .seconds(2))
        }
        Self.expectAll(on: try await page)
      }
      #expect(scene.store.mostAtOnce == 1)
      // What was done meanwhile is found by the next look, which begins now.
      scene.store.become(.recovered)
      scene.store.release.count()
      await scene.store.countedAgain.reached()
      let after = try await visitor.get("/mainstay/outboxes/mail").text
      #expect(after.contains("paused"))
      #expect(scene.store.mostAtOnce == 1)
    }
    await scene.end()
  }

  @Test func `a document for support waits for an outbox by the clock of its dashboard`()
    async throws
  {
    let scene = try await Scene(.silent)
    var dashboard = scene.dashboard
    dashboard.errors = ErrorMonitor()
    try await serve(dashboard) { client in
      await scene.store.asked.reached()
      await scene.clock.sleepers(atLeast: 3)
      async let answer = client.execute(
        uri: "/mainstay/diagnostics", method: .get, headers: Visitor.host)
      // The document waits as well.
      await scene.clock.sleepers(atLeast: 4)
      scene.clock.advance(by: .seconds(2))
      let document = try Diagnostics(from: Data(try await answer.body.readableBytesView))
      #expect(document.sections["outbox mail"]?.error != nil)
    }
    await scene.end()
  }

  @Test func `news of a circuit comes on time while an outbox does not answer`() async throws {
    let scene = try await Scene(.silent)
    let router = Router(context: LiveContext.self)
    let live = scene.dashboard.mounted(on: router)
    let listener = try #require(live.listener())
    await scene.clock.sleepers(atLeast: 3)
    scene.breaker.open()
    scene.clock.advance(by: .seconds(5))
    #expect(await heard(.circuits, by: listener))
    live.end()
    await scene.end()
  }

  @Test func `an outbox that took long to fail is asked again after an interval`() async throws {
    let scene = try await Scene(.silent)
    let router = Router(context: LiveContext.self)
    let live = scene.dashboard.mounted(on: router)
    await scene.clock.sleepers(atLeast: 3)
    await scene.store.asked.reached()
    scene.clock.advance(by: .seconds(60))
    scene.store.become(.recovered)
    scene.store.release.count()
    // Three look, and one says that it is there.
    await scene.clock.sleepers(atLeast: 4)
    // Four times as long as the failure took would be too late.
    scene.clock.advance(by: .seconds(5))
    await scene.store.countedAgain.reached()
    live.end()
    await scene.end()
  }

  /// Whether a page is told of a part in the end.
  private func heard(_ part: LiveParts, by listener: Live.Listener) async -> Bool {
    var bell = listener.bell.makeAsyncIterator()
    while await bell.following() != nil {
      if listener.take()?.parts.contains(part) == true { return true }
    }
    return false
  }
}
