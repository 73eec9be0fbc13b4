// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What goes wrong with caches elsewhere.
@Suite struct ResponseCacheTrapTests {
  /// Begins a load that waits at a gate; on return it has begun.
  private func slow(
    _ bench: CacheBench, _ title: String, _ gate: BreakerBench.Gate, tags: Set<String> = []
  ) async -> Task<CachedValue<Novel>, any Error> {
    let task = Task {
      try await bench.cache.value(for: "a", as: Novel.self, tags: tags) {
        await gate.pass()
        return Novel(title: title)
      }
    }
    await gate.arrivals(atLeast: 1)
    return task
  }

  private func kept(_ bench: CacheBench) async -> String? {
    await bench.cache.cached("a", as: Novel.self)?.value.title
  }

  @Test(.requirement("O39")) func `another account sees nothing of it`() async throws {
    let bench = CacheBench()
    _ = try await bench.ask("one")
    let other = ResponseCache("books", of: .account(2), in: bench.store, clock: bench.clock)
    #expect(await other.cached("a", as: Novel.self) == nil)
    let all = ResponseCache("books", of: .everybody, in: bench.store, clock: bench.clock)
    #expect(await all.cached("a", as: Novel.self) == nil)
    // An account cannot be named like the part that is everybody's.
    #expect(CachePartition.account("everybody") != .everybody)
    await other.remove(.everything)
    #expect(await kept(bench) == "one")
  }

  @Test(.requirement("O39")) func `a wipe wins over a load that is on its way`() async throws {
    let (bench, gate) = (CacheBench(), BreakerBench.Gate())
    _ = try await bench.ask("other", key: "b")
    let load = await slow(bench, "one", gate)
    #expect(await bench.cache.wipe())
    gate.open()
    #expect(try await load.value.value.title == "one")
    #expect(bench.store.count == 0)
    // Nor does somebody who comes too late bring anything back.
    #expect(try await bench.ask("two").value.title == "two")
    await bench.cache.keep(Novel(title: "three"), for: "a")
    #expect(bench.store.count == 0)
    await #expect(throws: AppError.self) { try await bench.ask(CacheBench.down()) }
    let next = ResponseCache("books", of: .account(1), in: bench.store, clock: bench.clock)
    #expect(await next.cached("a", as: Novel.self) == nil)
  }

  @Test(.requirement("O39")) func `a wipe wins over a load of another cache of that account`()
    async throws
  {
    let (bench, gate) = (CacheBench(), BreakerBench.Gate())
    let other = ResponseCache("covers", of: .account(1), in: bench.store, clock: bench.clock)
    let load = Task {
      try await other.value(for: "c", as: Novel.self) {
        await gate.pass()
        return Novel(title: "one")
      }
    }
    await gate.arrivals(atLeast: 1)
    await bench.cache.wipe()
    gate.open()
    _ = try await load.value
    #expect(bench.store.count == 0)
  }

  @Test(.requirement("O39")) func `what was read while the account left is not given`()
    async throws
  {
    let store = SlowCacheStore(slow: [2])
    let cache = ResponseCache("books", of: .account(1), in: store)
    await cache.keep("one", for: "a")
    let read = Task { await cache.cached("a", as: String.self) }
    await store.gate.arrivals(atLeast: 1)
    await cache.wipe()
    store.gate.open()
    #expect(await read.value == nil)
  }

  @Test(.requirement("O39")) func `a wipe wins over an answer that stands in`() async throws {
    let (bench, gate) = (CacheBench(CachePolicy(freshFor: .zero)), BreakerBench.Gate())
    _ = try await bench.ask("one")
    let load = Task {
      try await bench.cache.value(for: "a", as: Novel.self) {
        await gate.pass()
        throw AppError.http(status: 503, isRepeatable: true)
      }
    }
    await gate.arrivals(atLeast: 1)
    await bench.cache.wipe()
    gate.open()
    await #expect(throws: AppError.self) { try await load.value }
  }

