// SPDX-License-Identifier: Apache-2.0

#if Encryption
  import Crypto
#endif
import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// Many operations at once, and many ends at once.
@Suite(.requirement("O28", "C13"), .ends(withinMinutes: 20)) struct OutboxBatchTests {
  private let shop: Workshop

  init() throws { shop = try Workshop() }

  @Test func `all of them run, in their order where they have a key`() async throws {
    let done = Box<[String]>([])
    let outbox = try await shop.open(
      shop.worker { note, _ in done.change { $0.append(note.text) } })
    let texts = (0..<300).map { "\($0)" }
    let ids = try await outbox.enqueue(contentsOf: texts.map(Note.init)) { _ in
      EnqueueOptions(orderedBy: "k")
    }
    #expect(Set(ids).count == 300)
    await outbox.wait { $0.pending == 0 }
    #expect(done.value == texts && shop.log.count("enqueued") == 300)
    await outbox.shutDown()
  }

  @Test func `one that is refused keeps all of them out`() async throws {
    var shop = shop
    shop.configuration.maximumPending = 3
    shop.configuration.startsPaused = true
    let outbox = try await shop.open(shop.worker { _, _ in })
    try await outbox.enqueue(Note(text: "a"))
    await #expect(throws: OutboxError(.full, details: "")) {
      try await outbox.enqueue(contentsOf: ["b", "c", "d"].map(Note.init))
    }
    #expect(try await outbox.snapshot().pending == 1 && shop.log.count("enqueued") == 1)
    #expect(try await outbox.enqueue(contentsOf: [Note]()).isEmpty)
    await outbox.shutDown()
  }

  #if Encryption
    @Test func `what is there already under its key is not sealed anew`() async throws {
      var shop = shop
      shop.configuration.codec = AESGCMPayloadCodec(
        keys: ["k": SymmetricKey(size: .bits256)], sealingWith: "k")
      shop.configuration.startsPaused = true
      let outbox = try await shop.open(shop.worker { _, _ in })
      let options = EnqueueOptions(idempotencyKey: IdempotencyKey())
      let first = try await outbox.enqueue(Note(text: "a"), options: options)
      let ids = try await outbox.enqueue(contentsOf: [Note(text: "a"), Note(text: "b")]) {
        $0.text == "a" ? options : EnqueueOptions()
      }
      #expect(ids.first == first && ids.last != first)
      #expect(try await outbox.snapshot().pending == 2)
      await outbox.shutDown()
    }
  #endif

  @Test func `ends that come together are each recorded, and a lost lease is known as such`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    _ = try await store.insert(contentsOf: (0..<64).map { .note("\($0)") })
    let leased = try await store.claim(64)
    let held = try await withThrowingTaskGroup(of: Bool.self) { group in
      // Each of them twice: the first one ends the lease.
      for leased in leased + leased {
        group.addTask { try await store.settle(leased.lease, OperationVerdict(.done)) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(held.count { $0 } == 64 && held.count { !$0 } == 64)
    #expect(try await store.ledger().count(.done) == 64)
    await store.close()
  }

  @Test func `an end after the store was closed is refused, and asks for nothing more`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    _ = try await store.insert(.note("a"))
    let leased = try #require(try await store.claim().first)
    await store.close()
    await #expect(throws: OutboxError(.shutDown, details: "")) {
      try await store.settle(leased.lease, OperationVerdict(.done))
    }
  }
}
