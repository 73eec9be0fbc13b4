// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

private struct Song: Codable, Sendable, Equatable {
  var title = "t"
  var isLiked = false
}

private struct SaveSong: MergingOperation {
  static let kind: OperationKind = "save-song"
  static let mergePolicy = MergePolicy<Song>([
    .field("title", \.title), .field("isLiked", \.isLiked),
  ])
  var base: VersionedState<Song>
  var local: RecordState<Song>

  init(_ base: Song, to local: Song, version: String? = nil) {
    self.base = VersionedState(.present(base), version: version)
    self.local = .present(local)
  }
}

/// Another way to change the same record.
private struct LikeSong: QueuedOperation {
  static let kind: OperationKind = "like-song"
  /// What somebody else calls the song right after that; nil, the default, for nothing new.
  var title: String?
}

/// The other side, which knows idempotency keys, and whose answer to a song that is liked is lost
/// once.
private final class SongServer: Sendable {
  private struct State {
    var song = Song()
    var version = 1
    var keys: [String: String] = [:]
    var mustLoseAnswer = true
  }

  private let state = Box(State())

  var song: Song { state.value.song }

  func like(andThenCallIt title: String?) {
    state.change { state in
      (state.song.isLiked, state.version) = (true, state.version + 1)
      if let title { (state.song.title, state.version) = (title, state.version + 1) }
    }
  }

  func knows(_ key: IdempotencyKey) -> Bool { state.value.keys[key.rawValue] != nil }

  func put(_ change: RecordChange<Song>, key: IdempotencyKey) throws -> String {
    let (answer, song) = state.change { state -> (String?, VersionedState<Song>) in
      let present = VersionedState(RecordState.present(state.song), version: "\(state.version)")
      if let known = state.keys[key.rawValue] { return (known, present) }
      guard change.precondition.map({ $0 == present.version }) ?? true,
        let song = change.state.record
      else { return (nil, present) }
      state.song = song
      state.version += 1
      state.keys[key.rawValue] = "\(state.version)"
      return ("\(state.version)", present)
    }
    guard let answer else { throw try RemoteConflict(song) }
    let isLost = state.change { state in
      defer { if state.song.isLiked { state.mustLoseAnswer = false } }
      return state.song.isLiked && state.mustLoseAnswer
    }
    if isLost { throw AppError.test(.unknownOutcome, kind: .timeout) }
    return answer
  }

  var worker: Worker {
    Worker(
      for: SaveSong.self, backoff: .constant(.zero, jitter: .none),
      reconcile: { _, context in self.knows(context.idempotencyKey) ? .applied : .notApplied },
      run: { _, change, context in try self.put(change, key: context.idempotencyKey) })
  }
}

private struct Basket: Codable, Sendable, Equatable {
  var bottles = 5
  var place = "cellar"
}

private struct SaveCrate: MergingOperation {
  static let kind: OperationKind = "save-basket"
  static let mergePolicy = MergePolicy<Basket>([
    .field("bottles", \.bottles, .counter()), .field("place", \.place),
  ])
  var base: VersionedState<Basket>
  var local: RecordState<Basket>

  init(_ change: (inout Basket) -> Void) {
    var basket = Basket()
    base = VersionedState(.present(basket), version: "1")
    change(&basket)
    local = .present(basket)
  }
}

/// The other side, which looks at the version alone, and whose first answer is lost.
private final class CrateServer: Sendable {
  private struct State {
    var basket = Basket()
    var version = 1
    var mustLoseAnswer = true
    var writes = 0
  }

  private let state = Box(State())
  /// What somebody else does before the change comes again.
  let then: @Sendable (inout Basket) -> Int

  init(then: @escaping @Sendable (inout Basket) -> Int) { self.then = then }

  var basket: Basket { state.value.basket }
  var writes: Int { state.value.writes }

  func put(_ change: RecordChange<Basket>) throws -> String {
    let (answer, basket) = state.change { state -> (String?, VersionedState<Basket>) in
      let known = VersionedState(RecordState.present(state.basket), version: "\(state.version)")
      guard change.precondition == known.version, let basket = change.state.record else {
        return (nil, known)
      }
      state.basket = basket
      state.version += 1
      state.writes += 1
      return ("\(state.version)", known)
    }
    guard let answer else { throw try RemoteConflict(basket) }
    let isLost = state.change { state in
      defer { state.mustLoseAnswer = false }
      if state.mustLoseAnswer { state.version += then(&state.basket) }
      return state.mustLoseAnswer
    }
    if isLost { throw AppError.test(.unknownOutcome, kind: .timeout) }
    return answer
  }

  var worker: Worker {
    Worker(for: SaveCrate.self, backoff: .constant(.zero, jitter: .none)) { _, change, _ in
      try self.put(change)
    }
  }
}

