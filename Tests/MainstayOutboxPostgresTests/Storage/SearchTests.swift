// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

private struct Note: QueuedOperation {
  static let kind: OperationKind = "note"
  var text: String
}

/// What operators look for in a database.
@Suite(.ends(withinMinutes: 10)) struct SearchTests {
  @Test func `operations and dead letters are counted and found`() async throws {
    let place = try await Place()
    let outbox = try await Outbox(store: place.store()) {
      Worker(for: Note.self) { note, _ in
        throw AppError(
          code: "test.refused", kind: .validation, disposition: .permanent, title: "Refused",
          message: LocalizableText(verbatim: "100% of \(note.text) is refused"))
      }
    }
    for number in 0..<6 {
      var options = EnqueueOptions(orderedBy: "Customer \(number)")
      options.lane = number == 4 ? "express" : nil
      if number % 2 == 1 { options.delay = .seconds(3_600) }
      try await outbox.enqueue(Note(text: "\(number)"), options: options)
    }
    for await snapshot in outbox.changes where snapshot.dead == 3 { break }
    #expect(
      Set(try await outbox.tally()) == [
        OperationTally(kind: "note", lane: .main, state: nil, count: 2),
        OperationTally(kind: "note", lane: "express", state: nil, count: 1),
        OperationTally(kind: "note", lane: .main, state: .scheduled, count: 3),
      ])
    let id = try #require(try await outbox.deadLetters().last).id.description
    let looks: [(filter: OperationFilter, count: Int)] = [
      (OperationFilter(), 3), (OperationFilter(text: "customer 2"), 1),
      (OperationFilter(text: "OF 4 IS"), 1), (OperationFilter(text: "100% of"), 3),
      (OperationFilter(text: "0_"), 0), (OperationFilter(text: id), 1),
      (OperationFilter(text: "test.refused"), 3), (OperationFilter(lane: "express"), 1),
      (OperationFilter(kind: "errand"), 0), (OperationFilter(text: "a\0b"), 0),
    ]
    for (filter, count) in looks {
      let found = try await outbox.deadLetters(matching: filter, after: nil, limit: 10)
        .found
      #expect(found.count == count, "\(filter)")
      let ids = try await outbox.deadLetterIDs(matching: filter, limit: 10)
      #expect(ids == found.map(\.id), "\(filter)")
    }
    let waiting = OperationFilter(text: "customer 3", state: .scheduled)
    #expect(
      try await outbox.operations(matching: waiting, after: nil, limit: 10).found.count == 1)
    await outbox.pause()
    let ids = try await outbox.deadLetters().map(\.id)
    var counts: [Int] = []
    try await outbox.discard(contentsOf: [ids[0], OperationID(UUID())]) { counts.append($0) }
    try await outbox.redrive(contentsOf: Array(ids.dropFirst())) { counts.append($0) }
    #expect(counts == [1, 2])
    #expect(try await outbox.snapshot().dead == 0)
    #expect(try await outbox.ledger().isBalanced)
    await outbox.shutDown()
  }

  @Test func `the next page begins where the last one ended, though what stood there has gone`()
    async throws
  {
    let place = try await Place()
    let store = place.store()
    let outbox = try await Outbox(store: store) {
      Worker(for: Note.self) { _, _ in
        throw AppError(
          code: "test.refused", kind: .validation, disposition: .permanent, title: "Refused",
          message: "No.")
      }
    }
    try await outbox.enqueue(contentsOf: (0..<5).map { Note(text: "\($0)") })
    for await snapshot in outbox.changes where snapshot.dead == 5 { break }
    let later = try await outbox.enqueue(
      contentsOf: (0..<5).map { Note(text: "\($0)") }
    ) { _ in EnqueueOptions(delay: .seconds(3_600)) }
    #expect(later.count == 5)
    let all = OperationFilter()
    let letters = try await outbox.deadLetters().map(\.id)
    let some = try await outbox.deadLetters(matching: all, after: nil, limit: 2)
    try await outbox.discard(letters[1])
    let others = try await outbox.deadLetters(matching: all, after: some.next, limit: 3)
    #expect(others.found.map(\.id) == Array(letters[2...]))
    #expect(others.next == nil)
    let byID = try await outbox.deadLetters(
      matching: all, after: SearchPlace(id: letters[2]), limit: 1)
    #expect(byID.found.map(\.id) == [letters[3]])
    #expect(byID.next?.id == letters[3])
    let first = try await outbox.operations(matching: all, after: nil, limit: 2)
    _ = try await outbox.cancel(try #require(first.found.last).id)
    let second = try await outbox.operations(matching: all, after: first.next, limit: 10)
    #expect(second.found.count == 3)
    #expect(Set(first.found.map(\.id)).isDisjoint(with: second.found.map(\.id)))
    var met: [OperationID] = []
    try await store.eachLetter(pages: 2) { letter in
      met.append(letter.id)
      if met.count == 2 { try await outbox.discard(letter.id) }
      return true
    }
    #expect(met == [letters[0]] + letters[2...])
    await outbox.shutDown()
  }

  @Test func `letters beyond ASCII are found in capitals or not where the database knows them`()
    async throws
  {
    let server = try await PostgresServer.common()
    let name = try await server.databaseName(characters: "C.UTF-8")
    let place = try await Place(at: server.address(name))
    let store = try await place.opened()
    let id = try await store.insert(.note("a", orderedBy: "ÄRGER"))
    let leased = try #require(try await store.claim(1).first)
    let failure = FailureNote(code: "test.no", message: "Überschreitung der Größe")
    let verdict = OperationVerdict(.dead(.refused, followers: .goOn), failure: failure)
    #expect(try await store.settle(leased.lease, verdict))
    for text in ["Über", "über", "ÜBERSCHREITUNG DER GRÖßE", "Ärger", "ÄRGER"] {
      let found = try await store.deadLetterIDs(
        matching: OperationFilter(text: text), limit: 10)
      #expect(found == [id], "\(text)")
    }
    let unknown = OperationFilter(text: "ärger")
    #expect(try await store.deadLetterIDs(matching: unknown, limit: 10).isEmpty, "a key is bytes")
    await store.close()
  }
}
