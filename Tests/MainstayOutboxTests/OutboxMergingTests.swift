// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

private struct Card: Codable, Sendable, Equatable {
  var title = "t"
  var shelf = "s"
  var count = 0
}

private struct SaveCard: MergingOperation {
  static let kind: OperationKind = "save-card"
  static let mergePolicy = MergePolicy<Card>([
    .field("title", \.title), .field("shelf", \.shelf),
    .field("count", \.count, .counter(in: -1000...1000)),
  ])
  var base: VersionedState<Card>
  var local: RecordState<Card>
}

/// The other side: one card that others change too.
private final class CardServer: Sendable {
  private struct State {
    var card: RecordState<Card> = .present(Card())
    var version = 1
    var keys: [String] = []
    var intruder: (@Sendable (inout Card) -> Void)?
  }

  private let state = Box(State())

  var card: Card? { state.value.card.record }
  var version: String { "\(state.value.version)" }
  var keys: [String] { state.value.keys }
  var present: VersionedState<Card> { VersionedState(state.value.card, version: version) }

  /// Somebody else changes the card.
  func change(_ body: @Sendable (inout Card) -> Void) {
    state.change { state in
      var card = state.card.record ?? Card()
      body(&card)
      state.card = .present(card)
      state.version += 1
    }
  }

  func delete() {
    state.change { state in
      state.card = .deleted
      state.version += 1
    }
  }

  /// Somebody else changes the card each time just before it is written.
  func beforeEachWrite(_ body: (@Sendable (inout Card) -> Void)?) {
    state.change { $0.intruder = body }
  }

  func put(_ change: RecordChange<Card>, key: IdempotencyKey) throws -> String {
    if let intruder = state.value.intruder { self.change(intruder) }
    let isTaken = state.change { state in
      state.keys.append(key.rawValue)
      guard change.precondition == "\(state.version)" else { return false }
      state.card = change.state
      state.version += 1
      return true
    }
    guard isTaken else { throw try RemoteConflict(present) }
    return version
  }

  var worker: Worker {
    Worker(for: SaveCard.self, backoff: .constant(.seconds(1), jitter: .none)) {
      _, change, context in try self.put(change, key: context.idempotencyKey)
    }
  }
}

