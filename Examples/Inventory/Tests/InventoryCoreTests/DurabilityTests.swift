// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import InventoryCore
import InventoryUpstream
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What was accepted is neither lost nor done twice, wherever the process dies.
@Suite(.ends(withinMinutes: 5), .requirement("C13", "A54")) struct DurabilityTests {
  /// Lets the process die at one point, as often as it comes there.
  private func dying(_ point: InterruptionPoint) -> @Sendable (InterruptionPoint) throws -> Void {
    { reached in if reached == point { throw CancellationError() } }
  }

  @Test(arguments: InterruptionPoint.allCases, [true, false])
  func `a death between two steps loses nothing and repeats nothing`(
    _ point: InterruptionPoint, _ dedupe: Bool
  ) async throws {
    try await inWorld { world in
      await world.fail(.healthy) { $0.dedupe = dedupe }
      let log = Log()
      let dying = dying(point)
      let (reached, continuation) = AsyncStream.makeStream(of: Void.self)
      let first = try await world.open {
        $0.probe = { current in
          if current == point { continuation.yield() }
          try dying(current)
        }
        $0.observer = Notes(log: log)
      }
      let (scan, edit) = (IdempotencyKey(), IdempotencyKey())
      let id = try await first.scan("9780141439518", key: scan).item.id
      _ = try await first.edit(id, ItemPatch(["notes": .string("Read")]), key: edit)
      _ = await reached.first { _ in true }
      await first.shutDown()

      let second = try await world.open()
      let item = try await second.wait(for: id) { $0.sync == .synced }
      try await second.drained()
      let ledger = await world.upstream.store.ledger
      #expect(ledger.applied.map(\.key) == [scan.rawValue, edit.rawValue])
      #expect(ledger.applied.allSatisfy { $0.applied == 1 })
      #expect(await world.twin(id)?.itemFields == item.fields)
      #expect(item.notes == "Read" && item.title == "Pride and Prejudice")
      #expect(try await second.status().ledger.balanced)
      await second.shutDown()
    }
  }

  @Test func `a restart takes up what is pending, in its order`() async throws {
    try await inWorld { world in
      await world.fail(.down)
      let first = try await world.open()
      let keys = (0..<4).map { _ in IdempotencyKey() }
      let id = try await first.scan("9780141439518", key: keys[0]).item.id
      for number in 1...2 {
        _ = try await first.edit(
          id, ItemPatch(["quantity": .integer(number)]), key: keys[number])
      }
      _ = try await first.delete(id, key: keys[3])
      #expect(try await first.status().outbox.pending == 4)
      await first.shutDown()

      await world.fail(.healthy)
      let second = try await world.open()
      try await second.drained()
      let ledger = await world.upstream.store.ledger
      #expect(ledger.applied.map(\.key) == keys.map(\.rawValue))
      #expect(await world.twin(id) == nil)
      await second.shutDown()
    }
  }

  @Test func `commits wait for the disk`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      #expect(try await inventory.store.synchronousLevel() == 2)
      await inventory.shutDown()
    }
  }

  @Test func `the same key is answered the same, and never means something else`() async throws {
    try await inWorld { world in
      await world.fail(.down)
      let inventory = try await world.open()
      let key = IdempotencyKey()
      let first = try await inventory.scan("9780141439518", key: key)
      let again = try await inventory.scan("978-0-14-143951-8", key: key)
      #expect(again.item == first.item && again.isReplay && !first.isReplay)
      #expect(try await inventory.status().outbox.pending == 1)
      let error = await #expect(throws: AppError.self) {
        try await inventory.scan("9799000000011", key: key)
      }
      #expect(error?.httpStatus == 422 && error?.code == "idempotency.key-reused")
      await #expect(throws: AppError.self) {
        try await inventory.edit(first.item.id, ItemPatch([:]), key: key)
      }
      let other = try await inventory.scan("9780141439518")
      #expect(other.item.id != first.item.id)
      await inventory.shutDown()
    }
  }

  @Test func `a key that the service knows with other content is given up, and can be discarded`()
    async throws
  {
    try await inWorld { world in
      let key = IdempotencyKey()
      try await world.strangerUses(key)
      let inventory = try await world.open()
      let id = try await inventory.add(ItemDraft(title: "Lamp"), key: key).item.id
      let item = try await inventory.wait(for: id) { $0.sync == .rejected }
      #expect(item.pending == 0)
      let letter = try #require(try await inventory.deadLetters().first)
      #expect(letter.reason == "keyReused" && letter.item == id && letter.kind == "sync-twin")
      #expect(!letter.message.isEmpty)
      #expect(inventory.errorGroups().contains { $0.code == "http.422" })
      let sections = await inventory.diagnostics().sections
      let letters = sections["deadLetters"]?.value
      #expect(letters?[0]?["reason"] == .string("keyReused") && letters?[1] == nil)
      #expect(sections["outbox"]?.value?["ledger"]?["dead"] == .integer(1))
      try await inventory.redrive(letter.id)
      try await inventory.wait { try await inventory.deadLetters().count == 1 }
      _ = try await inventory.wait(for: id) { $0.sync == .rejected }
      try await inventory.discard(letter.id)
      #expect(try await inventory.deadLetters().isEmpty)
      #expect(try await inventory.store.item(id).sync == .rejected, "the service never got it")
      await #expect(throws: AppError.self) { try await inventory.discard(letter.id) }
      await #expect(throws: AppError.self) { try await inventory.redrive(letter.id) }
      _ = try await inventory.edit(id, ItemPatch(["notes": .string("Green")]))
      let sent = try await inventory.wait(for: id) { $0.sync == .synced }
      #expect(await world.twin(id)?.itemFields == sent.fields)
      #expect(try await inventory.status().ledger.balanced)
      await inventory.shutDown()
    }
  }

  @Test(arguments: [0, -3600, 3600])
  func `a request that may still be on its way is not repeated, whatever the time of day is set to`(
    _ step: Double
  ) async throws {
    let clock = ManualClock()
    let day = Date(timeIntervalSince1970: 1_767_323_045)
    let time = Locked(day)
    try await inWorld(clock: clock) { world in
      await world.fail(.slow) { $0.dedupe = false }
      let (asked, continuation) = AsyncStream.makeStream(of: String.self)
      let inventory = try await world.open(
        { settings in
          settings.settleTime = .milliseconds(5)
          // Nothing settles by it.
          settings.clock = ManualClock()
          // Real time: the request has to arrive before, on a busy machine too.
          settings.client.requestLimit = .seconds(20)
          settings.observer = Reactions { event in
            switch event {
            case .failed(let error, _) where error.code == "inventory.settling":
              continuation.yield("settling")
            case .reconciled(.notApplied): continuation.yield("not applied")
            default: break
            }
          }
        }, now: { time.withLock(\.self) })
      let key = IdempotencyKey()
      let id = try await inventory.add(ItemDraft(title: "Lamp"), key: key).item.id
      // The service has it and is slow; the app stops waiting and asks.
      await clock.sleepers(atLeast: 1)
      await world.fail(.healthy) { $0.dedupe = false }
      var iterator = asked.makeAsyncIterator()
      #expect(await iterator.next() == "settling")
      time.withLock { $0 = day.addingTimeInterval(step) }
      for _ in 0..<3 { #expect(await iterator.next() == "settling") }
      let requests = await world.upstream.store.ledger.requests
      #expect(requests.count { $0.key == key.rawValue } <= 1)
      clock.advance(by: .seconds(60))
      _ = try await inventory.wait(for: id) { $0.sync == .synced }
      try await inventory.drained()
      #expect(await world.upstream.store.ledger.applied.map(\.applied) == [1])
      await inventory.shutDown()
    }
  }

  @Test func `a request of an earlier run may have left until this one began`() async throws {
    let clock = ManualClock()
    let day = Date(timeIntervalSince1970: 1_767_323_045)
    try await inWorld(clock: clock) { world in
      await world.fail(.slow) { $0.dedupe = false }
      let first = try await world.open(now: { day })
      let id = try await first.add(ItemDraft(title: "Lamp")).item.id
      await clock.sleepers(atLeast: 1)
      await first.shutDown()

      await world.fail(.healthy) { $0.dedupe = false }
      let (events, continuation) = AsyncStream.makeStream(of: String.self)
      // Long after it was sealed, but the process may have died just now.
      let second = try await world.open(
        { settings in
          settings.settleTime = .milliseconds(5)
          settings.clock = ManualClock()
          settings.observer = Reactions { event in
            if case .failed(let error, _) = event { continuation.yield(error.code.rawValue) }
            if case .started = event { continuation.yield("started") }
          }
        }, now: { day.addingTimeInterval(60) })
      #expect(await events.first { _ in true } == "inventory.settling")
      clock.advance(by: .seconds(60))
      _ = try await second.wait(for: id) { $0.sync == .synced }
      try await second.drained()
      #expect(await world.upstream.store.ledger.applied.map(\.applied) == [1])
      await second.shutDown()
    }
  }

  @Test func `old answers and finished work are forgotten while the app runs`() async throws {
    let clock = ManualClock()
    let time = Locked(Date(timeIntervalSince1970: 1_767_323_045))
    try await inWorld { world in
      let inventory = try await world.open(
        { settings in
          settings.clock = clock
          settings.pullInterval = .milliseconds(1)
        }, now: { time.withLock(\.self) })
      let id = try await inventory.add(ItemDraft(title: "Lamp")).item.id
      try await inventory.drained()
      let file = try world.database()
      func kept() async throws -> Int? {
        try await file.read { db in
          try Int.fetchOne(
            db, sql: "SELECT (SELECT count(*) FROM answer) + (SELECT count(*) FROM work)")
        }
      }
      #expect(try await kept() == 2)
      time.withLock { $0 += 31 * 86_400 }
      clock.advance(by: .seconds(86_400))
      while try await kept() != 0, !Task.isCancelled { await Task.yield() }
      #expect(try await inventory.store.item(id).sync == .synced)
      await inventory.shutDown()
    }
  }

  @Test func `an address that is none is named`() async throws {
    for text in ["ftp://x", "http://", "here", "file:///tmp", "http://127.0.0.1:70000"] {
      let address = try #require(URL(string: text))
      let folder = FileManager.default.temporaryDirectory
      let error = await #expect(throws: InventoryError.self) {
        try await Inventory(data: folder, upstream: address)
      }
      #expect(error?.code == .address && error?.path == text)
    }
  }

  @Test func `a folder that cannot be used is named`() async throws {
    try await inWorld { world in
      let file = world.folder
      try Data("not a folder".utf8).write(to: file)
      let error = await #expect(throws: InventoryError.self) {
        try await Inventory(data: file, upstream: world.origin)
      }
      #expect(error?.code == .unavailable)
      #expect(error?.appError.message.description.contains(file.path) == true)
    }
  }

  @Test func `a file of a newer version is left alone`() async throws {
    try await inWorld { world in
      let first = try await world.open()
      await first.shutDown()
      try await world.database().write { db in
        try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('inventory.99')")
      }
      let error = await #expect(throws: InventoryError.self) {
        try await Inventory(data: world.folder, upstream: world.origin)
      }
      #expect(error?.code == .newerFormat)
    }
  }
}

/// Does something about each event of an outbox.
struct Reactions: OutboxObserver {
  let react: @Sendable (OutboxEvent.What) -> Void

  func observe(_ event: OutboxEvent) { react(event.what) }
}

/// Writes down what happens in an outbox.
struct Notes: OutboxObserver {
  let log: Log

  func observe(_ event: OutboxEvent) {
    log.add(String(describing: event.what).prefix { $0 != "(" }.description)
  }
}
