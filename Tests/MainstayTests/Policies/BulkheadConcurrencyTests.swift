// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Real tasks at one bulkhead.
@Suite struct BulkheadConcurrencyTests {
  @Test(.requirement("P31", "P32", "P35"), arguments: Bulkhead.Order.allCases)
  func `no permit is lost, whatever becomes of many tasks`(order: Bulkhead.Order) async throws {
    let clock = ManualClock()
    let events = EventRecorder()
    let bulkhead = Bulkhead(
      "catalog", limit: 3, queue: 50, maximumWait: .seconds(5), order: order, clock: clock,
      observer: events)
    // Counted here, since the bulkhead's own number is what may be wrong.
    let inside = InsideCount()
    let most = Log()
    for round in 0..<(RandomDose.isTorture ? 200 : 10) {
      var random = SeededGenerator(seed: UInt64(round))
      let calls = (0..<100).map { _ in
        let chance = Int.random(in: 0..<100, using: &random)
        return Task {
          try await bulkhead.run {
            let count = inside.enter()
            defer { inside.leave() }
            if max(count, bulkhead.running) > 3 { most.add("\(count), \(bulkhead.running)") }
            for _ in 0..<chance % 7 { await Task.yield() }
            if chance < 20 { throw BreakerBench.down }
            if chance < 30 { throw CancellationError() }
          }
        }
      }
      for call in calls {
        let chance = Int.random(in: 0..<100, using: &random)
        if chance < 40 { call.cancel() }
        if chance > 95 { clock.advance(by: .seconds(3)) }
        if chance > 90 { await Task.yield() }
      }
      // Whoever still waits is let in by those who end, so all calls end.
      for call in calls { _ = await call.result }
      #expect(bulkhead.running == 0 && bulkhead.waiting == 0, "round \(round)")
      guard let first = bulkhead.tryAcquire(), let second = bulkhead.tryAcquire(),
        let third = bulkhead.tryAcquire()
      else {
        Issue.record("a permit is lost in round \(round)")
        return
      }
      if bulkhead.tryAcquire() != nil { Issue.record("there is a permit too many") }
      first.release()
      second.release()
      third.release()
    }
    #expect(most.lines.isEmpty)
    #expect(events.events.contains { if case .waited = $0.what { true } else { false } })
  }

  @Test(.requirement("P31", "P37")) func `a limit that moves all the time loses no permit`()
    async throws
  {
    let bulkhead = Bulkhead("catalog", limit: 2, queue: 1_000, clock: ManualClock())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for turn in 0..<200 {
            if number == 0 { try bulkhead.setLimit(1 + turn % 4) }
            try await bulkhead.run { if turn.isMultiple(of: 3) { await Task.yield() } }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(bulkhead.running == 0 && bulkhead.waiting == 0)
  }

  @Test(.requirement("P35")) func `an observer may use the bulkhead`() async throws {
    let observer = Asking()
    let bulkhead = Bulkhead("catalog", limit: 1, observer: observer)
    observer.bulkhead.withLock { $0 = bulkhead }
    try await bulkhead.run {
      _ = await #expect(throws: Rejection.self) { try await bulkhead.run {} }
    }
    #expect(observer.seen.lines == ["1 of 1", "1 of 2"])
    observer.bulkhead.withLock { $0 = nil }
  }

  /// Raises the limit when a call was refused.
  private final class Asking: PolicyObserver {
    let bulkhead = Locked<Bulkhead?>(nil)
    let seen = Log()

    func observe(_ event: PolicyEvent) {
      guard let bulkhead = bulkhead.withLock({ $0 }) else { return }
      seen.add("\(bulkhead.running) of \(bulkhead.limit)")
      if case .rejected = event.what { try? bulkhead.setLimit(2) }
    }
  }
}
