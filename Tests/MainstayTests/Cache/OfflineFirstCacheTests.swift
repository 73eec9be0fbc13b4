// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What an app shows that works without a network.
@Suite struct OfflineFirstCacheTests {
  private let bench = CacheBench(.offlineFirst)

  @Test func `what is kept is shown after days without the service, with its age`() async throws {
    _ = try await bench.ask("one")
    bench.clock.advance(by: .seconds(2 * 86_400))
    let shown = await bench.cache.cached("a", as: Novel.self)
    #expect(shown?.value == Novel(title: "one"))
    #expect(shown?.freshness.age == .seconds(2 * 86_400))
    let answer = try await bench.ask(CacheBench.down())
    #expect(answer.freshness == .revalidating(age: .seconds(2 * 86_400)), "at once")
    let refreshed = try await bench.cache.refresh("a", as: Novel.self) {
      throw AppError.http(status: 503)
    }
    #expect(refreshed.value == Novel(title: "one") && refreshed.freshness.cause != nil)
  }

  @Test func `what was changed here is laid over it then, too`() async throws {
    _ = try await bench.ask("one")
    bench.clock.advance(by: .seconds(2 * 86_400))
    let (changes, continuation) = AsyncStream.makeStream(of: [String].self)
    var shown = bench.cache.updates(for: "a", as: Novel.self, overlaying: changes) { novel, title in
      novel = Novel(title: (novel?.title ?? "") + title)
    }.makeAsyncIterator()
    continuation.yield(["!"])
    #expect(await shown.following()??.value == Novel(title: "one!"))
  }
}
