// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// What operators look for, in stores that search by themselves and in one that does not.
@Suite(.ends(withinMinutes: 2)) struct OutboxSearchTests {
  enum Kind: String, CaseIterable, Sendable {
    case memory, sqlite, foreign
  }

  /// A store of somebody else, which knows nothing of searching.
  private struct ForeignStore: ForwardingStore {
    let store: any OutboxStore
  }

  private struct Errand: QueuedOperation {
    static let kind: OperationKind = "errand"
    var text: String
  }

  /// Six notes of which every second one is refused, and 1,100 errands that wait.
  private func filled(_ kind: Kind, _ folder: TemporaryFolder) async throws -> Outbox {
    let store: any OutboxStore =
      switch kind {
      case .memory: InMemoryStore()
      case .sqlite: SQLiteStore(at: folder.database)
      case .foreign: ForeignStore(store: InMemoryStore())
      }
    return try await filled(store)
  }

  private func filled(_ store: any OutboxStore) async throws -> Outbox {
    let outbox = try await Self.opened(store)
    for number in 0..<6 {
      var options = EnqueueOptions(orderedBy: "Customer \(number)")
      options.lane = number == 4 ? "express" : nil
      if number % 2 == 1 { options.delay = .seconds(3_600) }
      try await outbox.enqueue(Note(text: "\(number)"), options: options)
    }
    try await outbox.enqueue(contentsOf: (0..<1_100).map { Errand(text: "\($0)") }) { _ in
      EnqueueOptions(delay: .seconds(3_600))
    }
    for await snapshot in outbox.changes where snapshot.dead == 3 { break }
    return outbox
  }

  private static func opened(_ store: some OutboxStore) async throws -> Outbox {
    try await Outbox(store: store) {
      Worker(for: Note.self) { note, _ in
        throw AppError(
          code: "test.refused", kind: .validation, disposition: .permanent, title: "Refused",
          message: LocalizableText(verbatim: "100% of \(note.text) is refused"))
      }
      Worker(for: Errand.self) { _, _ in }
    }
  }

  @Test(arguments: Kind.allCases)
  func `operations are counted by kind, lane and state`(kind: Kind) async throws {
    let folder = try TemporaryFolder()
    let outbox = try await filled(kind, folder)
    #expect(
      Set(try await outbox.tally()) == [
        OperationTally(kind: "note", lane: .main, state: nil, count: 2),
        OperationTally(kind: "note", lane: "express", state: nil, count: 1),
        OperationTally(kind: "note", lane: .main, state: .scheduled, count: 3),
        OperationTally(kind: "errand", lane: .main, state: .scheduled, count: 1_100),
      ])
    await outbox.shutDown()
  }

  @Test(arguments: Kind.allCases)
  func `dead letters are found by all that is known of them`(kind: Kind) async throws {
    let folder = try TemporaryFolder()
    let outbox = try await filled(kind, folder)
    let all = try await outbox.deadLetters()
    let id = try #require(all.last).id.description
    let looks: [(filter: OperationFilter, count: Int)] = [
      (OperationFilter(), 3), (OperationFilter(text: "customer 2"), 1),
      (OperationFilter(text: "OF 4 IS"), 1), (OperationFilter(text: "100% of"), 3),
      (OperationFilter(text: "0_"), 0), (OperationFilter(text: "%of%"), 0),
      (OperationFilter(text: id), 1), (OperationFilter(text: String(id.suffix(10))), 1),
      (OperationFilter(text: "test.refused"), 3), (OperationFilter(text: "express"), 1),
      (OperationFilter(kind: "note"), 3), (OperationFilter(kind: "errand"), 0),
      (OperationFilter(lane: "express"), 1), (OperationFilter(lane: "main", state: .ready), 2),
      (OperationFilter(text: "customer 0", lane: "express"), 0),
    ]
    for (filter, count) in looks {
      let found = try await outbox.deadLetters(matching: filter, after: nil, limit: 10)
        .found
      #expect(found.count == count, "\(kind) \(filter)")
      let ids = try await outbox.deadLetterIDs(matching: filter, limit: 10)
      #expect(ids == found.map(\.id), "\(kind) \(filter)")
    }
    let second = try await outbox.deadLetters(
      matching: OperationFilter(), after: SearchPlace(id: all[0].id), limit: 1)
    #expect(second.found.map(\.id) == [all[1].id])
    #expect(try await outbox.deadLetterIDs(matching: OperationFilter(), limit: 2).count == 2)
    await outbox.shutDown()
  }

  @Test(arguments: Kind.allCases)
  func `letters beyond ASCII are found in capitals or not`(kind: Kind) async throws {
    let folder = try TemporaryFolder()
    let outbox = try await filled(kind, folder)
    try await outbox.enqueue(Note(text: "Überschreitung"), orderedBy: "ÄRGER")
    for await snapshot in outbox.changes where snapshot.dead == 4 { break }
    let last = try await outbox.deadLetters().map(\.id).suffix(1)
    for text in ["Über", "über", "ÜBERSCHREITUNG", "Ärger", "ärger"] {
      let ids = try await outbox.deadLetterIDs(matching: OperationFilter(text: text), limit: 10)
      #expect(ids == Array(last), "\(kind) \(text)")
    }
    #expect(
      try await outbox.deadLetterIDs(matching: OperationFilter(text: "öber"), limit: 10).isEmpty)
    await outbox.shutDown()
  }

  @Test(arguments: Kind.allCases)
  func `dead letters are decided on together`(kind: Kind) async throws {
    let folder = try TemporaryFolder()
    let outbox = try await filled(kind, folder)
    await outbox.pause()
    let ids = try await outbox.deadLetters().map(\.id)
    var counts: [Int] = []
    let strangers = (0..<300).map { _ in OperationID(UUID()) }
    try await outbox.discard(contentsOf: [ids[0]] + strangers) { counts.append($0) }
    #expect(counts == [1, 0])
    try await outbox.redrive(contentsOf: Array(ids.dropFirst())) { counts.append($0) }
    #expect(counts == [1, 0, 2])
    #expect(try await outbox.snapshot().dead == 0)
    #expect(try await outbox.ledger().count(.discarded) == 1)
    #expect(try await outbox.ledger().isBalanced)
    await outbox.shutDown()
  }

  @Test(arguments: Kind.allCases)
  func `operations are found in pages`(kind: Kind) async throws {
    let folder = try TemporaryFolder()
    let outbox = try await filled(kind, folder)
    let errands = OperationFilter(kind: "errand", state: .scheduled)
    let first = try await outbox.operations(matching: errands, after: nil, limit: 1_000)
    let next: SearchPlace = try #require(first.next)
    let rest = try await outbox.operations(matching: errands, after: next, limit: 1_000)
    #expect((first.found.count, rest.found.count) == (1_000, 100))
    #expect(rest.next == nil)
    #expect(Set((first.found + rest.found).map(\.id)).count == 1_100)
    let none = OperationFilter(kind: "errand", state: .ready)
    #expect(try await outbox.operations(matching: none, after: nil, limit: 10).found.isEmpty)
    let customer = OperationFilter(text: "customer 3")
    #expect(
      try await outbox.operations(matching: customer, after: nil, limit: 10).found.count == 1)
    await outbox.shutDown()
  }

  @Test(arguments: [Kind.memory, .sqlite])
  func `the next page begins where the last one ended, though what stood there has gone`(
    kind: Kind
  ) async throws {
    let folder = try TemporaryFolder()
    let outbox = try await filled(kind, folder)
    let all = OperationFilter()
    let letters = try await outbox.deadLetters().map(\.id)
    let some = try await outbox.deadLetters(matching: all, after: nil, limit: 2)
    try await outbox.discard(letters[1])
    let others = try await outbox.deadLetters(matching: all, after: some.next, limit: 2)
    #expect(others.found.map(\.id) == [letters[2]])
    #expect(others.next == nil)
    let errands = OperationFilter(kind: "errand")
    let first = try await outbox.operations(matching: errands, after: nil, limit: 50)
    _ = try await outbox.cancel(try #require(first.found.last).id)
    let second = try await outbox.operations(matching: errands, after: first.next, limit: 2_000)
    #expect(second.found.count == 1_050)
    #expect(Set(first.found.map(\.id)).isDisjoint(with: second.found.map(\.id)))
    await outbox.shutDown()
  }

  @Test(arguments: [Kind.memory, .sqlite])
  func `who goes through all of them meets none twice, though the last of a page has gone`(
    kind: Kind
  ) async throws {
    let folder = try TemporaryFolder()
    let store: any OutboxStore & OperationSearch =
      kind == .memory ? InMemoryStore() : SQLiteStore(at: folder.database)
    let outbox = try await filled(store)
    let letters = try await outbox.deadLetters().map(\.id)
    var met: [OperationID] = []
    try await store.eachLetter(pages: 2) { letter in
      met.append(letter.id)
      if met.count == 2 { try await outbox.discard(letter.id) }
      return true
    }
    #expect(met == letters)
    met = []
    try await store.eachOperation { operation in
      met.append(operation.id)
      if met.count == 500 { _ = try await outbox.cancel(operation.id) }
      return true
    }
    #expect((met.count, Set(met).count) == (1_103, 1_103))
    await outbox.shutDown()
  }
}
