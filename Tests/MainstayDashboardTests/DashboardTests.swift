// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HummingbirdTesting
import Mainstay
import MainstayDashboard
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What operators see and do.
@Suite(.ends(withinMinutes: 2)) struct DashboardTests {
  static let dead = "/mainstay/outboxes/orders/dead"

  @Test func `the overview shows what it was given, and only that`() async throws {
    let outbox = try await brokenOutbox(["a", "b"])
    var dashboard = Dashboard(outbox)
    let breaker = CircuitBreaker("catalog", clock: ManualClock())
    breaker.open()
    dashboard.breakers = [breaker]
    let monitor = ErrorMonitor()
    monitor.capture(AppError.Network.offline, during: "Load")
    dashboard.errors = monitor
    try await serve(dashboard) { client in
      let page = try await Visitor(client).get("/mainstay")
      #expect(page.status == .ok)
      #expect(page.text.contains("2 given up"))
      #expect(page.text.contains("open, next try in"))
      #expect(page.text.contains("<bdi>Error groups</bdi></h2>"))
      #expect(!page.text.contains("Feature level"))
      #expect(!page.text.contains("Connection"))
    }
    await outbox.shutDown()
  }

  @Test func `an operation tells why it was given up and what was tried`() async throws {
    let outbox = try await brokenOutbox(["a"])
    let letter = try #require(try await outbox.deadLetters().first)
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client)
      let page = try await visitor.get("/mainstay/outboxes/orders/operations/\(letter.id)")
      #expect(page.text.contains("dead letter"))
      #expect(page.text.contains("Given up because"))
      #expect(page.text.contains("<bdi>Attempts</bdi></h2>"))
      #expect(!page.text.contains("Payload"))
    }
    await outbox.shutDown()
  }

  @Test func `an operation tells what the service said of fields, and the attempts used up`()
    async throws
  {
    let mistake = AppError.validation("No such mailbox.", field: "/to", code: "mail.unknown")
    let outbox = try await brokenOutbox(["a"], underlying: [mistake])
    let letter = try #require(try await outbox.deadLetters().first)
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client)
      let page = try await visitor.get("/mainstay/outboxes/orders/operations/\(letter.id)")
      #expect(page.text.contains("/to: No such mailbox. (mail.unknown)"))
      #expect(page.text.contains("Attempts used"))
    }
    await outbox.shutDown()
  }

  @Test func `payloads are shown only on demand, and redacted`() async throws {
    let outbox = try await brokenOutbox(["mail ada@example.com"])
    let letter = try #require(try await outbox.deadLetters().first)
    var dashboard = Dashboard(outbox)
    dashboard.showsPayloads = true
    try await serve(dashboard) { client in
      let visitor = try await Visitor(client)
      let page = try await visitor.get("/mainstay/outboxes/orders/operations/\(letter.id)")
      #expect(page.text.contains("Payload"))
      #expect(page.text.contains("mail "))
      #expect(!page.text.contains("ada@example.com"))
    }
    await outbox.shutDown()
  }

  @Test func `dead letters are redriven or discarded after a question`() async throws {
    let outbox = try await brokenOutbox(["a", "b", "c"])
    let ids = try await outbox.deadLetters().map(\.id.description)
    await outbox.pause()
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client)
      let chosen = [("id", ids[0]), ("id", ids[1])]
      let question = try await visitor.post("\(Self.dead)/redrive", chosen)
      #expect(question.status == .ok)
      #expect(question.text.contains("Give 2 dead letters of orders another try?"))
      #expect(try await outbox.snapshot().dead == 3)
      let done = try await visitor.post(
        "\(Self.dead)/redrive", chosen + [("confirmed", "yes")])
      #expect(done.status == .seeOther)
      #expect(try await outbox.snapshot().dead == 1)
      let address = try #require(done.headers[.location])
      #expect(try await visitor.get(address).text.contains("2 given another try."))
      _ = try await visitor.post(
        "\(Self.dead)/discard", [("id", ids[2]), ("confirmed", "yes")])
      #expect(try await outbox.snapshot().dead == 0)
    }
    await outbox.shutDown()
  }

  @Test func `a conflict that remains is ended after a question`() async throws {
    let outbox = try await Outbox(store: InMemoryStore()) {
      Worker(for: Order.self) { _, _ in throw RemoteConflict(remote: Data("theirs".utf8)) }
    }
    let id = try await outbox.enqueue(Order(text: "a")).description
    for await snapshot in outbox.changes where snapshot.conflicted == 1 { break }
    await outbox.pause()
    let place = "/mainstay/outboxes/orders"
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client, at: "\(place)/operations/\(id)")
      #expect(visitor.page.contains("Accept the other side"))
      #expect(visitor.page.contains("Send again"))
      let question = try await visitor.post("\(place)/conflicts/resend", [("id", id)])
      #expect(question.text.contains("Send this operation once more"))
      #expect(try await outbox.snapshot().conflicted == 1)
      let answer = [("id", id), ("confirmed", "yes")]
      #expect(try await visitor.post("\(place)/conflicts/resend", answer).status == .seeOther)
      #expect(try await outbox.snapshot().ready == 1)
      let late = try await visitor.post("\(place)/conflicts/accept", answer)
      #expect(late.status == .conflict)
      await outbox.resume()
      for await snapshot in outbox.changes where snapshot.conflicted == 1 { break }
      #expect(try await visitor.post("\(place)/conflicts/accept", answer).status == .seeOther)
      #expect(try await outbox.ledger().count(.dropped) == 1)
    }
    await outbox.shutDown()
  }

  @Test func `lists are cut into pages that miss nothing`() async throws {
    let outbox = try await brokenOutbox((0..<120).map { "\($0)" })
    let ids = try await outbox.deadLetters(limit: 200).map(\.id.description)
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client)
      var (seen, address) = ([String](), Optional(Self.dead))
      while let next = address {
        let page = try await visitor.get(next).text
        seen += page.matches(of: /type="checkbox" name="id" value="([^"]+)"/).map { String($0.1) }
        address = page.firstMatch(of: /rel="next" href="([^"]+)"/).map { String($0.1) }
      }
      #expect(seen == ids)
    }
    await outbox.shutDown()
  }

  @Test func `a list goes on where its last page ended, though what stood there has gone`()
    async throws
  {
    let outbox = try await brokenOutbox((0..<60).map { "\($0)" })
    let ids = try await outbox.deadLetters(limit: 100).map(\.id)
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client)
      let next = try #require(visitor.page.firstMatch(of: /rel="next" href="([^"]+)"/)?.1)
      try await outbox.discard(ids[49])
      let page = try await visitor.get(String(next)).text
      let seen = page.matches(of: /type="checkbox" name="id" value="([^"]+)"/)
      #expect(seen.map { String($0.1) } == ids[50...].map(\.description))
      // What is no place is nowhere.
      for place in ["~1", "\(ids[0])~", "\(ids[0])~x", "\(ids[0])~1~2"] {
        #expect(try await visitor.get("\(Self.dead)?after=\(place)").status == .notFound)
      }
      #expect(try await visitor.get("\(Self.dead)?after=\(ids[0])").status == .ok)
    }
    await outbox.shutDown()
  }

  @Test func `a search finds by kind, state and failure`() async throws {
    let outbox = try await Outbox(store: InMemoryStore()) {}
    await outbox.pause()
    let id = try await outbox.enqueue(Order(text: "a"), orderedBy: "ada")
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client)
      let state = try #require(try await outbox.operation(id)).state.rawValue
      for query in ["", "?text=ORDER", "?text=ada", "?state=\(state)"] {
        let page = try await visitor.get("/mainstay/outboxes/orders\(query)")
        #expect(page.text.contains("operations/\(id)"), "\(query)")
      }
      for query in ["?text=nobody", "?state=leased"] {
        let page = try await visitor.get("/mainstay/outboxes/orders\(query)")
        #expect(!page.text.contains("operations/\(id)"), "\(query)")
      }
    }
    await outbox.shutDown()
  }

  @Test func `a dashboard for looking only has no actions`() async throws {
    let outbox = try await brokenOutbox(["a"])
    let id = try #require(try await outbox.deadLetters().first).id.description
    var dashboard = Dashboard(outbox)
    dashboard.isReadOnly = true
    try await serve(dashboard) { client in
      let visitor = try await Visitor(client)
      let page = try await visitor.get(Self.dead).text
      #expect(!page.contains("method=\"post\""))
      let refused = try await visitor.post(
        "\(Self.dead)/discard", [("id", id), ("confirmed", "yes")])
      #expect(refused.status == .notFound)
      #expect(try await outbox.snapshot().dead == 1)
    }
    await outbox.shutDown()
  }
}
