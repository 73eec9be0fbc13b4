// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// A store that writes down what it is told to forget, and where that of a key waits at a gate.
private final class WatchedCacheStore: CacheStore {
  let gate = BreakerBench.Gate()
  let told = Log()
  private let isSlow: Bool
  private let inner = MemoryCacheStore(clock: ManualClock())

  init(isSlow: Bool = false) { self.isSlow = isSlow }

  func read(_ key: CacheEntry.Key) async -> CacheEntry.Lookup { await inner.read(key) }

  func write(_ entry: CacheEntry, under ticket: CacheEntry.Ticket) async -> Bool {
    await inner.write(entry, under: ticket)
  }

  func expire(_ selection: CacheEntry.Selection) async {
    told.add("expire")
    await inner.expire(selection)
  }

  func remove(_ selection: CacheEntry.Selection) async {
    if case .partition = selection {
      told.add("wipe")
    } else {
      told.add("remove")
      if isSlow { await gate.pass() }
      told.add("removed")
    }
    await inner.remove(selection)
  }
}

/// What a store hears of a partition that was wiped.
@Suite(.ends(withinMinutes: 2), .requirement("O39")) struct ResponseCacheEndedTests {
  private func cache(_ store: WatchedCacheStore) -> ResponseCache {
    ResponseCache("books", of: .account(1), in: store, clock: ManualClock())
  }

  @Test func `a late "not found" does not name it again`() async throws {
    let (store, gate) = (WatchedCacheStore(), BreakerBench.Gate())
    let cache = cache(store)
    let load = Task {
      try await cache.value(for: "a") { () -> String in
        await gate.pass()
        throw AppError.http(status: 404)
      }
    }
    await gate.arrivals(atLeast: 1)
    #expect(await cache.wipe())
    gate.open()
    await #expect(throws: AppError.self) { try await load.value }
    #expect(store.told.lines == ["wipe"])
  }

  @Test func `nor does anything that is said of it later`() async {
    let store = WatchedCacheStore()
    let cache = cache(store)
    #expect(await cache.wipe())
    await cache.invalidate(.key("a"))
    await cache.remove(.prefix("a"))
    await cache.keep("mine", for: "a")
    #expect(store.told.lines == ["wipe"])
  }

  @Test func `what was on its way to the store is wiped after it`() async {
    let store = WatchedCacheStore(isSlow: true)
    let cache = cache(store)
    let removal = Task { await cache.remove(.key("a")) }
    await store.gate.arrivals(atLeast: 1)
    #expect(await cache.wipe())
    store.gate.open()
    await removal.value
    #expect(store.told.lines == ["remove", "wipe", "removed", "wipe"])
  }
}
