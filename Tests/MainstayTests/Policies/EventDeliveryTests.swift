// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Events that come faster than they are told.
@Suite(.ends(withinMinutes: 2), .requirement("P35")) struct EventDeliveryTests {
  @Test func `one caller tells so many events and no more, and all are told in order`() async throws
  {
    let observer = Echo(until: 1_000)
    let bulkhead = Bulkhead("catalog", limit: 1, observer: observer)
    observer.bulkhead.withLock { $0 = bulkhead }
    try Echo.$isCaller.withValue(true) { try bulkhead.setLimit(2) }
    while observer.told.count < 999, !Task.isCancelled { await Task.yield() }
    #expect(observer.told.map(\.to) == Array(2...1_000))
    #expect(observer.told.count { $0.byCaller } == 256)
    observer.bulkhead.withLock { $0 = nil }
  }

  @Test func `a caller alone has told its events when it returns`() throws {
    let events = EventRecorder()
    let bulkhead = Bulkhead("catalog", limit: 1, observer: events)
    for limit in 2...1_000 {
      try bulkhead.setLimit(limit)
      #expect(events.events.count == limit - 1)
    }
  }

  @Test func `what an observer is too slow for is counted, and states are told all the same`()
    async throws
  {
    let observer = Storm(of: 10_100)
    let limiter = RateLimiter(
      "search", .gcra(rate: 1, per: .seconds(1)), clock: ManualClock(), observer: observer)
    observer.limiter.withLock { $0 = limiter }
    Storm.refuse(limiter)
    while observer.events.events.last?.what.name != "eventsDropped" { await Task.yield() }
    observer.limiter.withLock { $0 = nil }
    let names = observer.events.events.map(\.what.name)
    #expect(
      names == Array(repeating: "rejected", count: 1 + 10_000) + [
        "settingsChanged", "eventsDropped",
      ])
    guard case .eventsDropped(count: 100) = observer.events.events.last?.what else {
      Issue.record("\(String(describing: observer.events.events.last))")
      return
    }
    // Whoever comes afterwards tells as ever.
    observer.events.clear()
    Storm.refuse(limiter)
    await observer.events.told("rejected")
    #expect(observer.events.events.map(\.what.name) == ["rejected"])
  }

  /// Moves the limit by one more whenever it was moved.
  private final class Echo: PolicyObserver {
    @TaskLocal static var isCaller = false

    let bulkhead = Locked<Bulkhead?>(nil)
    private let seen = Locked<[(to: Int, byCaller: Bool)]>([])
    private let end: Int

    init(until end: Int) { self.end = end }

    var told: [(to: Int, byCaller: Bool)] { seen.withLock { $0 } }

    func observe(_ event: PolicyEvent) {
      guard case .limitChanged(_, let limit) = event.what else { return }
      seen.withLock { $0.append((limit, Self.isCaller)) }
      if limit < end { try? bulkhead.withLock { $0 }?.setLimit(limit + 1) }
    }
  }

  /// Takes so long for the first event that as many calls are refused meanwhile.
  private final class Storm: PolicyObserver {
    let limiter = Locked<RateLimiter?>(nil)
    let events = EventRecorder()
    private let count: Int

    init(of count: Int) { self.count = count }

    func observe(_ event: PolicyEvent) {
      let isFirst = events.events.isEmpty
      events.observe(event)
      guard isFirst, let limiter = limiter.withLock({ $0 }) else { return }
      for _ in 0..<count { Self.refuse(limiter) }
      try? limiter.setKind(.gcra(rate: 2, per: .seconds(1)))
    }

    /// Asks for more than is ever allowed.
    static func refuse(_ limiter: RateLimiter) {
      do throws(Rejection) { try limiter.reserve(cost: 1_000).cancel() } catch {}
    }
  }
}

extension EventRecorder {
  /// Returns as soon as the newest event has this name.
  ///
  /// Where many tasks use a policy at the same time, its last events may be told by a task of its
  /// own.
  func told(_ name: String) async {
    while events.last?.what.name != name, !Task.isCancelled { await Task.yield() }
  }
}
