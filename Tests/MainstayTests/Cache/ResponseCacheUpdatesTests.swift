// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What goes on behind an answer, and what a screen sees of it.
@Suite struct ResponseCacheUpdatesTests {
  private let clock = ManualClock()
  private let lines = EventLines()
  private let cache: ResponseCache

  init() {
    cache = ResponseCache(
      "books", of: .account(1), in: MemoryCacheStore(clock: clock),
      policy: CachePolicy(
        freshFor: .seconds(60), staleWhileRevalidate: .within(.seconds(60))),
      clock: clock, observer: lines)
  }

  private func value(
    _ load: @escaping @Sendable () async throws -> String
  ) async throws -> CachedValue<String> {
    try await cache.value(for: "a", load: load)
  }

  @Test func `an answer is given at once while one load goes on behind it`() async throws {
    _ = try await value { "one" }
    clock.advance(by: .seconds(61))
    let (gate, asked) = (BreakerBench.Gate(), Log())
    for _ in 0..<20 {
      let answer = try await value {
        asked.add("asked")
        await gate.pass()
        return "two"
      }
      #expect(answer == CachedValue("one", .revalidating(age: .seconds(61))))
    }
    await gate.arrivals(atLeast: 1)
    var updates = cache.updates(for: "a", as: String.self).makeAsyncIterator()
    #expect(await updates.following() == CachedValue("one", .revalidating(age: .seconds(61))))
    gate.open()
    var shown = await updates.following()
    while shown??.freshness.isFresh == false { shown = await updates.following() }
    #expect(shown == CachedValue("two", .fresh))
    #expect(asked.lines.count == 1)
  }

  @Test(.requirement("C10", "O39"))
  func `a load behind an answer that fails keeps the answer, and only observers hear of it`()
    async throws
  {
    _ = try await value { "one" }
    var updates = cache.updates(for: "a", as: String.self).makeAsyncIterator()
    #expect(await updates.following() == CachedValue("one", .fresh))
    clock.advance(by: .seconds(61))
    let answer = try await value { throw AppError.http(status: 503, isRepeatable: true) }
    #expect(answer.value == "one")
    await lines.log.lines(atLeast: 3)
    #expect(Set(lines.log.lines) == ["cacheMissed", "cacheHit", "revalidationFailed"])
    var shown = await updates.following()
    while shown??.freshness.cause == nil { shown = await updates.following() }
    #expect(shown??.value == "one" && shown??.freshness.age == .seconds(61))
    #expect(shown??.freshness.cause?.httpStatus == 503)
    // The next one tries again.
    _ = try await value { "two" }
    while shown??.freshness.isFresh == false { shown = await updates.following() }
    #expect(shown??.value == "two")
  }

  @Test func `nothing is loaded behind an answer that is too old for it`() async throws {
    _ = try await value { "one" }
    clock.advance(by: .seconds(121))
    #expect(try await value { "two" } == CachedValue("two", .fresh))
  }

  @Test func `the deadline of a caller does not end the load behind its answer`() async throws {
    _ = try await value { "one" }
    clock.advance(by: .seconds(61))
    let (gate, time) = (BreakerBench.Gate(), ManualClock())
    let answer = try await Deadline(.seconds(1), clock: time).run {
      try await value {
        await gate.pass()
        return Deadline.remaining == nil ? "two" : "hurried"
      }
    }
    #expect(answer.value == "one")
    await gate.arrivals(atLeast: 1)
    time.advance(by: .seconds(2))
    gate.open()
    var updates = cache.updates(for: "a", as: String.self).makeAsyncIterator()
    var shown = await updates.following()
    while shown??.freshness.isFresh == false { shown = await updates.following() }
    #expect(shown??.value == "two")
  }

  @Test(.requirement("O39")) func `after a wipe the screen shows nothing, and the stream ends`()
    async throws
  {
    _ = try await value { "one" }
    var updates = cache.updates(for: "a", as: String.self).makeAsyncIterator()
    #expect(await updates.following() == CachedValue("one", .fresh))
    await cache.wipe()
    #expect(await updates.following() == .some(nil))
    #expect(await updates.following() == nil)
    var late = cache.updates(for: "a", as: String.self).makeAsyncIterator()
    #expect(await late.following() == .some(nil))
    #expect(await late.following() == nil)
  }

  @Test func `a stream tells of what is kept, invalidated and removed`() async throws {
    var updates = cache.updates(for: "a", as: String.self).makeAsyncIterator()
    #expect(await updates.following() == .some(nil))
    await cache.keep("one", for: "a")
    #expect(await updates.following() == CachedValue("one", .fresh))
    await cache.invalidate(.prefix("a"))
    var shown = await updates.following()
    while shown??.freshness == .fresh { shown = await updates.following() }
    #expect(shown == CachedValue("one", .stale(age: .zero, cause: nil)))
    await cache.remove(.everything)
    while shown != .some(nil) { shown = await updates.following() }
    await cache.keep("two", for: "b")
    await cache.keep("three", for: "a")
    while shown == .some(nil) { shown = await updates.following() }
    #expect(shown == CachedValue("three", .fresh))
  }

