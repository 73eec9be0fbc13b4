// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

private struct Shelf: Codable, Sendable, Equatable {
  var books: [String] = []
}

private struct AddBook: QueuedOperation {
  static let kind: OperationKind = "add-book"
  var title: String
}

/// A change whose result depends on what is there, and that is done to it once.
private struct Reserve: QueuedOperation, RebasingOperation {
  struct TooLate: Error {}

  static let kind: OperationKind = "reserve"
  var seats: Int
  var by: String

  func apply(to plan: inout SeatPlan) throws {
    guard plan.taken[by] == nil, plan.free >= seats else { throw TooLate() }
    plan.free -= seats
    plan.taken[by] = seats
  }
}

private struct SeatPlan: Codable, Sendable, Equatable {
  var free: Int
  var taken: [String: Int] = [:]
}

/// What was changed here is seen before the service knows it.
@Suite(.requirement("O39")) struct CacheOverlayTests {
  private let shop: Workshop
  private let cache = ResponseCache(
    "shelves", of: .account(1), in: MemoryCacheStore(clock: ManualClock()))

  init() throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    self.shop = shop
  }

  private func seen(
    _ outbox: Outbox
  ) -> some AsyncSequence<CachedValue<Shelf>?, Never> & Sendable {
    cache.updates(for: "s", as: Shelf.self, overlaying: AddBook.self, of: outbox, orderedBy: 7) {
      shelf, change in
      var books = shelf?.books ?? []
      if !books.contains(change.title) { books.append(change.title) }
      shelf = Shelf(books: books)
    }
  }

  @Test func `changes that wait are laid over what is kept, and never vanish on the way`()
    async throws
  {
    let (cache, server) = (cache, Box(Shelf(books: ["a"])))
    let outbox = try await shop.open(
      Worker(for: AddBook.self) { change, _ in
        let shelf = server.change { shelf in
          shelf.books.append(change.title)
          return shelf
        }
        await cache.keep(shelf, for: "s")
      })
    await cache.keep(server.value, for: "s")
    var stream = seen(outbox).makeAsyncIterator()
    #expect(await stream.following() == CachedValue(Shelf(books: ["a"]), .fresh))
    try await outbox.enqueue(AddBook(title: "b"), orderedBy: 7)
    try await outbox.enqueue(Note(text: "another kind"), orderedBy: 8)
    try await outbox.enqueue(AddBook(title: "x"), orderedBy: 8)
    #expect(
      await stream.following() == CachedValue(Shelf(books: ["a", "b"]), .fresh, localChanges: 1))
    try await outbox.enqueue(AddBook(title: "c"), orderedBy: 7)
    let both = CachedValue(Shelf(books: ["a", "b", "c"]), .fresh, localChanges: 2)
    #expect(await stream.following() == both)
    await outbox.resume()
    while let shown = await stream.following() {
      #expect(shown?.value == both.value)
      if shown?.hasLocalChanges == false { break }
    }
    #expect(server.value == both.value || server.value.books.count == 4)
    await outbox.shutDown()
  }

  @Test func `changes as functions are done again on whatever the service has`() async throws {
    let outbox = try await shop.open(Worker(for: Reserve.self) { _, _ in })
    var stream = cache.updates(for: "p", rebasing: Reserve.self, of: outbox, orderedBy: 7)
      .makeAsyncIterator()
    func shown() async throws -> SeatPlan? { try #require(await stream.following())?.value }
    #expect(try await shown() == nil)
    try await outbox.enqueue(Reserve(seats: 2, by: "me"), orderedBy: 7)
    // There is nothing yet to which it could be done.
    await cache.keep(SeatPlan(free: 5), for: "p")
    var last = SeatPlan(free: 3, taken: ["me": 2])
    while try await shown() != last {}
    /// The same may be told twice, and nothing else on the way to what is meant.
    func follows(_ plan: SeatPlan) async throws {
      var seen = try await shown()
      while seen == last, seen != plan { seen = try await shown() }
      #expect(seen == plan, "after \(last)")
      last = plan
    }
    // The service has it already: it is not done twice.
    await cache.keep(SeatPlan(free: 3, taken: ["me": 2]), for: "p")
    try await follows(SeatPlan(free: 3, taken: ["me": 2]))
    // Somebody else was faster; when they give way, it can be done again.
    await cache.keep(SeatPlan(free: 1, taken: ["you": 4]), for: "p")
    try await follows(SeatPlan(free: 1, taken: ["you": 4]))
    await cache.keep(SeatPlan(free: 4, taken: ["you": 1]), for: "p")
    try await follows(SeatPlan(free: 2, taken: ["you": 1, "me": 2]))
    await outbox.shutDown()
  }

  @Test func `what was made here and is known to nobody else is shown`() async throws {
    let outbox = try await shop.open(Worker(for: AddBook.self) { _, _ in })
    var stream = seen(outbox).makeAsyncIterator()
    #expect(await stream.following() == .some(nil))
    try await outbox.enqueue(AddBook(title: "b"), orderedBy: 7)
    #expect(
      await stream.following() == CachedValue(Shelf(books: ["b"]), .missing, localChanges: 1))
    await cache.wipe()
    while let shown = await stream.following() { #expect(shown == nil) }
    await outbox.shutDown()
  }

  @Test func `operations of one key are found among many, oldest first`() async throws {
    let outbox = try await shop.open(Worker(for: AddBook.self) { _, _ in })
    #expect(try await outbox.operations(orderedBy: "mine").isEmpty)
    for number in 0..<520 {
      let isMine = number == 3 || number == 510
      try await outbox.enqueue(
        AddBook(title: "\(number)"), orderedBy: isMine ? "mine" : "other")
    }
    let found = try await outbox.operations(orderedBy: "mine")
    #expect(found.compactMap { $0.decoded(as: AddBook.self)?.title } == ["3", "510"])
    #expect(found.first?.decoded(as: Note.self) == nil)
    await outbox.shutDown()
  }
}
