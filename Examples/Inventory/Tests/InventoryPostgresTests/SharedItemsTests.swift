// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryPostgres
import Mainstay
import MainstayOutboxPostgres
import PostgresTestSupport
import TestSupport
import Testing

/// The statements of the items on PostgreSQL: each of them is run.
@Suite(.ends(withinMinutes: 10)) struct SharedItemsTests {
  /// A database whose sessions may take as long to open as a busy machine needs.
  private func database() async throws -> PostgresAddress {
    let server = try await PostgresServer.common()
    return try PostgresAddress(
      server.text(try await server.databaseName()) + "?connect_timeout=300")
  }

  /// Two inventories on one database, whose service is away.
  private func sharing(_ body: (Inventory, Inventory) async throws -> Void) async throws {
    try await sharing(try await database(), ["a", "b"]) {
      try await body($0[0], $0[1])
    }
  }

  /// Inventories on a database, one opened after the other.
  private func sharing(
    _ address: PostgresAddress, _ names: [String], _ body: ([Inventory]) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "inventory-items-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let nobody = try #require(URL(string: "http://127.0.0.1:1"))
    var settings = Inventory.Settings()
    settings.pullInterval = nil
    var all: [Inventory] = []
    for name in names {
      let inventory = try await Inventory(
        data: folder.appending(path: name), upstream: nobody,
        shared: try await .postgres(address), settings: settings)
      try await inventory.start()
      all.append(inventory)
    }
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(all)) } catch { outcome = .failure(error) }
    for inventory in all { await inventory.shutDown() }
    try outcome.get()
  }

  @Test func `what one does the other one finds, pages and words included`() async throws {
    try await sharing { a, b in
      var ids: [UUID] = []
      for number in 0..<5 {
        let inventory = number % 2 == 0 ? a : b
        let draft = try ItemDraft(title: "Lamp \(number)", location: "Attic")
        ids.append(try await inventory.add(draft).item.id)
      }
      let page = try await b.store.items(query: "LAMP attic", limit: 3)
      #expect(page.items.map(\.title) == ["Lamp 4", "Lamp 3", "Lamp 2"])
      let rest = try await a.store.items(query: "lamp", limit: 3, after: page.next)
      #expect(rest.items.count == 2 && rest.next == nil)
      #expect(try await a.store.items(query: "nothing").items.isEmpty)
      _ = try await b.edit(ids[0], ItemPatch(["title": .string("Zero")]), ifVersion: 1)
      #expect(try await a.store.item(ids[0]).version == 2)
      _ = try await a.delete(ids[1])
      await #expect(throws: AppError.self) { try await b.store.item(ids[1]) }
      let status = try await b.status()
      #expect(status.ledger.balanced)
      try await eventually { try await a.status().outbox.pending == 7 }
    }
  }

  @Test func `the same key gets the same answer from either`() async throws {
    try await sharing { a, b in
      let key = IdempotencyKey()
      let first = try await a.add(try ItemDraft(title: "Lamp"), key: key)
      let again = try await b.add(try ItemDraft(title: "Lamp"), key: key)
      #expect(again.isReplay && again.item.id == first.item.id)
      await #expect(throws: AppError.self) { try await b.add(try ItemDraft(title: "X"), key: key) }
      #expect(try await a.store.items().items.count == 1)
    }
  }

  @Test func `a stale change is refused by either, and photos are kept`() async throws {
    try await sharing { a, b in
      let id = try await a.add(try ItemDraft(title: "Lamp")).item.id
      _ = try await a.edit(id, ItemPatch(["title": .string("Red lamp")]), ifVersion: 1)
      let error = await #expect(throws: AppError.self) {
        _ = try await b.edit(id, ItemPatch(["title": .string("Green lamp")]), ifVersion: 1)
      }
      #expect(error?.code == "inventory.stale")
      let photo = Data([0xff, 0xd8, 0xff]) + Data(repeating: 0, count: 1_000)
      _ = try await b.setPhoto(photo, of: id)
      #expect(try await a.store.photo(of: id)?.bytes == photo)
      #expect(try await a.store.photoNumbers(of: [id]).count == 1)
      #expect(try await a.store.photoNumbers(of: []).isEmpty)
    }
  }

  @Test func `who joins others learns what was given up while nobody said so`() async throws {
    let address = try await database()
    try await sharing(address, ["a"]) { first in
      let id = try await first[0].add(try ItemDraft(title: "Lamp")).item.id
      try await giveUp(address)
      #expect(try await first[0].store.item(id).sync != .rejected)
      try await sharing(address, ["b"]) { second in
        let item = try await second[0].store.item(id)
        #expect(item.sync == .rejected)
      }
    }
  }

  @Test func `what others changed meanwhile is taken over when the work has ended`() async throws {
    let address = try await database()
    try await sharing(address, ["a"]) { all in
      let inventory = all[0]
      let id = try await inventory.add(try ItemDraft(title: "Lamp")).item.id
      for (version, title) in [(3, "Bright lamp"), (2, "Dim lamp")] {
        let changes = """
          {"next": "x.\(version)", "more": false, "twins": [
            {"id": "\(id.text)", "version": \(version), "title": "\(title)"}]}
          """
        let read = try JSONDecoder().decode(TwinChanges.self, from: Data(changes.utf8))
        #expect(try await inventory.store.take(read).isEmpty, "it has work of its own")
      }
      #expect(try await inventory.store.item(id).title == "Lamp")
      // The queue has it by then.
      _ = try await inventory.status()
      try await giveUp(address)
      let letter = try #require(try await inventory.deadLetters().first)
      try await inventory.discard(letter.id)
      #expect(try await inventory.store.item(id).title == "Bright lamp")
    }
  }

  /// Gives up what is queued, and tells nobody.
  private func giveUp(_ address: PostgresAddress) async throws {
    let connection = try await PostgresConnection.open(
      address, settings: .init(statement: .patience, lock: .patience, grace: .patience))
    var count = 0
    while count == 0 {
      count = try await connection.query(
        """
        SELECT mainstay.bury(id, 'crashed', 'holdKey', true, mainstay.clock()) FROM mainstay.op
        WHERE state <> 'leased'
        """
      ).count
    }
    connection.close()
  }

  @Test func `a database of an older format grows, and one of a newer is left alone`() async throws
  {
    let address = try await database()
    let first = try await PostgresItems(address)
    first.close()
    let server = try await PostgresConnection.open(
      address, settings: .init(statement: .patience, lock: .patience, grace: .patience))
    try await server.script(
      "DROP TABLE inventory.missed; UPDATE inventory.meta SET value = '1' WHERE key = 'format'")
    let second = try await PostgresItems(address)
    second.close()
    #expect(try await server.query("SELECT * FROM inventory.missed").isEmpty)
    try await server.script("UPDATE inventory.meta SET value = '99' WHERE key = 'format'")
    let error = await #expect(throws: InventoryError.self) { try await PostgresItems(address) }
    #expect(error?.code == .newerFormat)
    server.close()
  }

  @Test func `who is here is known again after its session has ended, and not when it has left`()
    async throws
  {
    let address = try await database()
    let server = try await PostgresConnection.open(
      address, settings: .init(statement: .patience, lock: .patience, grace: .patience))
    /// The sessions that hold the lock of those who are here.
    func present() async throws -> [Int64] {
      try await server.query(
        """
        SELECT l.pid FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
        WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.objid = 1 AND l.granted
          AND l.classid = hashtext('inventory')::oid AND d.datname = current_database()
        """
      ).map { try $0.int(0) }
    }
    let first = try await PostgresItems(address)
    try await first.settling { isFirst in #expect(isFirst) }
    for _ in 1...2 {
      let session = try #require(try await present().first)
      try await server.query("SELECT pg_terminate_backend($1::integer)", [.int(session)])
      try await eventually {
        let sessions = try await present()
        return !sessions.isEmpty && !sessions.contains(session)
      }
    }
    let second = try await PostgresItems(address)
    try await second.settling { isFirst in #expect(!isFirst, "the first one works") }
    first.close()
    second.close()
    try await eventually { try await present().isEmpty }
    let third = try await PostgresItems(address)
    try await third.settling { isFirst in #expect(isFirst, "both have left") }
    third.close()
    server.close()
  }

  @Test func `a page at one hears of a change at the other`() async throws {
    try await sharing { a, b in
      let events = a.events()
      // Until its listener is there, nobody is told; each change is another chance.
      let changing = Task {
        var number = 0
        while !Task.isCancelled {
          number += 1
          _ = try await b.add(try ItemDraft(title: "Lamp \(number)"))
        }
      }
      for await event in events where event.name == .item { break }
      changing.cancel()
      _ = await changing.result
    }
  }
}
