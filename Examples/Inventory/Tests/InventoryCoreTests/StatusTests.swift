// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryUpstream
import Mainstay
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 5)) struct StatusTests {
  private let start = Date(timeIntervalSince1970: 1_767_323_045)

  @Test(.requirement("T20")) func `real traffic alone says how the connection is`() {
    let log = Log()
    let evidence = ConnectivityEvidence(since: start) { log.add($0.rawValue) }
    #expect(evidence.reading.state == .unknown)
    evidence.failed(.offline(), at: start + 1)
    evidence.failed(.offline(), at: start + 2)
    #expect(evidence.reading.state == .offline)
    #expect(evidence.reading.since == Timestamp(start + 1))
    evidence.foreign(200, at: start + 3)
    evidence.answered(500, at: start + 4)
    #expect(evidence.reading.state == .online)
    #expect(evidence.reading.evidence.first?.contains("500") == true)
    #expect(log.lines == ["offline", "portal", "online"])
  }

  @Test(.requirement("B41")) func `the same errors are one group, with its last ten minutes`() {
    let time = Locked(start)
    let monitor = ErrorMonitor(wallClock: { time.withLock { $0 } })
    for (status, minute) in [(500, 0), (404, 1), (500, 2)] {
      time.withLock { $0 = start + Double(minute) * 60 }
      monitor.capture(AppError.http(status: status, isRepeatable: true))
    }
    let all = monitor.groups.compactMap { ErrorGroup($0) }
    #expect(all.map(\.code) == ["http.500", "http.404"])
    #expect(all.first?.count == 2 && all.first?.trend == [0, 0, 0, 0, 0, 0, 0, 1, 0, 1])
    #expect(all.first?.firstSeen == Timestamp(start))
    #expect(all.first?.lastSeen == Timestamp(start + 120))
    #expect(Set(all.map(\.fingerprint)).count == 2)
  }

  @Test func `a cancellation and a refusal of our own are no errors, and others outlive the app`()
    async throws
  {
    try await inWorld { world in
      let inventory = try await world.open()
      inventory.report(CancellationError(), during: "Test")
      inventory.report(Rejection(policy: "p", reason: .circuitOpen), during: "Test")
      #expect(inventory.errorGroups().isEmpty)
      inventory.report(AppError.http(status: 500, isRepeatable: true), during: "Test")
      #expect(inventory.errorGroups().map(\.code) == ["http.500"])
      await inventory.shutDown()
      let again = try await world.open()
      again.report(AppError.http(status: 404), during: "Test")
      let log = try await again.errorLog()
      let codes = ErrorReport.Encoding.contents(ofJSON: log).reports.map(\.code)
      #expect(codes == ["http.500", "http.404"])
      #expect(again.errorGroups().map(\.code) == ["http.404"])
      await again.shutDown()
    }
  }

  @Test func `the document has the names of the contract`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      let data = try JSONEncoder.inventory.encode(try await inventory.status())
      let value = try JSONDecoder().decode(JSONValue.self, from: data)
      guard case .object(let members) = value, case .object(let queue)? = members["outbox"]
      else {
        Issue.record("no object")
        return
      }
      #expect(
        members.keys.sorted() == [
          "circuits", "connectivity", "featureLevel", "features", "ledger", "outbox", "reasons",
        ])
      #expect(queue["oldestAge"] == .null && queue.count == 9)
      #expect(members["ledger"] == .object(["balanced": .bool(true)]))
      await inventory.shutDown()
    }
  }

  @Test func `who comes back is told what was missed`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      let events = inventory.events()
      let id = try await inventory.add(ItemDraft(title: "Lamp")).item.id
      _ = try await inventory.wait(for: id) { $0.sync == .synced }
      var seen: [InventoryEvent] = []
      for await event in events {
        seen.append(event)
        if event.name == .item, seen.count > 1 { break }
      }
      #expect(seen.map(\.id) == Array(seen[0].id..<(seen[0].id + UInt64(seen.count))))
      let first = try #require(seen.first)
      let missed = inventory.events(after: first.id)
      await inventory.shutDown()
      var again: [InventoryEvent] = []
      for await event in missed { again.append(event) }
      #expect(Array(again.prefix(seen.count - 1)) == Array(seen.dropFirst()))
    }
  }

  @Test(.requirement("D29")) func `diagnostics hold counts and codes, and no content`() async throws
  {
    try await inWorld { world in
      let inventory = try await world.open()
      let draft = try ItemDraft(title: "Secret diary", notes: "token=abc123")
      let id = try await inventory.add(draft).item.id
      _ = try await inventory.wait(for: id) { $0.sync == .synced }
      try await inventory.drained()
      let document = await inventory.diagnostics()
      let text = String(decoding: try document.encoded(), as: UTF8.self)
      #expect(!text.contains("Secret") && !text.contains("abc123"))
      #expect(document.sections.values.allSatisfy { $0.error == nil })
      let status = document.sections["status"]?.value
      #expect(status?["connectivity"]?["state"] == .string("online"))
      #expect(status?["featureLevel"] == .string("full"))
      let ledger = document.sections["outbox"]?.value?["ledger"]
      #expect(ledger?["enqueued"] == .integer(1) && ledger?["isBalanced"] == .bool(true))
      #expect(ledger?["receipts"]?["sync-twin/done"] == .integer(1))
      await inventory.shutDown()
    }
  }

  @Test func `a lookup that fails says so, and one that works answers`()
    async throws
  {
    try await inWorld { world in
      let inventory = try await world.open()
      let answer = try await inventory.client.feature("recall-check", subject: "a lamp & more")
      #expect(answer.subject == "a lamp & more")
      await world.fail(.serverError)
      await #expect(throws: AppError.self) {
        try await inventory.client.feature("resale-value", subject: "lamp")
      }
      await inventory.shutDown()
    }
  }
}
