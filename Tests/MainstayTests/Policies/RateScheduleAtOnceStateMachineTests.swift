// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

@testable import Mainstay

/// The quick way of a call that may run at once, beside the way of all calls.
@Suite(.requirement("P33")) struct RateScheduleAtOnceTests {
  static let laws = [
    RateSchedule.tokenBucket(TokenBucket(rate: 3, per: 1_000, burst: 5)),
    .gcra(GenericCellRate(rate: 3, per: 1_000, burst: 5)),
    .slidingWindow(SlidingWindowLog(limit: 5, window: 1_000)),
  ]

  @Test(arguments: 0..<3) func `the quick way says what the other one says`(law: Int) {
    var generator = SeededGenerator(seed: UInt64(law))
    var (quick, whole) = (Self.laws[law], Self.laws[law])
    var time: Nanoseconds = 0
    var granted = 0
    for _ in 0..<5_000 {
      time += Nanoseconds(Int.random(in: 0...700, using: &generator))
      let cost = Int.random(in: -1...7, using: &generator)
      let isFree = cost <= 0
      let mayRun = isFree || cost <= whole.highestCost && whole.earliest(cost, from: time) <= time
      let ran = quick.admitAtOnce(cost, at: time)
      #expect(ran == mayRun)
      if mayRun, !isFree {
        whole.admit(cost, at: time)
        granted += cost
      }
      #expect(quick.free(at: time) == whole.free(at: time))
    }
    #expect(granted > 1_000)
  }

  @Test(arguments: 0..<3) func `the highest cost is let through, and no higher one`(law: Int) {
    var schedule = Self.laws[law]
    let answers = [6, 0, -1, 5, 1].map { schedule.admitAtOnce($0, at: 0) }
    #expect(answers == [false, true, true, true, false])
  }

  @Test func `a reading is cut to whole nanoseconds, however long it is`() {
    var generator = SeededGenerator(seed: 1)
    var readings = [0, -1, 999_999_999, 1 << 104, 1 << 104 - 1, .max, .min].map { $0 as Int128 }
    for _ in 0..<RandomDose.cases {
      let whole = Int128(Int64.random(in: .min ... .max, using: &generator)) * 1_000_000_000
      let part = whole << Int128(Int.random(in: 0...33, using: &generator))
      readings += [whole, whole - 1, part, part + 511, part - 512, part >> 40]
    }
    for reading in readings {
      #expect(Duration(attoseconds: reading).inNanoseconds == reading / 1_000_000_000)
    }
  }
}
