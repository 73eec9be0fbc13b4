// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import Mainstay
import MainstayDashboard
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What is done about kinds of operations by hand.
@Suite(.ends(withinMinutes: 2)) struct KindTests {
  private static let page = "/mainstay/outboxes/orders"
  private static let chosen = [("id", "order")]
  private static let confirmed = chosen + [("confirmed", "yes")]

  /// A store that fails when a second kind is paused.
  private final class FailingStore: ForwardingStore {
    let inner = InMemoryStore()
    private let pauses = Locked(0)

    var store: any OutboxStore { inner }

    func pause(_ kind: OperationKind) async throws {
      let count = pauses.withLock { count in
        count += 1
        return count
      }
      guard count < 2 else { throw OutboxError(.unavailable, details: "a test") }
      try await inner.pause(kind)
    }
  }

  private func waiting(_ count: Int) async throws -> Outbox {
    let outbox = try await Outbox(store: InMemoryStore()) { Worker(for: Order.self) { _, _ in } }
    await outbox.pause()
    try await outbox.enqueue(contentsOf: (0..<count).map { Order(text: "\($0)") })
    return outbox
  }

  @Test func `a kind is paused after a question, and resumed after another one`() async throws {
    let (outbox, log) = (try await waiting(2), Log())
    try await serve(Dashboard(outbox, log: log)) { client in
      let visitor = try await Visitor(client, at: Self.page)
      let question = try await visitor.post("\(Self.page)/kinds/pause", Self.chosen)
      #expect(question.text.contains("Pause “order” in orders?"))
      #expect(question.text.contains("by any process that uses this outbox"))
      #expect(try await outbox.pausedKinds().isEmpty)
      let done = try await visitor.post("\(Self.page)/kinds/pause", Self.confirmed)
      #expect(done.status == .seeOther)
      #expect(try await outbox.pausedKinds() == ["order"])
      let page = try await visitor.get(try #require(done.headers[.location])).text
      #expect(page.contains("1 kind was paused."))
      #expect(page.contains("<td class=\"warn\"><bdi>paused</bdi>"))
      let again = try await visitor.post("\(Self.page)/kinds/pause", Self.confirmed)
      #expect(again.text.contains("What you chose is paused already."))
      let resumed = try await visitor.post("\(Self.page)/kinds/resume", Self.confirmed)
      let after = try await visitor.get(try #require(resumed.headers[.location])).text
      #expect(after.contains("1 kind was resumed."))
      #expect(!after.contains("<bdi>paused</bdi>"))
      #expect(try await outbox.pausedKinds().isEmpty)
    }
    #expect(
      log.lines == [
        #"Kinds of operations were paused from the dashboard. kinds=["order"] outbox=orders"#,
        #"Kinds of operations were resumed from the dashboard. kinds=["order"] outbox=orders"#,
      ])
    await outbox.shutDown()
  }

  @Test func `kinds of which some were paused before it failed are said and logged`() async throws {
    let (outbox, log) = (try await Outbox(store: FailingStore()) {}, Log())
    await outbox.pause()
    try await outbox.enqueue(Order(text: "listed"))
    try await serve(Dashboard(outbox, log: log)) { client in
      let visitor = try await Visitor(client, at: Self.page)
      let done = try await visitor.post(
        "\(Self.page)/kinds/pause", [("id", "a"), ("id", "b"), ("confirmed", "yes")])
      #expect(done.status == .serviceUnavailable)
      #expect(done.text.contains("At least 1 of 2 kinds were paused; then it stopped."))
      #expect(try await outbox.pausedKinds() == ["a"])
    }
    let notice = #"Kinds of operations were paused from the dashboard. kinds=["a"] outbox=orders"#
    #expect(log.lines.contains(notice), "\(log.lines)")
    await outbox.shutDown()
  }

  @Test func `a kind that is paused is listed though nothing of it is there`() async throws {
    let outbox = try await waiting(0)
    try await outbox.pause(kind: "<photo>")
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client, at: Self.page)
      #expect(visitor.page.contains("&lt;photo&gt;"))
      let done = try await visitor.post(
        "\(Self.page)/kinds/resume", [("id", "<photo>"), ("confirmed", "yes")])
      #expect(done.status == .seeOther)
    }
    #expect(try await outbox.pausedKinds().isEmpty)
    await outbox.shutDown()
  }

  @Test func `of many kinds each can be found, and paused`() async throws {
    let store = CountingStore(InMemoryStore())
    store.pretend(
      (100..<250).map {
        OperationTally(
          kind: OperationKind(rawValue: "kind-\($0)"), lane: .main, state: .ready, count: 1)
      })
    let outbox = try await Outbox(store: store) {}
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client, at: Self.page)
      #expect(visitor.page.contains("50 of 150 kinds. Search for another one to see it here."))
      #expect(visitor.page.contains("Choose kind-149") && !visitor.page.contains("Choose kind-150"))
      let page = try await visitor.get("\(Self.page)?kind=kind-249").text
      #expect(page.matches(of: /Choose kind-\d+/).map { String($0.0) } == ["Choose kind-249"])
      // The form would look for any otherwise, and what is discarded then is more.
      for path in [Self.page, "\(Self.page)/dead"] {
        let page = try await visitor.get("\(path)?kind=kind-249&lane=gone").text
        for name in ["kind-249", "gone"] {
          #expect(page.contains("<option value=\"\(name)\" selected>"), "\(path)")
        }
      }
      let done = try await visitor.post(
        "\(Self.page)/kinds/pause", [("id", "kind-249"), ("confirmed", "yes")])
      #expect(done.status == .seeOther)
    }
    #expect(try await outbox.pausedKinds() == ["kind-249"])
    await outbox.shutDown()
  }

  @Test(arguments: ["pause", "resume"])
  func `a kind is left alone without the right token, and where it is for looking only`(
    action: String
  ) async throws {
    let outbox = try await waiting(1)
    if action == "resume" { try await outbox.pause(kind: Order.kind) }
    let path = "\(Self.page)/kinds/\(action)"
    var dashboard = Dashboard(outbox)
    try await serve(dashboard) { client in
      let visitor = try await Visitor(client, at: Self.page)
      let stranger = try await visitor.post(path, Self.confirmed, token: "AAAA")
      #expect(stranger.status == .forbidden)
      let foreign = try await visitor.post(
        path, Self.confirmed, adding: Visitor.named("Origin", "https://evil.example"))
      #expect(foreign.status == .forbidden)
      let nothing = try await visitor.post(path, [("confirmed", "yes")])
      #expect(nothing.status == .unprocessableContent)
    }
    dashboard.isReadOnly = true
    try await serve(dashboard) { client in
      let visitor = try await Visitor(client, at: Self.page)
      #expect(!visitor.page.contains("method=\"post\""))
      #expect(try await visitor.post(path, Self.confirmed).status == .notFound)
    }
    #expect(try await outbox.pausedKinds() == (action == "resume" ? ["order"] : []))
    await outbox.shutDown()
  }

  @Test func `an open page is told that somebody else pauses a kind`() async throws {
    let outbox = try await waiting(0)
    let live = Live(Dashboard(outbox))
    await live.sample()
    let listener = try #require(live.listener())
    try await outbox.pause(kind: Order.kind)
    await live.sample()
    #expect(listener.take()?.parts == .outboxes)
    live.end()
    await outbox.shutDown()
  }

  @Test func `an operation says how long a run of it may take`() async throws {
    let outbox = try await waiting(0)
    let order = try await outbox.enqueue(
      Order(text: "slow"), options: EnqueueOptions(timeout: .seconds(90)))
    try await serve(Dashboard(outbox)) { client in
      let page = try await Visitor(client, at: "\(Self.page)/operations/\(order)").page
      #expect(page.contains("Time limit of a run"))
      #expect(page.contains("<bdi>90 s</bdi>"))
    }
    await outbox.shutDown()
  }
}
