// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 5)) struct ChangeFeedTests {
  private func names(_ stream: AsyncStream<InventoryEvent>, first count: Int) async -> [UInt64] {
    var ids: [UInt64] = []
    for await event in stream.prefix(count) { ids.append(event.id) }
    return ids
  }

  @Test func `whoever comes back gets what was missed, and then what is new`() async {
    let feed = ChangeFeed(capacity: 3)
    for number in 1...5 { feed.tell(.item, number) }
    let back = feed.subscribe(after: 3)
    let late = feed.subscribe(after: 1)
    let other = feed.subscribe(after: 99)
    let new = feed.subscribe()
    #expect(await names(late, first: 3) == [3, 4, 5])
    #expect(await names(other, first: 3) == [3, 4, 5])
    feed.tell(.status, 6)
    #expect(await names(back, first: 3) == [4, 5, 6])
    #expect(await names(new, first: 1) == [6])
  }

  @Test func `a reader that is told from many sides gets everything in order`() async {
    let feed = ChangeFeed(capacity: 4_000)
    let stream = feed.subscribe()
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { for number in 0..<500 { feed.tell(.item, number) } }
      }
    }
    #expect(await names(stream, first: 4_000) == Array(1...4_000))
  }

  /// Whoever cancels a reader holds the lock of its task while the stream ends, and whoever tells
  /// needs that lock to wake it: so nothing may be told under the lock that the end takes.
  @Test func `readers that leave while something is told hold nobody up`() async {
    let (feed, rounds) = (ChangeFeed(), RandomDose.isTorture ? 100_000 : 8_000)
    for _ in 0..<rounds {
      let stream = feed.subscribe()
      let reader = Task { for await _ in stream {} }
      await Task.yield()
      async let one: Void = feed.tell(.item, 1)
      async let other: Void = feed.tell(.status, 2)
      reader.cancel()
      _ = await (one, other, reader.value)
    }
    feed.tell(.item, 3)
    let last = UInt64(2 * rounds)
    #expect(await names(feed.subscribe(after: last), first: 1) == [last + 1])
  }
}
