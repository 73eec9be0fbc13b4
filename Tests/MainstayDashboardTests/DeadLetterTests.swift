// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HummingbirdTesting
import Mainstay
import MainstayDashboard
import MainstayOutbox
import MainstayOutboxTesting
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
      #expect(store.largest("deadLetters") == 50)
      // Who asks about all of them gets their ids read, and none of their payloads.
      let question = try await visitor.post("\(Self.dead)/discard", [("all", "yes")])
      #expect(question.text.contains("Discard the oldest 10\u{202F}000 dead letters of orders?"))
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
      let words = "Discard all 6 dead letters of orders, in the lane “odd”?"
      #expect(question.text.contains(words))
      #expect(try await outbox.snapshot().dead == 60)
      let done = try await visitor.post(
        "\(Self.dead)/discard", Visitor.answer(to: question.text))
      #expect(done.headers[.location]?.hasSuffix("/dead?lane=odd&done=discard-6") == true)
      let after = try await visitor.get(try #require(done.headers[.location])).text
      #expect(after.contains("6 discarded.") && after.contains("Redrive all that match") == false)
      let left = try await outbox.deadLetters(limit: 100)
      #expect(left.allSatisfy { $0.operation.lane != "odd" })
      #expect(try await outbox.snapshot().dead == 54)
    }
    await outbox.shutDown()
  }

  @Test func `a question about all that match says what that is, and its answer keeps the place`()
    async throws
  {
    let outbox = try await broken(30, InMemoryStore())
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client)
      let look = [("kind", "order"), ("lane", "odd"), ("text", "No 1"), ("all", "yes")]
      let question = try await visitor.post("\(Self.dead)/redrive", look)
      let words = "of orders, of the kind “order”, in the lane “odd”, with the text “No 1”"
      #expect(question.text.contains("Give the only dead letter \(words) another try?"))
      let whole = try await visitor.post("\(Self.dead)/redrive", [("all", "yes")])
      #expect(whole.text.contains("Give all 30 dead letters of orders another try?"))
      // What was ticked one by one keeps the place as well.
      let id = try #require(try await outbox.deadLetters().first).id.description
      let ticked = try await visitor.post("\(Self.dead)/discard", [("kind", "order"), ("id", id)])
      #expect(ticked.text.contains("Discard 1 dead letter of orders?"))
      let done = try await visitor.post("\(Self.dead)/discard", Visitor.answer(to: ticked.text))
      #expect(done.headers[.location]?.hasSuffix("/dead?kind=order&done=discard-1") == true)
    }
    await outbox.shutDown()
  }

  @Test func `what dies after the question is not decided on, though it was enqueued before`()
    async throws
  {
    let outbox = try await broken(0, InMemoryStore())
    let early = try await outbox.enqueue(
      Order(text: "early"), options: EnqueueOptions(delay: .seconds(3_600)))
    try await outbox.enqueue(Order(text: "late"))
    for await snapshot in outbox.changes where snapshot.dead == 1 { break }
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client)
      let question = try await visitor.post("\(Self.dead)/discard", [("all", "yes")])
      #expect(question.text.contains("Discard the only dead letter of orders?"))
      try await outbox.retry(early)
      for await snapshot in outbox.changes where snapshot.dead == 2 { break }
      let done = try await visitor.post(
        "\(Self.dead)/discard", Visitor.answer(to: question.text))
      #expect(done.headers[.location]?.hasSuffix("done=discard-1") == true)
      #expect(try await outbox.deadLetters().map(\.id) == [early])
    }
    await outbox.shutDown()
  }

  @Test(arguments: ["redrive", "discard"])
  func `a question is answered once, and an answer that is sent again does nothing`(
    action: String
  ) async throws {
    let outbox = try await broken(3, InMemoryStore())
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client)
      let question = try await visitor.post("\(Self.dead)/\(action)", [("all", "yes")])
      let answer = Visitor.answer(to: question.text)
      let done = try await visitor.post("\(Self.dead)/\(action)", answer)
      #expect(done.status == .seeOther)
      try await outbox.enqueue(Order(text: "another"))
      let dead = action == "redrive" ? 4 : 1
      for await snapshot in outbox.changes where snapshot.dead == dead { break }
      let again = try await visitor.post("\(Self.dead)/\(action)", answer)
      #expect(again.status == .conflict)
      #expect(again.text.contains("This question was answered already."))
      // Another process, which has not heard of the answer, finds none of them either.
      let elsewhere = answer.filter { $0.0 != "question" }
      if action == "discard" {
        let none = try await visitor.post("\(Self.dead)/\(action)", elsewhere)
        #expect(none.headers[.location]?.hasSuffix("done=discard-0") == true)
      }
      #expect(try await outbox.snapshot().dead == dead)
    }
    await outbox.shutDown()
  }

  @Test func `a decision that stops half way says how many were decided on`() async throws {
    let store = StumblingStore(InMemoryStore(), discards: 200)
    let outbox = try await broken(250, store)
    let log = Log()
    try await serve(Dashboard(outbox, log: log)) { client in
      let visitor = try await Visitor(client)
      let question = try await visitor.post("\(Self.dead)/discard", [("all", "yes")])
      let done = try await visitor.post(
        "\(Self.dead)/discard", Visitor.answer(to: question.text))
      #expect(done.status == .serviceUnavailable)
      #expect(done.text.contains("At least 200 of 250 were discarded; then it stopped."))
      #expect(try await outbox.snapshot().dead == 50)
    }
    #expect(log.lines.contains { $0.contains("action=discard count=200") }, "\(log.lines)")
    await outbox.shutDown()
  }

  @Test func `a decision about all names those that were asked about`() async throws {
    let outbox = try await brokenOutbox(["a"])
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client)
      let one = Self.packed(1)
      for ids in [nil, "", "AAAA", "not base64!", one + "A", Self.packed(10_001)] {
        let form = [("all", "yes"), ("confirmed", "yes")] + (ids.map { [("ids", $0)] } ?? [])
        let answer = try await visitor.post("\(Self.dead)/discard", form)
        #expect(answer.status == .unprocessableContent, "\(ids?.prefix(20) ?? "none")")
      }
      #expect(try await outbox.snapshot().dead == 1)
    }
    await outbox.shutDown()
  }

  /// Ids of letters that there are not, as a form names them.
  private static func packed(_ count: Int) -> String {
    Data(repeating: 7, count: count * 16).base64EncodedString().replacing("=", with: "")
  }

  @Test func `ten thousand are named by one form`() async throws {
    let store = CountingStore(InMemoryStore(), letters: 12_000)
    let outbox = try await Outbox(store: store) {}
    try await serve(Dashboard(outbox)) { client in
      let visitor = try await Visitor(client)
      let question = try await visitor.post("\(Self.dead)/discard", [("all", "yes")])
      let answer = Visitor.answer(to: question.text)
      let ids = try #require(answer.first { $0.0 == "ids" }).1
      #expect(ids.utf8.count == 213_334)
      let done = try await visitor.post("\(Self.dead)/discard", answer)
      #expect(done.headers[.location]?.hasSuffix("done=discard-0") == true)
      #expect(store.count("deadLetterIDs") == 1)
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

/// A store that fails after it has discarded some.
private final class StumblingStore: ForwardingStore {
  let inner: InMemoryStore
  private let left: Locked<Int>

  init(_ inner: InMemoryStore, discards: Int) {
    self.inner = inner
    left = Locked(discards)
  }

  var store: any OutboxStore { inner }

  func discard(_ id: OperationID) async throws -> Bool {
    let isLeft = left.withLock { left in
      left -= 1
      return left >= 0
    }
    guard isLeft else { throw OutboxError(.unavailable, details: "a test") }
    return try await inner.discard(id)
  }
}