  @Test(arguments: [
    ResponseCache.Scope.key("a"), .prefix("a"), .prefix(""), .tag("shelf"), .everything,
  ])
  func `what is loaded while it is invalidated is not kept, and not shared with later callers`(
    scope: ResponseCache.Scope
  ) async throws {
    let (bench, gate) = (CacheBench(), BreakerBench.Gate())
    let load = await slow(bench, "old", gate, tags: ["shelf"])
    await bench.cache.invalidate(scope)
    #expect(try await bench.ask("new").value.title == "new")
    gate.open()
    #expect(try await load.value.value.title == "old")
    #expect(await kept(bench) == "new")
    #expect(bench.recorder.cacheNames.contains("lateAnswerDropped"))
  }

  @Test func `what is invalidated stands in for a failure, and is never fresh`() async throws {
    let bench = CacheBench(CachePolicy(staleWhileRevalidate: .always))
    _ = try await bench.ask("one", tags: ["shelf"])
    await bench.cache.invalidate(.tag("other"))
    #expect(try await bench.ask(CacheBench.down()).freshness == .fresh)
    await bench.cache.invalidate(.tag("shelf"))
    #expect(try await bench.ask(CacheBench.down()).freshness.cause != nil)
    #expect(try await bench.ask("two").freshness == .fresh)
    await bench.cache.remove(.tag("shelf"))
    #expect(await kept(bench) == "two")
    await bench.cache.remove(.prefix("a"))
    #expect(await kept(bench) == nil)
  }

  @Test func `an older load that ends late does not overwrite a newer one`() async throws {
    let (bench, gate) = (CacheBench(), BreakerBench.Gate())
    let load = await slow(bench, "old", gate)
    _ = try await bench.cache.refresh("a", as: Novel.self) { Novel(title: "new") }
    gate.open()
    #expect(try await load.value.value.title == "old")
    #expect(await kept(bench) == "new")
  }

  @Test func `the answer to a change is not overwritten by a load that began before`() async throws
  {
    let (bench, gate) = (CacheBench(), BreakerBench.Gate())
    let load = await slow(bench, "old", gate)
    await bench.cache.keep(Novel(title: "changed"), for: "a")
    gate.open()
    _ = try await load.value
    #expect(await kept(bench) == "changed")
  }

  @Test(.ends(withinMinutes: 5), arguments: [false, true])
  func `who asks after a change begins a load of their own`(isForced: Bool) async throws {
    let (bench, gate) = (CacheBench(CachePolicy(freshFor: .zero)), BreakerBench.Gate())
    let load = Task {
      let load: @Sendable () async throws -> Novel = {
        await gate.pass()
        return Novel(title: "old")
      }
      return isForced
        ? try await bench.cache.refresh("a", load: load)
        : try await bench.cache.value(for: "a", load: load)
    }
    await gate.arrivals(atLeast: 1)
    await bench.cache.keep(Novel(title: "changed"), for: "a")
    // The load from before ends only after this one.
    let answer =
      isForced
      ? try await bench.cache.refresh("a") { Novel(title: "new") }
      : try await bench.ask("new")
    #expect(answer == CachedValue(Novel(title: "new"), .fresh))
    gate.open()
    #expect(try await load.value.value.title == "old")
    #expect(await kept(bench) == "new")
  }

  @Test func `a load from before a change that finds nothing does not take the change along`()
    async throws
  {
    for isRefused in [false, true] {
      let (bench, gate) = (CacheBench(), BreakerBench.Gate())
      let load = Task {
        try await bench.cache.value(for: "a", as: Novel.self) { _ in
          await gate.pass()
          guard isRefused else { throw AppError.http(status: 404) }
          var loaded = ResponseCache.Loaded.value(Novel(title: "old"))
          loaded.isKept = false
          return loaded
        }
      }
      await gate.arrivals(atLeast: 1)
      await bench.cache.keep(Novel(title: "changed"), for: "a")
      gate.open()
      _ = await load.result
      #expect(await kept(bench) == "changed")
      // What a later load says counts.
      _ = try? await bench.cache.refresh("a", as: Novel.self) { throw AppError.http(status: 404) }
      #expect(await kept(bench) == nil)
    }
  }

