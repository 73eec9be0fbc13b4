// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What a store does once another file lies where its own was.
@Suite(.requirement("O33", "O39"), .ends(withinMinutes: 5)) struct ReplacedCacheFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.database.path(percentEncoded: false) }

  private func store() -> SQLiteCacheStore { SQLiteCacheStore(at: folder.database) }

  private func keep(_ entry: CacheEntry, in store: SQLiteCacheStore) async throws {
    let ticket = try await store.read(entry.key).ticket
    #expect(try await store.write(entry, under: ticket))
  }

  /// Two stores of one file, of which the first has found it damaged and made it anew.
  private func divided() async throws -> (first: SQLiteCacheStore, second: SQLiteCacheStore) {
    let (first, second) = (store(), store())
    for number in 0..<20 { try await keep(.test("\(number)", size: 9_000), in: first) }
    #expect(try await second.read(CacheEntry.test("0").key).entry != nil)
    try await first.remove(.partition(.account("nobody")))
    let file = try FileHandle(forWritingTo: folder.database)
    let end = try file.seekToEnd()
    try file.seek(toOffset: 4_096)
    try file.write(contentsOf: Data(repeating: 0xAB, count: Int(end) - 4_096))
    try file.close()
    await #expect(throws: AppError.self) { try await first.read(CacheEntry.test("0").key) }
    try await keep(.test("mine"), in: first)
    return (first, second)
  }

  @Test func `a file that another process has made anew is used, and not deleted`() async throws {
    let (first, second) = try await divided()
    #expect(try await second.read(CacheEntry.test("mine").key).entry != nil)
    try await keep(.test("yours"), in: second)
    #expect(try await first.read(CacheEntry.test("yours").key).entry != nil)
  }

  @Test func `a wipe that is confirmed leaves nothing in a file that was made anew`() async throws {
    let (first, second) = try await divided()
    try await keep(.test("yours"), in: second)
    try await second.remove(.partition(.everybody))
    #expect(try await store().usage().count == 0)
    #expect(try await first.usage().count == 0)
  }

  @Test func `a load that began in the file before is overtaken by what this one was told`()
    async throws
  {
    let (store, entry) = (store(), CacheEntry.test("a"))
    for _ in 0..<3 { try await store.expire(.key(CacheEntry.test("b").key)) }
    let ticket = try await store.read(entry.key).ticket
    for removals in 1...4 {
      for suffix in ["-wal", "-shm", ""] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
      for _ in 0..<removals { try await store.expire(.key(entry.key)) }
      #expect(try await store.write(entry, under: ticket) == false, "after \(removals)")
      #expect(try await store.read(entry.key).entry == nil)
    }
  }

  @Test func `a file that was cleared away is made anew`() async throws {
    let store = store()
    try await keep(.test("a"), in: store)
    for suffix in ["-wal", "-shm", ""] { try FileManager.default.removeItem(atPath: path + suffix) }
    try await keep(.test("b"), in: store)
    #expect(try await self.store().read(CacheEntry.test("b").key).entry != nil)
    #expect(try await store.read(CacheEntry.test("a").key).entry == nil)
  }
}
