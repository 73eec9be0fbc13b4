// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite struct SlidingWindowTests {
  private typealias Totals = SlidingWindow.Totals

  /// One call, as a list keeps it.
  private struct Sample {
    let reading: Duration
    let isFailure: Bool
    let isSlow: Bool
  }

  private func totals(_ samples: some Sequence<Sample>) -> Totals {
    samples.reduce(into: Totals()) { $0.add(isFailure: $1.isFailure, isSlow: $1.isSlow) }
  }

  private func sample(_ random: inout SplitMix64, at reading: Duration) -> Sample {
    Sample(
      reading: reading, isFailure: Bool.random(using: &random),
      isSlow: Bool.random(using: &random))
  }

  private func sum(_ window: SlidingWindow) -> Totals {
    window.contents.reduce(into: Totals()) { sum, part in
      sum.calls += part.calls
      sum.failures += part.failures
      sum.slow += part.slow
    }
  }

  @Test(.requirement("P10"), arguments: [1, 2, 3, 10, 64])
  func `a window over a count holds exactly the latest calls`(size: Int) {
    for seed in 0..<UInt64(RandomDose.cases / 10) {
      var random = SplitMix64(seed: seed)
      var window = SlidingWindow(over: .count(size))
      var all: [Sample] = []
      for _ in 0..<(3 * size + 5) {
        let sample = sample(&random, at: .zero)
        all.append(sample)
        window.record(isFailure: sample.isFailure, isSlow: sample.isSlow, at: .zero)
        let latest = all.suffix(size)
        #expect(window.totals(at: .zero) == totals(latest))
        #expect(window.contents.map(\.failures) == latest.map { $0.isFailure ? 1 : 0 })
        #expect(window.contents.map(\.slow) == latest.map { $0.isSlow ? 1 : 0 })
        if Int.random(in: 0..<50, using: &random) == 0 {
          window.clear()
          all = []
          #expect(window.totals(at: .zero) == Totals())
        }
      }
    }
  }

  @Test(.requirement("P9", "P12"), arguments: [10, 1_000, 30_000])
  func `a window over a time holds the young calls and none of the old ones`(length: Int) {
    let span = Duration.milliseconds(length)
    for seed in 0..<UInt64(RandomDose.cases / 4) {
      var random = SplitMix64(seed: seed)
      var window = SlidingWindow(over: .time(span))
      var all: [Sample] = []
      var (now, latest) = (Duration.zero, Duration.zero)
      #expect(window.totals(at: now) == Totals())
      for _ in 0..<200 {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40: now += span * Int.random(in: 0...30, using: &random) / 100
        case 40..<44: now += span * Int.random(in: 0...3, using: &random)
        case 44..<50: now -= span / 3
        default: break
        }
        latest = max(latest, now)
        if Bool.random(using: &random) {
          let sample = sample(&random, at: latest)
          all.append(sample)
          window.record(isFailure: sample.isFailure, isSlow: sample.isSlow, at: now)
        }
        let held = window.totals(at: now)
        let least = totals(all.filter { latest - $0.reading < span * 9 / 10 })
        let most = totals(all.filter { latest - $0.reading < span })
        #expect(least.calls <= held.calls && held.calls <= most.calls)
        #expect(least.failures <= held.failures && held.failures <= most.failures)
        #expect(least.slow <= held.slow && held.slow <= most.slow)
        #expect(sum(window) == held)
      }
    }
  }

  @Test(.requirement("P9"))
  func `a gap as long as the window clears it, on reading and on writing`() {
    for gap in [Duration.seconds(30), .seconds(31), .seconds(86_400 * 365)] {
      var window = SlidingWindow(over: .time(.seconds(30)))
      for second in 0..<30 {
        window.record(isFailure: true, isSlow: true, at: .seconds(second))
      }
      var copy = window
      #expect(window.totals(at: .seconds(29) + gap) == Totals())
      copy.record(isFailure: false, isSlow: false, at: .seconds(29) + gap)
      #expect(copy.totals == Totals(calls: 1))
      // The parts are counted anew from here.
      #expect(copy.currentEnd == .seconds(32) + gap)
    }
  }

  @Test(.requirement("P9")) func `calls leave a window over a time a tenth of it at once`() {
    var window = SlidingWindow(over: .time(.seconds(10)))
    for second in 0..<10 { window.record(isFailure: true, isSlow: false, at: .seconds(second)) }
    for second in 10..<20 {
      #expect(window.totals(at: .seconds(second)).calls == 19 - second)
      #expect(window.totals(at: .milliseconds(second * 1000 + 999)).calls == 19 - second)
    }
  }

  @Test(.requirement("P9", "P14"))
  func `an idle part of the window is not counted for what came before it`() {
    var window = SlidingWindow(over: .time(.seconds(10)))
    window.record(isFailure: true, isSlow: false, at: .seconds(0))
    // Two records, nine seconds apart: not two rotations but nine.
    window.record(isFailure: false, isSlow: false, at: .seconds(9))
    #expect(window.totals == Totals(calls: 2, failures: 1))
    window.record(isFailure: false, isSlow: false, at: .seconds(10))
    #expect(window.totals == Totals(calls: 2))
  }

  @Test(.requirement("P12")) func `a reading from the past or the same again passes no time`() {
    var window = SlidingWindow(over: .time(.seconds(10)))
    window.record(isFailure: true, isSlow: false, at: .seconds(100))
    for reading in [100, 50, -100, 100, 99] {
      window.record(isFailure: true, isSlow: false, at: .seconds(reading))
    }
    #expect(window.totals(at: .seconds(-1_000_000)).calls == 6)
    #expect(window.totals(at: .milliseconds(109_999)).calls == 6)
    #expect(window.totals(at: .seconds(110)).calls == 0)
  }

  @Test(.requirement("P10")) func `the smallest and the largest windows work`() {
    let far = Duration.seconds(Int64.max / 2)
    for span in [Duration(attoseconds: 1), Duration(attoseconds: 11), .nanoseconds(1), .aYear] {
      var window = SlidingWindow(over: .time(span))
      for reading in [.zero - far, .zero - far + span, Duration.zero, .seconds(1), far] {
        window.record(isFailure: true, isSlow: true, at: reading)
        #expect(window.totals.calls >= 1 && window.totals.calls <= 2)
      }
      #expect(window.totals(at: far + max(span, Duration(attoseconds: 10))) == Totals())
    }
    var one = SlidingWindow(over: .count(1))
    one.record(isFailure: true, isSlow: false, at: .zero)
    one.record(isFailure: false, isSlow: true, at: .zero)
    #expect(one.totals == Totals(calls: 1, failures: 0, slow: 1))
    var largest = SlidingWindow(over: .count(100_000))
    for index in 0..<100_001 { largest.record(isFailure: index == 0, isSlow: false, at: .zero) }
    #expect(largest.totals == Totals(calls: 100_000))
  }

  @Test func `a window that was cleared begins at its next reading`() {
    var window = SlidingWindow(over: .time(.seconds(10)))
    window.record(isFailure: true, isSlow: false, at: .seconds(100))
    window.clear()
    #expect(window.currentEnd == nil)
    window.record(isFailure: true, isSlow: false, at: .milliseconds(100_500))
    #expect(window.currentEnd == .milliseconds(101_500))
    #expect(window.totals == Totals(calls: 1, failures: 1))
  }
}