/// A change whose first answer is lost, and about which nobody can be asked.
@Suite(.requirement("C21"), .ends(withinMinutes: 5)) struct OutboxUnaskedMergeTests {
  private let shop: Workshop

  init() throws { shop = try Workshop() }

  private func open(_ server: CrateServer, inMemory: Bool) async throws -> Outbox {
    guard inMemory else { return try await shop.open(server.worker) }
    return try await Outbox(
      store: InMemoryStore(), configuration: shop.configuration, clock: shop.clock
    ) { server.worker }
  }

  @Test(arguments: [false, true])
  func `what counts is counted once, where the other side has what was sent`(
    inMemory: Bool
  ) async throws {
    let server = CrateServer { _ in 0 }
    let outbox = try await open(server, inMemory: inMemory)
    try await outbox.enqueue(SaveCrate { $0.bottles -= 1 }, orderedBy: "basket")
    await outbox.wait { $0.pending == 0 }
    #expect(server.basket.bottles == 4 && server.writes == 1)
    #expect(try await outbox.ledger().count(.dropped) == 0)
    await outbox.shutDown()
  }

  @Test(arguments: [false, true])
  func `where somebody changed it since, a person decides`(inMemory: Bool) async throws {
    let server = CrateServer { basket in
      basket.place = "kitchen"
      return 1
    }
    let outbox = try await open(server, inMemory: inMemory)
    let id = try await outbox.enqueue(SaveCrate { $0.bottles -= 1 }, orderedBy: "basket")
    await outbox.wait { $0.conflicted == 1 }
    #expect(server.basket == Basket(bottles: 4, place: "kitchen") && server.writes == 1)
    let conflict = try #require(try await outbox.conflict(id, of: SaveCrate.self))
    #expect(conflict.fields == [FieldConflict(field: "", cause: .outcomeUnknown)])
    #expect(conflict.suggestion == conflict.local)
    let operation = try #require(try await outbox.operation(id))
    #expect(operation.effect == .sentUnknown, "nobody knows")
    // What was decided is sent as it is.
    let decided = RecordState.present(Basket(bottles: 3, place: "kitchen"))
    #expect(try await outbox.resolve(id, of: SaveCrate.self, conflict, with: decided))
    await outbox.wait { $0.pending == 0 }
    #expect(server.basket == Basket(bottles: 3, place: "kitchen") && server.writes == 2)
    await outbox.shutDown()
  }

  @Test(arguments: [false, true])
  func `a change behind one that somebody cancels keeps what others wrote`(
    inMemory: Bool
  ) async throws {
    let server = CrateServer { basket in
      basket.place = "kitchen"
      return 1
    }
    let outbox = try await open(server, inMemory: inMemory)
    let id = try await outbox.enqueue(SaveCrate { $0.bottles -= 1 }, orderedBy: "basket")
    await outbox.wait { $0.conflicted == 1 }
    var next = SaveCrate { $0.bottles -= 2 }
    next.base = VersionedState(.present(Basket(bottles: 4)), version: nil)
    try await outbox.enqueue(next, orderedBy: "basket")
    #expect(try await outbox.cancel(id) == .mayHaveHappened)
    await outbox.wait { $0.pending == 0 }
    #expect(server.basket == Basket(bottles: 3, place: "kitchen"))
    #expect(try await outbox.ledger().count(.cancelled) == 1)
    await outbox.shutDown()
  }
}

/// Changes of a record behind one that has left no answer.
@Suite(.requirement("C21"), .ends(withinMinutes: 5)) struct OutboxDoubtfulMergeTests {
  private let shop: Workshop
  private let server = SongServer()

  init() throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    self.shop = shop
  }

  private func open(inMemory: Bool) async throws -> Outbox {
    let workers = [
      server.worker,
      Worker(for: LikeSong.self) { [server] like, _ in server.like(andThenCallIt: like.title) },
    ]
    guard inMemory else { return try await shop.open(workers[0], workers[1]) }
    return try await Outbox(
      store: InMemoryStore(), configuration: shop.configuration, clock: shop.clock
    ) { workers }
  }

  private func drain(_ outbox: Outbox) async {
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    await shop.log.wait(for: "succeeded", count: 3)
    await outbox.shutDown()
  }

  @Test(arguments: [false, true])
  func `what takes back a change that was found applied is sent`(inMemory: Bool) async throws {
    let outbox = try await open(inMemory: inMemory)
    let (old, new) = (Song(), Song(title: "new"))
    let liked = Song(title: "new", isLiked: true)
    try await outbox.enqueue(SaveSong(old, to: new, version: "1"), orderedBy: "song")
    try await outbox.enqueue(SaveSong(new, to: liked), orderedBy: "song")
    try await outbox.enqueue(SaveSong(liked, to: new), orderedBy: "song")
    await drain(outbox)
    #expect(server.song == new)
    #expect(shop.log.count("reconciled") == 1 && shop.log.count("succeeded") == 3)
  }

  @Test(arguments: [false, true])
  func `what takes back what an operation of another kind did is sent`(
    inMemory: Bool
  ) async throws {
    let outbox = try await open(inMemory: inMemory)
    let (old, new) = (Song(), Song(title: "new"))
    let liked = Song(title: "new", isLiked: true)
    try await outbox.enqueue(SaveSong(old, to: new, version: "1"), orderedBy: "song")
    try await outbox.enqueue(LikeSong(), orderedBy: "song")
    try await outbox.enqueue(SaveSong(liked, to: new), orderedBy: "song")
    await drain(outbox)
    #expect(server.song == new && shop.log.count("succeeded") == 3)
  }

  @Test(arguments: [false, true])
  func `what others wrote stays where what is known of a record is outdated`(
    inMemory: Bool
  ) async throws {
    let outbox = try await open(inMemory: inMemory)
    let (old, new) = (Song(), Song(title: "new"))
    let liked = Song(title: "new", isLiked: true)
    try await outbox.enqueue(SaveSong(old, to: new, version: "1"), orderedBy: "song")
    try await outbox.enqueue(LikeSong(title: "theirs"), orderedBy: "song")
    try await outbox.enqueue(SaveSong(liked, to: new), orderedBy: "song")
    await drain(outbox)
    #expect(server.song == Song(title: "theirs"))
    #expect(shop.log.count("merged") == 1, "the version was a condition")
  }
}