  @Test func `a load that finds nothing holds no change off that came after it began`()
    async throws
  {
    let (slow, recorder) = (SlowCacheStore(slow: [2]), EventRecorder())
    let cache = ResponseCache("books", of: .account(1), in: slow, observer: recorder)
    let gate = BreakerBench.Gate()
    let load = Task {
      try await cache.refresh("a", as: Novel.self) {
        await gate.pass()
        throw AppError.http(status: 404)
      }
    }
    await gate.arrivals(atLeast: 1)
    // The change has its ticket, and is kept only after the load has ended.
    let change = Task { await cache.keep(Novel(title: "changed"), for: "a") }
    await slow.gate.arrivals(atLeast: 1)
    gate.open()
    _ = await load.result
    slow.gate.open()
    await change.value
    #expect(await cache.cached("a", as: Novel.self)?.value.title == "changed")
    #expect(!recorder.cacheNames.contains("lateAnswerDropped"))
  }

  @Test(.requirement("O39")) func `what must be revalidated is never given stale`() async throws {
    let bench = CacheBench(
      CachePolicy(
        freshFor: .seconds(1), staleWhileRevalidate: .always, staleIfError: .always,
        onlyFor: .anythingButCancellation))
    _ = try await bench.cache.value(for: "a", as: Novel.self) { _ in
      var loaded = ResponseCache.Loaded.value(Novel(title: "one"))
      loaded.mustRevalidate = true
      return loaded
    }
    #expect(await kept(bench) == "one")
    bench.clock.advance(by: .seconds(1))
    #expect(await kept(bench) == nil)
    await #expect(throws: AppError.self) { try await bench.ask(CacheBench.down()) }
  }

  @Test func `the service's word on age, freshness and keeping counts`() async throws {
    let bench = CacheBench(CachePolicy(freshFor: .seconds(60)))
    let load: @Sendable (String?) async throws -> ResponseCache.Loaded<Novel> = { _ in
      var loaded = ResponseCache.Loaded.value(Novel(title: "one"))
      loaded.age = .seconds(30)
      loaded.freshFor = .seconds(100)
      return loaded
    }
    _ = try await bench.cache.value(for: "a", load: load)
    bench.clock.advance(by: .seconds(69))
    #expect(await bench.cache.cached("a", as: Novel.self)?.freshness == .fresh)
    bench.clock.advance(by: .seconds(1))
    let old = await bench.cache.cached("a", as: Novel.self)
    #expect(old?.freshness == .stale(age: .seconds(100), cause: nil))
    _ = try await bench.cache.value(for: "a", as: Novel.self) { _ in
      var loaded = ResponseCache.Loaded.value(Novel(title: "secret"))
      loaded.isKept = false
      return loaded
    }
    #expect(bench.store.count == 0)
  }

  @Test(.requirement("O39")) func `what is for one person is not kept for everybody`() async throws
  {
    let bench = CacheBench()
    let all = ResponseCache("books", of: .everybody, in: bench.store, clock: bench.clock)
    for (cache, count) in [(all, 0), (bench.cache, 1)] {
      _ = try await cache.value(for: "a", as: Novel.self) { _ in
        var loaded = ResponseCache.Loaded.value(Novel(title: "mine"))
        loaded.isPersonal = true
        return loaded
      }
      #expect(bench.store.count == count)
    }
  }

