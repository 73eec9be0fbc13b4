// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// Several owners of one file, such as an app and its extension.
@Suite(.requirement("O7"), .ends(withinMinutes: 5)) struct SharedFileTests {
  @Test func `what one enqueues another one runs, soon and by itself`() async throws {
    var shop = try Workshop()
    let runs = Box<[String]>([])
    let app = try await shop.open(shop.worker { note, _ in runs.change { $0.append(note.text) } })
    shop.configuration.startsPaused = true
    let other = try await shop.open()
    try await other.enqueue(Note(text: "a"))
    // The clock of the outbox stands still: it is the file that tells.
    await app.wait { $0.pending == 0 && !runs.value.isEmpty }
    #expect(runs.value == ["a"])
    await other.wait { $0.pending == 0 }
    await other.shutDown()
    await app.shutDown()
  }

  @Test func `what one cancels ends where another one runs it`() async throws {
    var shop = try Workshop()
    let app = try await shop.open(shop.worker { _, _ in try await untilCancelled() })
    shop.configuration.startsPaused = true
    let other = try await shop.open()
    let id = try await other.enqueue(Note(text: "a"))
    await shop.log.wait(for: "started")
    #expect(try await other.cancel(id) == .stopping)
    await other.wait { $0.pending == 0 }
    #expect(try await other.ledger().count(.cancelled) == 1)
    await other.shutDown()
    await app.shutDown()
  }

  /// Begins what is there, and dies.
  private func lose(_ shop: Workshop) async throws {
    let store = SQLiteStore(at: shop.folder.database)
    _ = try await store.open()
    #expect(try await store.claim().count == 1)
    store.abandon()
  }

  @Test func `who gives up what other processes have lost too often says so`() async throws {
    let shop = try Workshop()
    // It runs nothing itself.
    let app = try await shop.open()
    let id = try await app.enqueue(Note(text: "pill"))
    for _ in 0..<3 { try await lose(shop) }
    let other = try await app.enqueue(Note(text: "b"))
    await shop.log.wait(for: "gaveUp")
    await app.shutDown()
    try expectOneGivenUp(id, shop.log)
    let next = try await shop.open()
    #expect(try await next.operations().map(\.id) == [other])
    #expect(try await next.deadLetters().map(\.id) == [id])
    await next.shutDown()
    try expectOneGivenUp(id, shop.log)
  }

  @Test func `what is given up when the file is opened is told, too`() async throws {
    let shop = try Workshop()
    let first = try await shop.open()
    let id = try await first.enqueue(Note(text: "pill"))
    await first.shutDown()
    for _ in 0..<3 { try await lose(shop) }
    let app = try await shop.open()
    #expect(app.opening.quarantined == 1)
    await shop.log.wait(for: "gaveUp")
    await app.shutDown()
    try expectOneGivenUp(id, shop.log)
  }

  private func expectOneGivenUp(_ id: OperationID, _ log: EventLog) throws {
    let events = log.events.filter { $0.name == "gaveUp" }
    #expect(events.count == 1)
    let event = try #require(events.first)
    #expect(event.id == id && event.kind == Note.kind)
    guard case .gaveUp(.crashed, nil) = event.what else {
      Issue.record("\(event.what)")
      return
    }
  }

  @Test(
    .requirement("O31"),
    arguments: [
      ("3.9.2", true), ("3.51.2", true), ("3.51.3", false), ("3.100.0", false), ("4.0", false),
    ])
  func `whoever joins others is warned of a SQLite that may damage the file`(
    version: String, isOld: Bool
  ) async throws {
    let shop = try Workshop()
    try await SQLiteLibrary.$pretendedVersion.withValue(version) {
      let app = try await shop.open()
      #expect(app.opening.warnings.isEmpty, "nobody else is there")
      let other = try await shop.open()
      #expect(other.opening.warnings == (isOld ? [.sharedByOldSQLite] : []))
      await other.shutDown()
      await app.shutDown()
      // As a process that has died: it shares nothing any more.
      let dead = SQLiteStore(at: shop.folder.database)
      #expect(try await dead.open().warnings.isEmpty)
      dead.abandon()
      let next = try await shop.open()
      #expect(next.opening.warnings.isEmpty)
      await next.shutDown()
    }
  }

  @Test func `what waits for a constraint of one runs in another, where it holds`() async throws {
    var shop = try Workshop()
    let runs = Box<[String]>([])
    let worker = shop.worker { note, _ in runs.change { $0.append(note.text) } }
    shop.configuration.startsPaused = true
    let app = try await shop.open(worker)
    (shop.configuration.startsPaused, shop.configuration.unmetConstraints) =
      (false, ["signed-in:ann"])
    let other = try await shop.open(worker)
    let id = try await other.enqueue(
      Note(text: "a"), options: EnqueueOptions(constraints: ["signed-in:ann"]))
    await other.wait { $0.waiting == 1 }
    #expect(try await app.explain(id)?.obstacles == [.paused])
    // Nobody tells the app that anything holds: it always did there.
    await app.resume()
    await app.wait { $0.pending == 0 }
    #expect(runs.value == ["a"])
    await other.shutDown()
    await app.shutDown()
  }
}
