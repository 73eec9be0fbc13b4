// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HummingbirdTesting
import Mainstay
import MainstayDashboard
import MainstayOutbox
import TestSupport
import Testing

/// What pages say of lanes that are closed, and what is done about them by hand.
@Suite(.ends(withinMinutes: 2)) struct LaneTests {
  private static let page = "/mainstay/outboxes/orders"
  private static let resume = "\(page)/lanes/resume"
  private static let chosen = [("id", "main")]
  private static let confirmed = chosen + [("confirmed", "yes")]

  /// An outbox that runs nothing, with two orders in a lane that is closed.
  private func closed(for cause: LaneClosure.Cause) async throws -> (Outbox, OperationID) {
    let store = InMemoryStore()
    let outbox = try await Outbox(store: store) { Worker(for: Order.self) { _, _ in } }
    await outbox.pause()
    let id = try await outbox.enqueue(Order(text: "a"))
    try await outbox.enqueue(Order(text: "b"))
    let rest: Duration? = cause == .throttled ? .seconds(3_600) : nil
    try await store.close(.main, LaneClosure(cause, for: rest))
    return (outbox, id)
  }

  @Test func `what is ready in a closed lane is listed and found as waiting`() async throws {
    let (outbox, id) = try await closed(for: .needsUser)
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client, at: Self.page)
      #expect(visitor.page.contains("2 waiting"))
      #expect(visitor.page.contains(/<td[^>]*><bdi>waiting<\/bdi>/))
      #expect(!visitor.page.contains(/<td[^>]*><bdi>ready<\/bdi>/))
      #expect(visitor.page.contains("a person is needed, such as to sign in"))
      let waiting = try await visitor.get("\(Self.page)?state=waiting").text
      #expect(waiting.contains(id.description))
      let ready = try await visitor.get("\(Self.page)?state=ready").text
      #expect(!ready.contains(id.description))
      let one = try await visitor.get("\(Self.page)/operations/\(id)").text
      #expect(one.contains("<bdi>waiting</bdi>") && !one.contains("<bdi>ready</bdi>"))
      let overview = try await visitor.get("/mainstay").text
      #expect(overview.contains("2 in a lane in which a person is needed"))
    }
    await outbox.shutDown()
  }

  @Test func `what is ready of a paused kind is found as waiting, and nothing else`() async throws {
    let (outbox, id) = try await closed(for: .needsUser)
    try await outbox.resume(.main)
    try await outbox.pause(kind: Order.kind)
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client, at: "\(Self.page)?state=waiting")
      #expect(visitor.page.contains(id.description))
      #expect(!visitor.page.contains("Closed lanes"))
      try await outbox.resume(kind: Order.kind)
    }
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client, at: "\(Self.page)?state=waiting")
      #expect(!visitor.page.contains(id.description))
      #expect(try await visitor.get("\(Self.page)?state=ready").text.contains(id.description))
    }
    await outbox.shutDown()
  }

  @Test(arguments: LaneClosure.Cause.allCases)
  func `a lane is resumed after a question, whatever has closed it`(
    _ cause: LaneClosure.Cause
  ) async throws {
    let (outbox, log) = (try await closed(for: cause).0, Log())
    try await serve(Dashboard(outbox, log: log)) { client in
      let visitor = try await Visitor(client, at: Self.page)
      #expect(visitor.page.contains("Closed lanes"))
      let question = try await visitor.post(Self.resume, Self.chosen)
      #expect(question.text.contains("Resume “main” in orders?"))
      #expect(try await outbox.snapshot().ready == 0)
      let done = try await visitor.post(Self.resume, Self.confirmed)
      #expect(done.status == .seeOther)
      #expect(try await outbox.snapshot().ready == 2)
      let page = try await visitor.get(try #require(done.headers[.location])).text
      #expect(page.contains("1 lane was resumed."))
      #expect(!page.contains("Closed lanes"))
      let again = try await visitor.post(Self.resume, Self.confirmed)
      #expect(again.text.contains("What you chose is open already."))
      #expect(
        log.lines == [
          #"Lanes of an outbox were resumed from the dashboard. lanes=["main"] outbox=orders"#
        ])
    }
    await outbox.shutDown()
  }

  @Test func `a lane that names a person is not written to the log`() async throws {
    let (store, log) = (InMemoryStore(), Log())
    let outbox = try await Outbox(store: store) { Worker(for: Order.self) { _, _ in } }
    await outbox.pause()
    let options = EnqueueOptions(lane: "ada@example.org")
    try await outbox.enqueue(Order(text: "a"), options: options)
    try await store.close("ada@example.org", LaneClosure(.needsUser))
    try await serve(Dashboard(outbox, log: log)) { client in
      let visitor = try await Visitor(client, at: Self.page)
      let answer = [("id", "ada@example.org"), ("confirmed", "yes")]
      #expect(try await visitor.post(Self.resume, answer).status == .seeOther)
    }
    #expect(log.lines.count == 1)
    #expect(!log.lines.contains { $0.contains("example.org") }, "\(log.lines)")
    await outbox.shutDown()
  }

  @Test func `a lane is left alone without the right token, and where it is for looking only`()
    async throws
  {
    let (outbox, _) = try await closed(for: .needsUser)
    var dashboard = Dashboard(outbox)
    try await serve(dashboard) { client in
      let visitor = try await Visitor(client, at: Self.page)
      let stranger = try await visitor.post(Self.resume, Self.confirmed, token: "AAAA")
      #expect(stranger.status == .forbidden)
      let nothing = try await visitor.post(Self.resume, [("confirmed", "yes")])
      #expect(nothing.status == .unprocessableContent)
    }
    dashboard.isReadOnly = true
    try await serve(dashboard) { client in
      let visitor = try await Visitor(client, at: Self.page)
      #expect(visitor.page.contains("Closed lanes"))
      #expect(!visitor.page.contains("method=\"post\""))
      #expect(try await visitor.post(Self.resume, Self.confirmed).status == .notFound)
    }
    #expect(try await outbox.snapshot().causes.laneNeedsUser == 2)
    await outbox.shutDown()
  }
}
