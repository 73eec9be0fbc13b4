// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What a codec makes of a cache in a file.
@Suite(.requirement("O39")) struct SealedCacheTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func store(
    _ codec: (any PayloadCodec)? = Scrambler(), maximumBytes: Int = 1_000_000
  ) -> SQLiteCacheStore {
    SQLiteCacheStore(
      at: folder.database, maximumBytes: maximumBytes, codec: codec, clock: ManualClock())
  }

  private func entry(_ text: String, _ name: String = "a") -> CacheEntry {
    CacheEntry(
      key: CacheEntry.Key(name, of: .account(1)), bytes: Data(text.utf8), form: "Test",
      validator: "v1", tags: ["t"], initialAge: .seconds(3), freshFor: .seconds(60),
      mustRevalidate: true, staleWhileRevalidate: .seconds(5), staleIfError: .seconds(7))
  }

  private func keep(_ entry: CacheEntry, in store: SQLiteCacheStore) async throws {
    let ticket = try await store.read(entry.key).ticket
    #expect(try await store.write(entry, under: ticket))
  }

  private func disk() throws -> Data {
    try FileManager.default.contentsOfDirectory(at: folder.url, includingPropertiesForKeys: nil)
      .reduce(into: Data()) { $0 += try Data(contentsOf: $1) }
  }

  private func change(_ sql: String) async throws {
    let queue = try DatabaseQueue(patientAt: folder.database)
    try await queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }

  @Test func `no word of an answer is on the disk, and it comes back as it was`() async throws {
    let first = store()
    try await keep(entry("secretword"), in: first)
    #expect(try await first.read(entry("").key).entry == entry("secretword"))
    await first.close()
    #expect(try disk().range(of: Data("secretword".utf8)) == nil)
    let found = try await store().read(entry("").key)
    #expect(found.entry == entry("secretword"))
    #expect(found.age.map { $0 >= .seconds(3) } == true)
  }

  @Test(arguments: [Scrambler(secret: 0x17), nil])
  func `without its key an answer is not there, and can be kept anew`(
    codec: Scrambler?
  ) async throws {
    let first = store()
    try await keep(entry("secretword"), in: first)
    try await first.expire(.tag("t", of: .account(1)))
    await first.close()
    let second = store(codec)
    let found = try await second.read(entry("").key)
    #expect(found.entry == nil && found.age == nil && !found.isExpired)
    try await keep(entry("other"), in: second)
    #expect(try await second.read(entry("").key).entry == entry("other"))
    #expect(try await second.usage().count == 1)
  }

  @Test func `what was kept before there was a codec is loaded anew`() async throws {
    let first = store(nil)
    try await keep(entry("secretword"), in: first)
    await first.close()
    #expect(try disk().range(of: Data("secretword".utf8)) != nil)
    let second = store()
    #expect(try await second.read(entry("").key).entry == nil)
    try await keep(entry("secretword"), in: second)
    await second.close()
    #expect(try disk().range(of: Data("secretword".utf8)) == nil)
  }

  @Test func `an answer that was moved to another name is not there`() async throws {
    let first = store()
    try await keep(entry("mine"), in: first)
    await first.close()
    try await change("UPDATE cache_entry SET name = CAST('b' AS BLOB)")
    let second = store()
    #expect(try await second.read(entry("", "b").key).entry == nil)
    try await change("UPDATE cache_entry SET name = CAST('a' AS BLOB)")
    #expect(try await second.read(entry("").key).entry == entry("mine"))
  }

  @Test func `names that run into each other are told apart`() async throws {
    let first = store()
    let odd = CacheEntry(
      key: CacheEntry.Key("x\u{0}1", of: .account(1)), bytes: Data("odd".utf8), form: "y")
    try await keep(odd, in: first)
    await first.close()
    try await change(
      "UPDATE cache_entry SET name = CAST('x' AS BLOB), form = '1' || char(0) || 'y'")
    #expect(try await store().read(CacheEntry.Key("x", of: .account(1))).entry == nil)
  }

  @Test func `what sealing costs counts for the bound`() async throws {
    let plain = entry("a")
    let small = store(maximumBytes: plain.size)
    let ticket = try await small.read(plain.key).ticket
    #expect(try await !small.write(plain, under: ticket))
  }

  @Test func `what cannot be sealed is not kept, and told`() async throws {
    let store = store(NoSeal())
    let ticket = try await store.read(entry("").key).ticket
    let error = await #expect(throws: AppError.self) {
      _ = try await store.write(entry("secretword"), under: ticket)
    }
    #expect(error?.cause(as: NoSeal.Refusal.self) != nil)
    #expect(try await store.usage().count == 0)
  }
}

/// A codec without a key to seal with.
private struct NoSeal: PayloadCodec {
  struct Refusal: Error {}

  func seal(_ plain: Data, binding: Data) throws -> Data { throw Refusal() }

  func open(_ sealed: Data, binding: Data) throws -> Data { throw Refusal() }
}
