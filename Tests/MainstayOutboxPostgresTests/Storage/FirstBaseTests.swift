// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import PostgresTestSupport
import TestSupport
import Testing

private struct Item: Codable, Sendable, Equatable {
  var title = "A"
  var price = 1
}

private struct SaveItem: MergingOperation {
  static let kind: OperationKind = "save-item"
  static let mergePolicy = MergePolicy<Item>([
    .field("title", \.title), .field("price", \.price),
  ])
  var base: VersionedState<Item>
  var local: RecordState<Item>

  init(_ base: Item, to local: Item) {
    self.base = VersionedState(.present(base), version: "0")
    self.local = .present(local)
  }
}

/// Changes of a record that are enqueued from elsewhere, behind one that has left without effect.
@Suite(.requirement("C21"), .ends(withinMinutes: 10)) struct FirstBaseTests {
  enum Door: String, CaseIterable {
    case function, statement
  }

  /// The transactions that they are enqueued in; nil for one each.
  private static let beginnings = [nil, "BEGIN", "BEGIN ISOLATION LEVEL REPEATABLE READ"]

  private func enqueue(
    _ operation: SaveItem, by door: Door, _ place: Place
  ) async throws -> OperationID {
    let rows: PostgresRows
    switch door {
    case .function:
      let texts = [
        String(decoding: try JSONEncoder().encode(operation), as: UTF8.self),
        String(decoding: try JSONEncoder().encode(operation.base), as: UTF8.self),
      ]
      rows = try await place.query(
        """
        SELECT @.enqueue('save-item', $1::jsonb, ordering_key => 'item', base => $2::jsonb)
        """, texts.map { .text($0) })
    case .statement:
      let statement = try PostgresEnqueue(
        operation, options: EnqueueOptions(orderedBy: "item"), schema: place.schema)
      rows = try await place.connection.query(
        statement.text, statement.parameters.map { .text($0) })
    }
    let id = try #require(try rows.first?.text(0))
    return OperationID(try #require(UUID(uuidString: id)))
  }

  @Test(arguments: Door.allCases, beginnings)
  func `nothing of a change that left without effect is sent by the one behind it`(
    _ door: Door, _ beginning: String?
  ) async throws {
    let place = try await Place()
    let sent = Locked<[Item?]>([])
    var configuration = Outbox.Configuration()
    configuration.startsPaused = true
    let outbox = try await Outbox(store: place.store(), configuration: configuration) {
      Worker(for: SaveItem.self) { _, change, _ in
        sent.withLock { $0.append(change.state.record) }
        return "1"
      }
    }
    let dear = Item(price: 99)
    if let beginning { try await place.query(beginning) }
    let first = try await enqueue(SaveItem(Item(), to: dear), by: door, place)
    _ = try await enqueue(SaveItem(dear, to: Item(title: "B", price: 99)), by: door, place)
    if beginning != nil { try await place.query("COMMIT") }
    #expect(try await outbox.cancel(first) == .cancelled)
    await outbox.resume()
    for await snapshot in outbox.changes where snapshot.pending == 0 { break }
    await outbox.shutDown()
    #expect(sent.withLock { $0 } == [Item(title: "B")])
    #expect(try await place.query("SELECT 1 FROM @.latest").isEmpty, "it goes with the last one")
  }

  @Test func `what a later change began with is left to nobody, nor is that of what has gone`()
    async throws
  {
    let place = try await Place()
    let store = try await place.opened()
    try await place.query("BEGIN")
    try await place.query("SELECT @.enqueue('note', '{}', ordering_key => 'item')")
    _ = try await enqueue(SaveItem(Item(), to: Item(price: 2)), by: .function, place)
    try await place.query("COMMIT")
    _ = try await enqueue(SaveItem(Item(), to: Item(price: 3)), by: .statement, place)
    try await place.query("BEGIN")
    try await place.query(
      """
      SELECT @.cancel(
        @.enqueue('note', '{}', ordering_key => 'gone', base => '{"state": "deleted"}'), true, NULL)
      """)
    try await place.query("COMMIT")
    try await place.query(
      """
      SELECT @.enqueue('note', '{}', ordering_key => 'unknown', base => '{"state": "missing"}')
      """)
    #expect(try await place.query("SELECT 1 FROM @.latest").isEmpty)
    for base in ["null", "[1]", "{\"version\": \"7\"}"] {
      let error = await #expect(throws: PostgresError.self) {
        try await place.query("SELECT @.enqueue('note', '{}', base => $1::jsonb)", [.text(base)])
      }
      #expect(error?.sqlState == "22023")
    }
    await store.close()
  }
}
