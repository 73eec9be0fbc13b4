// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// A store that can be read and not written to, as on a full disk, whenever a test wants it to.
private final class FullCacheStore: CacheStore {
  struct Full: Error {}

  private let full = Locked(false)
  private let inner = MemoryCacheStore(clock: ManualClock())

  func fill(_ isFull: Bool) { full.withLock { $0 = isFull } }

  private func room() throws { if full.withLock(\.self) { throw Full() } }

  func read(_ key: CacheEntry.Key) async throws -> CacheEntry.Lookup { await inner.read(key) }

  func write(_ entry: CacheEntry, under ticket: CacheEntry.Ticket) async throws -> Bool {
    try room()
    return await inner.write(entry, under: ticket)
  }

  func expire(_ selection: CacheEntry.Selection) async throws {
    try room()
    await inner.expire(selection)
  }

  func remove(_ selection: CacheEntry.Selection) async throws {
    try room()
    await inner.remove(selection)
  }
}

@Suite(.ends(withinMinutes: 2), .requirement("O39")) struct ResponseCacheFullStoreTests {
  private let store = FullCacheStore()
  private let clock = ManualClock()
  private let cache: ResponseCache

  /// Keeps an old answer that is fresh for an hour; from then on the store is full.
  init() async throws {
    cache = ResponseCache(
      "books", of: .account(1), in: store, policy: CachePolicy(freshFor: .seconds(3_600)),
      clock: clock)
    #expect(try await ask("old") == CachedValue("old", .fresh))
    store.fill(true)
  }

  private func ask(_ answer: String) async throws -> CachedValue<String> {
    try await cache.value(for: "a", tags: ["shelf"]) { answer }
  }

  @Test(arguments: [
    ResponseCache.Scope.key("a"), .prefix(""), .tag("shelf"), .everything,
  ])
  func `what was invalidated is not fresh, whatever could be written`(
    scope: ResponseCache.Scope
  ) async throws {
    await cache.invalidate(scope)
    let answer = try await cache.value(for: "a") { () -> String in
      throw AppError.http(status: 503, isRepeatable: true)
    }
    #expect(answer.value == "old" && answer.freshness != .fresh)
    #expect(try await ask("new") == CachedValue("new", .fresh))
    // The newer one could not be kept, and the old one does not come back in its place.
    #expect(await cache.cached("a", as: String.self) == nil)
  }

  @Test func `what was removed is not there, whatever could be written`() async throws {
    await cache.remove(.key("a"))
    #expect(await cache.cached("a", as: String.self) == nil)
    #expect(try await ask("new") == CachedValue("new", .fresh))
  }

  @Test func `what came another way and cannot be kept takes the old one along`() async throws {
    await cache.keep("mine", for: "a")
    #expect(await cache.cached("a", as: String.self) == nil)
  }

  @Test func `the store is told once it can be written to again`() async throws {
    await cache.remove(.key("a"))
    store.fill(false)
    #expect(await cache.cached("a", as: String.self) == nil)
    let other = ResponseCache("books", of: .account(1), in: store)
    #expect(await other.cached("a", as: String.self) == nil)
    #expect(try await ask("new") == CachedValue("new", .fresh))
    #expect(try await ask("newer") == CachedValue("new", .fresh))
  }
}
