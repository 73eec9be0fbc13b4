// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What comes again under its idempotency key is known, though it is written in another order.
@Suite(.requirement("C13"), .ends(withinMinutes: 5)) struct OutboxRepetitionTests {
  private struct Tagged: QueuedOperation, Equatable {
    static let kind: OperationKind = "tagged"
    var tags: Set<String>
  }

  /// Two of them are equal where their names are.
  private struct Loose: QueuedOperation, Equatable {
    static let kind: OperationKind = "loose"
    var name: String
    var text: String

    static func == (left: Loose, right: Loose) -> Bool { left.name == right.name }
  }

  private let tagged = Tagged(tags: ["a", "b", "c", "d"])
  private let shop: Workshop

  init() throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    self.shop = shop
  }

  private var workers: [Worker] {
    [Worker(for: Tagged.self) { _, _ in }, Worker(for: Loose.self) { _, _ in }]
  }

  private func open() async throws -> Outbox {
    try await Outbox(at: shop.folder.database, configuration: shop.configuration) { workers }
  }

  /// The bytes of another process, which has the tags in another order.
  private static func permute(_ db: Database) throws {
    let written = try #require(try Data.fetchOne(db, sql: "SELECT payload FROM mainstay_op"))
    for tags in [#"["a","b","c","d"]"#, #"["d","c","b","a"]"#] {
      let other = Data(#"{"tags":\#(tags)}"#.utf8)
      guard other != written else { continue }
      try db.execute(sql: "UPDATE mainstay_op SET payload = ?", arguments: [other])
    }
  }

  @Test func `a set in another order is the same payload, also after a relaunch`() async throws {
    let options = EnqueueOptions(idempotencyKey: IdempotencyKey())
    let first = try await open()
    let id = try await first.enqueue(tagged, options: options)
    await first.shutDown()
    try await DatabaseQueue(patientAt: shop.folder.database).write { try Self.permute($0) }
    let second = try await open()
    #expect(try await second.enqueue(tagged, options: options) == id)
    let ids = try await second.enqueue(contentsOf: [tagged, Tagged(tags: []), tagged]) {
      $0 == tagged ? options : EnqueueOptions()
    }
    #expect(ids.first == id && ids.last == id && Set(ids).count == 2)
    #expect(try await second.snapshot().pending == 2)
    await #expect(throws: OutboxError(.keyReused, details: "")) {
      try await second.enqueue(Tagged(tags: ["a", "b", "c", "e"]), options: options)
    }
    await second.shutDown()
  }

  @Test func `a set in another order is the same payload in the database of an app`() async throws {
    let database = try DatabaseQueue(patientAt: shop.folder.database)
    let outbox = try await Outbox(in: database, configuration: shop.configuration) { workers }
    let options = EnqueueOptions(idempotencyKey: IdempotencyKey())
    try await database.write { db in
      let first = try outbox.enqueue(tagged, options: options, in: db)
      try Self.permute(db)
      #expect(try outbox.enqueue(tagged, options: options, in: db).id == first.id)
    }
    await outbox.shutDown()
  }

  @Test func `what an operation leaves out of its equality makes another payload`() async throws {
    let options = EnqueueOptions(idempotencyKey: IdempotencyKey())
    let outbox = try await open()
    try await outbox.enqueue(Loose(name: "a", text: "one"), options: options)
    await #expect(throws: OutboxError(.keyReused, details: "")) {
      try await outbox.enqueue(Loose(name: "a", text: "two"), options: options)
    }
    await outbox.shutDown()
  }
}