  @Test func `a version that has not changed is kept anew`() async throws {
    let bench = CacheBench(CachePolicy(freshFor: .seconds(60)))
    let seen = Log()
    for validator in ["v1", "unused"] {
      let answer = try await bench.cache.value(for: "a", as: Novel.self) { known in
        seen.add(known ?? "none")
        return known == nil ? .value(Novel(title: "one"), validator: validator) : .unchanged
      }
      #expect(answer == CachedValue(Novel(title: "one"), .fresh))
      bench.clock.advance(by: .seconds(60))
    }
    #expect(seen.lines == ["none", "v1"])
    // A service that says "unchanged" of what was never sent is not believed.
    await #expect(throws: AppError.self) {
      try await bench.cache.value(for: "b", as: Novel.self) { _ in .unchanged }
    }
  }

  @Test func `a clock that goes back makes nothing younger`() async throws {
    let bench = CacheBench(CachePolicy(freshFor: .seconds(60)))
    _ = try await bench.ask("one")
    bench.clock.advance(by: .seconds(100))
    #expect(await bench.cache.cached("a", as: Novel.self)?.freshness.age == .seconds(100))
    bench.clock.advance(by: .seconds(-365 * 86_400))
    #expect(await bench.cache.cached("a", as: Novel.self)?.freshness.age == .seconds(100))
  }

  @Test func `age counts from when it was asked for, not from when it came`() async throws {
    let (bench, gate) = (CacheBench(CachePolicy(freshFor: .seconds(10))), BreakerBench.Gate())
    let load = await slow(bench, "one", gate)
    bench.clock.advance(by: .seconds(20))
    gate.open()
    _ = try await load.value
    #expect(await bench.cache.cached("a", as: Novel.self)?.freshness.age == .seconds(20))
  }

  @Test func `a store that fails costs the cache and not the answer, and is told of once`()
    async throws
  {
    let (isBroken, recorder) = (Flag(), EventRecorder())
    let store = BrokenCacheStore(isBroken: isBroken)
    let cache = ResponseCache("books", of: .everybody, in: store, observer: recorder)
    isBroken.raise()
    for _ in 0..<3 { #expect(try await cache.value(for: "a") { "one" }.value == "one") }
    await #expect(throws: AppError.self) {
      try await cache.value(for: "a") { () -> String in
        throw AppError.http(status: 503, isRepeatable: true)
      }
    }
    await cache.invalidate(.everything)
    #expect(await cache.cached("a", as: String.self) == nil)
    // Once for reading, and once for writing: a store that is full can still be read.
    #expect(recorder.cacheNames.count { $0 == "cacheStorageFailed" } == 2)
    #expect(await !cache.wipe())
  }

  @Test func `a value that does not fit is given and not kept, and takes the old one along`()
    async throws
  {
    let bench = CacheBench(CachePolicy(freshFor: .seconds(60)), maximumBytes: 1_000)
    _ = try await bench.ask("one")
    let long = String(repeating: "x", count: 2_000)
    let answer = try await bench.cache.refresh("a", as: Novel.self) { Novel(title: long) }
    #expect(answer == CachedValue(Novel(title: long), .fresh))
    #expect(bench.store.count == 0 && bench.store.bytes == 0)
  }

  @Test func `a store of one byte keeps nothing and breaks nothing`() async throws {
    let bench = CacheBench(maximumBytes: 1)
    for title in ["one", "two"] { #expect(try await bench.ask(title).value.title == title) }
    #expect(bench.store.count == 0)
  }

  @Test func `a value that cannot be encoded is given, told of, and takes the old one along`()
    async throws
  {
    let bench = CacheBench(CachePolicy(freshFor: .zero))
    await bench.cache.keep(1.5, for: "a")
    let answer = try await bench.cache.value(for: "a") { Double.nan }
    #expect(answer.value.isNaN)
    #expect(bench.store.count == 0)
    #expect(bench.recorder.cacheNames == ["cacheStorageFailed", "cacheMissed"])
  }

  @Test func `a value of an older version of the app is loaded anew`() async throws {
    let bench = CacheBench()
    let key = CacheEntry.Key("a", of: .account(1))
    _ = try await bench.ask("one")
    let found = await bench.store.read(key)
    let entry = try #require(found.entry)
    let old = CacheEntry(key: key, bytes: Data("{\"name\": 1}".utf8), form: entry.form)
    #expect(await bench.store.write(old, under: found.ticket))
    #expect(try await bench.ask("two").value.title == "two")
    #expect(bench.recorder.cacheNames.contains("cacheStorageFailed"))
    #expect(try await bench.ask("three").value.title == "two")
  }
}
