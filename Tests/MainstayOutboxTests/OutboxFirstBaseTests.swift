// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

#if Encryption
  import Crypto
#endif

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

  init(_ base: Item, to local: Item, version: String? = "0") {
    self.base = VersionedState(.present(base), version: version)
    self.local = .present(local)
  }
}

/// What was sent, and under which version.
private struct Sent: Equatable {
  let item: Item?
  let version: String?
}

/// Changes of a record behind one that has left without effect.
@Suite(.requirement("C21"), .ends(withinMinutes: 5)) struct OutboxFirstBaseTests {
  enum Place: CaseIterable {
    case memory, file, app
  }

  /// How the first one leaves.
  enum Departure: CaseIterable {
    case cancelled, expired, discarded
  }

  private var shop: Workshop
  private let sent = Box<[Sent]>([])

  init() throws {
    shop = try Workshop()
    shop.configuration.startsPaused = true
    #if Encryption
      shop.configuration.codec = AESGCMPayloadCodec(
        keys: ["k": SymmetricKey(size: .bits256)], sealingWith: "k")
    #endif
  }

  /// What costs 99 is refused.
  private var worker: Worker {
    Worker(for: SaveItem.self) { [sent] _, change, _ in
      if change.state.record?.price == 99 { throw AppError.http(status: 422) }
      sent.change { $0.append(Sent(item: change.state.record, version: change.precondition)) }
      return "\(sent.value.count)"
    }
  }

  private func open(_ place: Place) async throws -> Outbox {
    switch place {
    case .file: return try await shop.open(worker)
    case .memory:
      let store = InMemoryStore(now: { [day = shop.day] in day.now })
      return try await Outbox(
        store: store, configuration: shop.configuration, clock: shop.clock
      ) { worker }
    case .app:
      let database = try DatabasePool(patientAt: shop.folder.database)
      return try await Outbox(
        in: database, configuration: shop.configuration, clock: shop.clock,
        now: { [day = shop.day] in day.now }
      ) { worker }
    }
  }

  private func drain(_ outbox: Outbox) async {
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test(arguments: Place.allCases, Departure.allCases)
  func `nothing of a change that left without effect is sent by the one behind it`(
    _ place: Place, _ departure: Departure
  ) async throws {
    let outbox = try await open(place)
    let dear = Item(price: 99)
    let lifetime: Duration? = departure == .expired ? .seconds(60) : nil
    let first = try await outbox.enqueue(
      SaveItem(Item(), to: dear),
      options: EnqueueOptions(orderedBy: "item", timeToLive: lifetime))
    try await outbox.enqueue(
      SaveItem(dear, to: Item(title: "B", price: 99)), orderedBy: "item")
    switch departure {
    case .cancelled: #expect(try await outbox.cancel(first) == .cancelled)
    case .expired:
      shop.day.advance(by: .seconds(60))
      shop.clock.advance(by: .seconds(60))
    case .discarded:
      await outbox.resume()
      await outbox.wait { $0.dead == 1 }
      #expect(try await outbox.discard(first))
    }
    await drain(outbox)
    let expected = Sent(item: Item(title: "B"), version: "0")
    #expect(sent.value == [expected])
  }

  @Test func `nothing of it is sent where the app enqueues in its own transaction`() async throws {
    let database = try DatabasePool(patientAt: shop.folder.database)
    let outbox = try await Outbox(
      in: database, configuration: shop.configuration, clock: shop.clock
    ) { worker }
    let dear = Item(price: 99)
    let first = try await database.write { db in
      let first = try outbox.enqueue(SaveItem(Item(), to: dear), orderedBy: "item", in: db)
      _ = try outbox.enqueue(
        SaveItem(dear, to: Item(title: "B", price: 99)), orderedBy: "item", in: db)
      return first.id
    }
    #expect(try await outbox.cancel(first) == .cancelled)
    await drain(outbox)
    #expect(sent.value == [Sent(item: Item(title: "B"), version: "0")])
  }

  @Test(arguments: Place.allCases)
  func `a record of which nothing waits any more begins anew`(_ place: Place) async throws {
    let outbox = try await open(place)
    let both = [
      SaveItem(Item(), to: Item(price: 99)), SaveItem(Item(price: 99), to: Item(price: 3)),
    ]
    let old = try await outbox.enqueue(contentsOf: both) { _ in EnqueueOptions(orderedBy: "item") }
    for id in old { #expect(try await outbox.cancel(id) == .cancelled) }
    // As it is by now; compared with what was there before, nothing were to be done.
    try await outbox.enqueue(
      SaveItem(Item(price: 5), to: Item(), version: "4"), orderedBy: "item")
    await drain(outbox)
    #expect(sent.value == [Sent(item: Item(), version: "4")])
  }

  @Test(arguments: Place.allCases)
  func `what is behind one that was replaced begins with what that one began with at last`(
    _ place: Place
  ) async throws {
    let outbox = try await open(place)
    let unique = EnqueueOptions(
      orderedBy: "item", uniqueKey: EnqueueOptions.UniqueKey("item", ifTaken: .replace))
    try await outbox.enqueue(SaveItem(Item(), to: Item(price: 99)), options: unique)
    let first = try await outbox.enqueue(
      SaveItem(Item(price: 5), to: Item(price: 99), version: "4"), options: unique)
    try await outbox.enqueue(
      SaveItem(Item(price: 99), to: Item(title: "B", price: 99), version: nil), orderedBy: "item")
    #expect(try await outbox.cancel(first) == .cancelled)
    await drain(outbox)
    #expect(sent.value == [Sent(item: Item(title: "B", price: 5), version: "4")])
  }

  @Test(arguments: Place.allCases)
  func `what took the place of the first one, or knows of another version, goes by its own base`(
    _ place: Place
  ) async throws {
    let outbox = try await open(place)
    let unique = EnqueueOptions(
      orderedBy: "item", uniqueKey: EnqueueOptions.UniqueKey("item", ifTaken: .replace))
    try await outbox.enqueue(SaveItem(Item(), to: Item(price: 99)), options: unique)
    try await outbox.enqueue(SaveItem(Item(price: 5), to: Item(), version: "4"), options: unique)
    let first = try await outbox.enqueue(
      SaveItem(Item(), to: Item(price: 99)), orderedBy: "other")
    try await outbox.enqueue(
      SaveItem(Item(price: 5), to: Item(), version: "4"), orderedBy: "other")
    #expect(try await outbox.cancel(first) == .cancelled)
    await drain(outbox)
    let expected = Sent(item: Item(), version: "4")
    #expect(sent.value == [expected, expected])
  }
}
