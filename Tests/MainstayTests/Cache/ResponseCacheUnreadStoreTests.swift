// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// A store that cannot be read while a test wants it so, as while its file is locked.
private final class UnreadCacheStore: CacheStore {
  struct Busy: Error {}

  private let busy = Locked(false)
  private let inner = MemoryCacheStore(clock: ManualClock())

  func lock(_ isBusy: Bool) { busy.withLock { $0 = isBusy } }

  func read(_ key: CacheEntry.Key) async throws -> CacheEntry.Lookup {
    if busy.withLock(\.self) { throw Busy() }
    return await inner.read(key)
  }

  func write(_ entry: CacheEntry, under ticket: CacheEntry.Ticket) async -> Bool {
    await inner.write(entry, under: ticket)
  }

  func expire(_ selection: CacheEntry.Selection) async { await inner.expire(selection) }

  func remove(_ selection: CacheEntry.Selection) async { await inner.remove(selection) }
}

@Suite(.ends(withinMinutes: 2), .requirement("O39")) struct ResponseCacheUnreadStoreTests {
  private let store = UnreadCacheStore()
  private let clock = ManualClock()
  private let cache: ResponseCache

  /// Keeps an old answer that is fresh for an hour; from then on the store cannot be read.
  init() async throws {
    cache = ResponseCache(
      "books", of: .account(1), in: store, policy: CachePolicy(freshFor: .seconds(3_600)),
      clock: clock)
    #expect(try await ask("old") == CachedValue("old", .fresh))
    store.lock(true)
  }

  private func ask(_ answer: String) async throws -> CachedValue<String> {
    try await cache.value(for: "a") { answer }
  }

  /// The store can be read again: what is old is not given as if it were fresh.
  private func expectNews() async throws {
    store.lock(false)
    clock.advance(by: .seconds(1))
    #expect(await cache.cached("a", as: String.self)?.freshness != .fresh)
    #expect(try await ask("newest") == CachedValue("newest", .fresh))
    #expect(try await ask("unasked") == CachedValue("newest", .fresh))
  }

  @Test func `what came another way is not followed by what was there before`() async throws {
    await cache.keep("mine", for: "a")
    try await expectNews()
  }

  @Test func `nor is what was loaded meanwhile`() async throws {
    #expect(try await cache.refresh("a") { "loaded" } == CachedValue("loaded", .fresh))
    try await expectNews()
  }

  @Test func `what may not be kept takes the old one along`() async throws {
    let loaded = try await cache.value(for: "a", as: String.self) { _ in
      var loaded = ResponseCache.Loaded.value("secret")
      loaded.isKept = false
      return loaded
    }
    #expect(loaded.value == "secret")
    store.lock(false)
    #expect(await cache.cached("a", as: String.self) == nil)
  }
}