/// Changes of records that others change too.
@Suite(.requirement("C21"), .ends(withinMinutes: 5)) struct OutboxMergingTests {
  private let shop: Workshop
  private let server = CardServer()

  init() throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    self.shop = shop
  }

  private func save(_ change: (inout Card) -> Void, onto base: Card = Card()) -> SaveCard {
    var card = base
    change(&card)
    return SaveCard(
      base: VersionedState(.present(base), version: base == Card() ? "1" : nil),
      local: .present(card))
  }

  /// Runs what can run, and says what then waits.
  private func drain(_ outbox: Outbox) async throws -> OutboxSnapshot {
    await outbox.resume()
    await outbox.wait { $0.ready + $0.running + $0.blocked == 0 || $0.conflicted > 0 }
    return try await outbox.snapshot()
  }

  @Test func `a change goes out on condition of the version that it was made from`() async throws {
    let outbox = try await shop.open(server.worker)
    try await outbox.enqueue(save { $0.title = "mine" }, orderedBy: "card")
    #expect(try await drain(outbox).pending == 0)
    #expect(server.card?.title == "mine" && server.keys.count == 1)
    await outbox.shutDown()
  }

  @Test func `changes of other fields are put together, under another key`() async throws {
    let outbox = try await shop.open(server.worker)
    server.change { $0.shelf = "theirs" }
    try await outbox.enqueue(save { $0.title = "mine" }, orderedBy: "card")
    #expect(try await drain(outbox).pending == 0)
    #expect(server.card == Card(title: "mine", shelf: "theirs"))
    #expect(Set(server.keys).count == 2, "what is sent is another thing")
    await shop.log.wait(for: "succeeded")
    #expect(shop.log.count("merged") == 1 && shop.log.count("succeeded") == 1)
    await outbox.shutDown()
  }

  @Test func `later changes of the same record follow what became of the first`() async throws {
    let outbox = try await shop.open(server.worker)
    server.change { $0.shelf = "theirs" }
    let first = save { $0.title = "mine" }
    try await outbox.enqueue(first, orderedBy: "card")
    // Made from what this side had, without anything of the other side.
    var mine = Card(title: "mine")
    try await outbox.enqueue(save({ $0.count = 3 }, onto: mine), orderedBy: "card")
    mine.count = 3
    try await outbox.enqueue(save({ $0.title = "mine too" }, onto: mine), orderedBy: "card")
    #expect(try await drain(outbox).pending == 0)
    #expect(server.card == Card(title: "mine too", shelf: "theirs", count: 3))
    #expect(server.keys.count == 4, "only the first one met another version")
    await outbox.shutDown()
  }

  @Test func `what the other side has already is not sent again`() async throws {
    let outbox = try await shop.open(server.worker)
    server.change { $0.title = "same" }
    let id = try await outbox.enqueue(save { $0.title = "same" }, orderedBy: "card")
    #expect(try await drain(outbox).pending == 0)
    #expect(server.version == "2" && server.keys.count == 1)
    await shop.log.wait(for: "succeeded")
    #expect(shop.log.count("succeeded") == 1 && shop.log.count("merged") == 0)
    guard case .ended(.done, _, _) = try await outbox.handle(id, for: SaveCard.self).status()
    else {
      Issue.record("it is not done")
      return
    }
    await outbox.shutDown()
  }

  @Test func `a field that both changed is for a person, who may choose by field`() async throws {
    let outbox = try await shop.open(server.worker)
    server.change { ($0.title, $0.count) = ("theirs", 10) }
    let id = try await outbox.enqueue(
      save { ($0.title, $0.count, $0.shelf) = ("mine", 1, "mine") }, orderedBy: "card")
    #expect(try await drain(outbox).conflicted == 1)
    let conflict = try #require(try await outbox.conflict(id, of: SaveCard.self))
    #expect(conflict.fields == [FieldConflict(field: "title", cause: .bothChanged)])
    #expect(conflict.record == "card" && conflict.base == .present(Card()))
    #expect(conflict.remote == server.present)
    #expect(conflict.suggestion == .present(Card(title: "mine", shelf: "mine", count: 11)))
    #expect(
      try await outbox.resolve(
        id, of: SaveCard.self, conflict, choosing: ["title": .remote]))
    #expect(try await drain(outbox).pending == 0)
    #expect(server.card == Card(title: "theirs", shelf: "mine", count: 11))
    await outbox.shutDown()
  }

  @Test func `a conflict survives a restart, and its followers wait for it`() async throws {
    let first = try await shop.open(server.worker)
    server.change { $0.title = "theirs" }
    let id = try await first.enqueue(save { $0.title = "mine" }, orderedBy: "card")
    try await first.enqueue(
      save({ $0.count = 2 }, onto: Card(title: "mine")), orderedBy: "card")
    _ = try await drain(first)
    await first.shutDown()
    let second = try await shop.open(server.worker)
    let conflict = try #require(try await second.conflict(id, of: SaveCard.self))
    #expect(try await second.snapshot().blocked == 1)
    let decided = RecordState.present(Card(title: "ours"))
    #expect(try await second.resolve(id, of: SaveCard.self, conflict, with: decided))
    #expect(try await drain(second).pending == 0)
    // The second change was about the count only.
    #expect(server.card == Card(title: "ours", count: 2))
    await second.shutDown()
  }

  @Test func `a decision for the other side drops the change, and what follows goes on`()
    async throws
  {
    let outbox = try await shop.open(server.worker)
    server.change { $0.title = "theirs" }
    let id = try await outbox.enqueue(save { $0.title = "mine" }, orderedBy: "card")
    try await outbox.enqueue(
      save({ $0.count = 2 }, onto: Card(title: "mine")), orderedBy: "card")
    _ = try await drain(outbox)
    let conflict = try #require(try await outbox.conflict(id, of: SaveCard.self))
    #expect(
      try await outbox.resolve(id, of: SaveCard.self, conflict, with: conflict.remote.state))
    #expect(try await drain(outbox).pending == 0)
    #expect(server.card == Card(title: "theirs", count: 2))
    #expect(try await outbox.ledger().count(.dropped) == 1)
    await outbox.shutDown()
  }

  @Test func `a decision about something else than what is there is none`() async throws {
    let outbox = try await shop.open(server.worker)
    server.change { $0.title = "theirs" }
    let id = try await outbox.enqueue(save { $0.title = "mine" }, orderedBy: "card")
    _ = try await drain(outbox)
    let old = try #require(try await outbox.conflict(id, of: SaveCard.self))
    server.change { $0.title = "theirs again" }
    #expect(try await outbox.received(server.present, orderedBy: "card", for: SaveCard.self))
    #expect(
      try await outbox.resolve(id, of: SaveCard.self, old, choosing: ["title": .local]) == false)
    let new = try #require(try await outbox.conflict(id, of: SaveCard.self))
    #expect(new.remote == server.present && new.since == old.since)
    await outbox.shutDown()
  }

  @Test func `a conflict that goes with what is heard resolves itself`() async throws {
    let outbox = try await shop.open(server.worker)
    server.change { $0.title = "theirs" }
    try await outbox.enqueue(save { $0.title = "mine" }, orderedBy: "card")
    _ = try await drain(outbox)
    server.change { ($0.title, $0.shelf) = ("t", "theirs") }
    #expect(try await outbox.received(server.present, orderedBy: "card", for: SaveCard.self))
    #expect(try await drain(outbox).pending == 0)
    #expect(server.card == Card(title: "mine", shelf: "theirs"))
    await outbox.shutDown()
  }

  @Test func `what is heard before a change goes out saves a call`() async throws {
    let outbox = try await shop.open(server.worker)
    try await outbox.enqueue(save { $0.title = "mine" }, orderedBy: "card")
    server.change { $0.shelf = "theirs" }
    #expect(try await outbox.received(server.present, orderedBy: "card", for: SaveCard.self))
    #expect(
      try await outbox.received(server.present, orderedBy: "card", for: SaveCard.self) == false,
      "that is no news")
    #expect(try await outbox.received(server.present, orderedBy: "x", for: SaveCard.self) == false)
    let missing = VersionedState<Card>(.missing, version: nil)
    #expect(try await outbox.received(missing, orderedBy: "card", for: SaveCard.self) == false)
    #expect(try await drain(outbox).pending == 0)
    #expect(server.card == Card(title: "mine", shelf: "theirs") && server.keys.count == 1)
    await outbox.shutDown()
  }

  @Test func `whoever is always overtaken asks a person in the end`() async throws {
    let outbox = try await shop.open(server.worker)
    server.beforeEachWrite { $0.count += 1 }
    let id = try await outbox.enqueue(save { $0.title = "mine" }, orderedBy: "card")
    #expect(try await drain(outbox).conflicted == 1)
    #expect(server.keys.count == 6, "one and five more")
    let conflict = try #require(try await outbox.conflict(id, of: SaveCard.self))
    #expect(conflict.fields == [FieldConflict(field: "", cause: .tooManyMerges)])
    server.beforeEachWrite(nil)
    #expect(
      try await outbox.resolve(id, of: SaveCard.self, conflict, with: conflict.suggestion))
    #expect(try await drain(outbox).pending == 0)
    #expect(server.card == Card(title: "mine", count: 6))
    await outbox.shutDown()
  }

  @Test func `as it was it is sent again only where that asks the other side`() async throws {
    let outbox = try await shop.open(server.worker)
    server.beforeEachWrite { $0.count += 1 }
    let id = try await outbox.enqueue(save { $0.title = "mine" }, orderedBy: "card")
    #expect(try await drain(outbox).conflicted == 1)
    server.beforeEachWrite(nil)
    server.change { $0.title = "theirs" }
    #expect(try await outbox.sendAgain(id) == .putBack)
    #expect(try await drain(outbox).conflicted == 1, "both changed the title")
    let calls = server.keys.count
    #expect(calls == 7, "the other side was asked once more")
    #expect(try await outbox.sendAgain(id) == .needsDecision)
    #expect(try await drain(outbox).conflicted == 1 && server.keys.count == calls)
    #expect(try await outbox.sendAgain(OperationID(UUID())) == .notInConflict)
    await outbox.shutDown()
  }

  @Test func `a conflict that may pass by itself is told as a failure`() async throws {
    let outbox = try await shop.open(
      Worker(for: SaveCard.self, backoff: .constant(.seconds(1), jitter: .none)) {
        [server] _, _, _ in
        throw try RemoteConflict(server.present, error: .test(.transient(), kind: .conflict))
      })
    try await outbox.enqueue(save { $0.title = "mine" }, orderedBy: "card")
    await outbox.resume()
    await outbox.wait { $0.scheduled == 1 }
    await shop.log.wait(for: "failed")
    #expect(shop.log.count("failed") == 1 && shop.log.count("merged") == 0)
    await outbox.shutDown()
  }

  @Test func `a change of what others deleted makes it anew, as its policy says`() async throws {
    let outbox = try await shop.open(server.worker)
    server.delete()
    try await outbox.enqueue(save { $0.title = "mine" }, orderedBy: "card")
    #expect(try await drain(outbox).pending == 0)
    #expect(server.card == Card(title: "mine"))
    await outbox.shutDown()
  }

  @Test func `a document of the other side that nobody can read is for a person`() async throws {
    let outbox = try await shop.open(
      Worker(for: SaveCard.self) { _, _, _ in throw RemoteConflict(remote: Data("?".utf8)) })
    let id = try await outbox.enqueue(save { $0.title = "mine" }, orderedBy: "card")
    #expect(try await drain(outbox).conflicted == 1)
    let conflict = try #require(try await outbox.conflict(id, of: SaveCard.self))
    #expect(conflict.fields == [FieldConflict(field: "", cause: .noRemote)])
    #expect(conflict.remote == VersionedState(.missing, version: nil))
    #expect(try await outbox.conflict(id, of: NoCard.self) == nil)
    await outbox.shutDown()
  }

  @Test func `what is decided without knowing the other side is sent as it is`() async throws {
    let sent = Box<[RecordChange<Card>]>([])
    let outbox = try await shop.open(
      Worker(for: SaveCard.self) { _, change, _ in
        sent.change { $0.append(change) }
        if change.precondition != nil { throw RemoteConflict(remote: Data("?".utf8)) }
        return "9"
      })
    let id = try await outbox.enqueue(save { $0.title = "mine" }, orderedBy: "card")
    try await outbox.enqueue(save({ $0.count = 2 }, onto: Card(title: "mine")), orderedBy: "card")
    #expect(try await drain(outbox).conflicted == 1)
    let conflict = try #require(try await outbox.conflict(id, of: SaveCard.self))
    let decided = RecordState.present(Card(title: "ours"))
    #expect(sent.value.map(\.precondition) == ["1"])
    #expect(try await outbox.resolve(id, of: SaveCard.self, conflict, with: decided))
    // What follows knows the version that the decision got; here that is refused again.
    #expect(try await drain(outbox).conflicted == 1)
    #expect(sent.value.map(\.precondition) == ["1", nil, "9"])
    #expect(sent.value[1].state == decided)
    #expect(sent.value[2].state == .present(Card(title: "ours", count: 2)))
    await outbox.shutDown()
  }

  @Test func `a change that knows nothing of the other side is sent as it is`() async throws {
    let outbox = try await shop.open(server.worker)
    let blind = SaveCard(
      base: VersionedState(.missing, version: "1"), local: .present(Card(title: "mine")))
    try await outbox.enqueue(blind, orderedBy: "card")
    #expect(try await drain(outbox).pending == 0)
    #expect(server.card == Card(title: "mine") && server.keys.count == 1)
    await outbox.shutDown()
  }

  @Test func `a worker may merge at least once and at most a hundred times`() async {
    await #expect(processExitsWith: .failure) {
      _ = Worker(for: SaveCard.self, maximumMerges: 0) { _, _, _ in nil }
    }
    await #expect(processExitsWith: .failure) {
      _ = Worker(for: SaveCard.self, maximumMerges: 101) { _, _, _ in nil }
    }
  }
}

/// A type that nobody enqueued.
private struct NoCard: MergingOperation {
  static let kind: OperationKind = "no-card"
  static let mergePolicy = SaveCard.mergePolicy
  var base: VersionedState<Card>
  var local: RecordState<Card>
}
