// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Mainstay

/// When stale entries are dropped: neither at every alarm that is taken back, nor never.
@Suite struct CompactingAlarmQueueTests {
  /// A queue in which the last of some alarms were taken back.
  private static func queue(alarms: Int, takenBack: Int) -> AlarmQueue<Int> {
    var queue = AlarmQueue<Int>()
    let tickets = (0..<alarms).map { queue.add(due: .seconds($0), target: $0).ticket }
    for ticket in tickets.suffix(takenBack) { queue.remove(ticket) }
    return queue
  }

  @Test func `up to 64 entries are left as they are`() {
    #expect(Self.queue(alarms: 64, takenBack: 63).entryCount == 64)
    #expect(Self.queue(alarms: 64, takenBack: 64).entryCount == 64)
  }

  @Test func `more entries are compacted once more than half of them are stale`() {
    #expect(Self.queue(alarms: 65, takenBack: 32).entryCount == 65)
    #expect(Self.queue(alarms: 65, takenBack: 33).entryCount == 32)
    #expect(Self.queue(alarms: 66, takenBack: 33).entryCount == 66, "half is not more than half")
    #expect(Self.queue(alarms: 66, takenBack: 34).entryCount == 32)
  }

  @Test func `what is left after compacting rings, all of it and in order`() {
    var queue = Self.queue(alarms: 100, takenBack: 51)
    #expect(queue.entryCount == 49 && queue.count == 49)
    #expect(queue.wake(sleeperUntil: .zero, now: .seconds(100)).ringing == Array(0..<49))
    #expect(queue.entryCount == 0 && queue.count == 0)
  }
}