  @Test func `a stream that nobody reads any more leaves nothing behind`() async {
    for _ in 0..<10 {
      let (changes, _) = AsyncStream.makeStream(of: [String].self)
      let stream = cache.updates(for: "a", as: String.self, overlaying: changes) { $0 = $1 }
      let task = Task { for await _ in stream {} }
      task.cancel()
      await task.value
    }
    #expect(await cache.cached("a", as: String.self) == nil)
  }

  @Test func `local changes are laid over what is kept, whichever of them moves`() async throws {
    let (changes, continuation) = AsyncStream.makeStream(of: [String].self)
    var updates = cache.updates(for: "a", as: String.self, overlaying: changes) { text, change in
      text = change == "delete" ? nil : (text ?? "") + change
    }.makeAsyncIterator()
    continuation.yield([])
    #expect(await updates.following() == .some(nil))
    continuation.yield(["+"])
    #expect(await updates.following() == CachedValue("+", .missing, localChanges: 1))
    await cache.keep("one", for: "a")
    #expect(await updates.following() == CachedValue("one+", .fresh, localChanges: 1))
    continuation.yield(["+", "delete"])
    #expect(await updates.following() == .some(nil))
    continuation.yield([])
    #expect(await updates.following() == CachedValue("one", .fresh))
    // The end of the changes does not end what is shown.
    await cache.keep("two", for: "a")
    #expect(await updates.following() == CachedValue("two", .fresh))
    continuation.finish()
    await cache.wipe()
    #expect(await updates.following() == .some(nil))
    #expect(await updates.following() == nil)
  }

  @Test(.requirement("O39"))
  func `after a wipe the changes of an account that has left are not shown either`() async throws {
    let (changes, continuation) = AsyncStream.makeStream(of: [String].self)
    var updates = cache.updates(for: "a", as: String.self, overlaying: changes) { text, change in
      text = (text ?? "") + change
    }.makeAsyncIterator()
    continuation.yield(["secret"])
    #expect(await updates.following() == CachedValue("secret", .missing, localChanges: 1))
    await cache.wipe()
    continuation.yield(["secret", "more"])
    while let shown = await updates.following() { #expect(shown == nil) }
  }

  @Test func `a change that was delivered does not vanish while what is kept is still being read`()
    async throws
  {
    // Whoever keeps a value reads, too: the fourth one looks at what the second one has kept.
    let store = SlowCacheStore(slow: [4])
    let cache = ResponseCache("books", of: .account(1), in: store, clock: clock)
    await cache.keep("a", for: "a")
    let (changes, continuation) = AsyncStream.makeStream(of: [String].self)
    var updates = cache.updates(for: "a", as: String.self, overlaying: changes) { text, change in
      if text?.contains(change) != true { text = (text ?? "") + change }
    }.makeAsyncIterator()
    continuation.yield(["b"])
    #expect(await updates.following() == CachedValue("ab", .fresh, localChanges: 1))
    await cache.keep("ab", for: "a")
    await store.gate.arrivals(atLeast: 1)
    continuation.yield([])
    #expect(await updates.following() == CachedValue("ab", .fresh))
    store.gate.open()
    // What was looked for before that is not told again.
    await cache.keep("abc", for: "a")
    #expect(await updates.following() == CachedValue("abc", .fresh))
  }

  @Test func `changes that come before the screen has heard of a wipe are not shown`()
    async throws
  {
    // The first one who watches reads once; the entry that is kept is read by whoever keeps it.
    let store = SlowCacheStore(slow: [3])
    let cache = ResponseCache("books", of: .account(1), in: store, clock: clock)
    let (changes, continuation) = AsyncStream.makeStream(of: [String].self)
    let updates = cache.updates(for: "a", as: String.self, overlaying: changes) { text, change in
      text = (text ?? "") + change
    }
    let shown = Log()
    let screen = Task { for await value in updates { shown.add(value?.value ?? "nothing") } }
    continuation.yield(["secret"])
    await shown.lines(atLeast: 1)
    await cache.keep("one ", for: "a")
    await store.gate.arrivals(atLeast: 1)
    await cache.wipe()
    continuation.yield(["secret", "more"])
    for _ in 0..<100 { await Task.yield() }
    store.gate.open()
    await screen.value
    #expect(shown.lines == ["secret", "nothing"])
  }
}
