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

/// Many dead letters: found, and decided on together.
@Suite(.ends(withinMinutes: 3)) struct DeadLetterTests {
  static let dead = "/mainstay/outboxes/orders/dead"

  private func broken(_ count: Int, _ store: some OutboxStore) async throws -> Outbox {
    let outbox = try await Outbox(store: store) {
      Worker(for: Order.self) { order, _ in
        throw AppError(
          code: "test.refused", kind: .validation, disposition: .permanent, title: "Refused",
          message: LocalizableText(verbatim: "No \(order.text)."))
      }
    }
    try await outbox.enqueue(contentsOf: (0..<count).map { Order(text: "\($0)") }) { order in
      EnqueueOptions(lane: order.text.hasSuffix("7") ? "odd" : nil)
    }
    for await snapshot in outbox.changes where snapshot.dead == count { break }
    return outbox
  }

  @Test func `a page of ten thousand reads a page, and no more`() async throws {
    let store = CountingStore(InMemoryStore(), letters: 10_000)
    let outbox = try await Outbox(store: store) {}
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client)
      store.forget()
      let page = try await visitor.get(Self.dead)
      #expect(page.text.contains("10\u{202F}000 operations were given up."))
      #expect(page.text.matches(of: /type="checkbox"/).count == 50)
      #expect(store.count("deadLetters") == 1)
      #expect(store.largest("deadLetters") == 51)
      // Who asks about all of them gets their ids read, and none of their payloads.
      let question = try await visitor.post("\(Self.dead)/discard", [("all", "yes")])
      #expect(question.text.contains("Discard the oldest 10\u{202F}000 dead letters that match?"))
      #expect(store.count("deadLetters") == 1)
      #expect(store.largest("deadLetterIDs") == 10_000)
    }
    await outbox.shutDown()
  }

  @Test func `all that match are decided on, and no others`() async throws {
    let outbox = try await broken(60, InMemoryStore())
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client)
      let look = [("lane", "odd"), ("all", "yes")]
      let page = try await visitor.get("\(Self.dead)?lane=odd")
      #expect(page.text.contains("Redrive all that match"))
      #expect(page.text.matches(of: /type="checkbox"/).count == 6)
      let question = try await visitor.post("\(Self.dead)/discard", look)
      #expect(question.text.contains("Discard all 6 dead letters that match?"))
      #expect(try await outbox.snapshot().dead == 60)
      // Never more than the question was about.
      let some = look + [("count", "4"), ("confirmed", "yes")]
      let done = try await visitor.post("\(Self.dead)/discard", some)
      #expect(done.headers[.location]?.hasSuffix("done=discard-4") == true)
      let left = try await outbox.deadLetters(limit: 100)
      #expect(left.filter { $0.operation.lane == "odd" }.count == 2)
      #expect(try await outbox.snapshot().dead == 56)
    }
    await outbox.shutDown()
  }

  @Test(arguments: ["", "0", "-1", "10001", "many"])
  func `a decision about all says how many were asked about`(count: String) async throws {
    let outbox = try await brokenOutbox(["a"])
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client)
      let form = [("all", "yes"), ("confirmed", "yes")] + (count.isEmpty ? [] : [("count", count)])
      let answer = try await visitor.post("\(Self.dead)/discard", form)
      #expect(answer.status == .unprocessableContent)
      #expect(try await outbox.snapshot().dead == 1)
    }
    await outbox.shutDown()
  }

  @Test func `they are found by kind, lane, id and message`() async throws {
    let outbox = try await broken(60, InMemoryStore())
    let id = try #require(try await outbox.deadLetters().last).id.description
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client)
      let looks = [
        ("text=No+17.", 1), ("kind=order", 50), ("kind=nothing", 0), ("lane=odd", 6),
        ("lane=odd&text=no+4", 1), ("text=\(id)", 1), ("text=%25", 0), ("text=_", 0),
      ]
      for (query, count) in looks {
        let page = try await visitor.get("\(Self.dead)?\(query)").text
        #expect(page.matches(of: /type="checkbox"/).count == count, "\(query)")
      }
    }
    await outbox.shutDown()
  }
}
