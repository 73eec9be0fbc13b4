// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

@Suite(.requirement("A49")) struct TrendRingStateMachineTests {
  @Test func `it counts each minute and forgets what is over`() {
    var ring = TrendRing(width: 1, spans: 4)
    for minute in [100, 100, 101, 103] { ring.add(minute: minute) }
    #expect(ring.counts(until: 103) == [2, 1, 0, 1])
    #expect(ring.counts(until: 105) == [0, 1, 0, 0])
    #expect(ring.counts(until: 200) == [0, 0, 0, 0])
    ring.add(minute: 105)
    #expect(ring.counts(until: 105) == [0, 1, 0, 1])
  }

  @Test func `a span that is full stays full, and its neighbours count on`() {
    var ring = TrendRing(width: 1, spans: 2)
    ring.add(minute: 7, count: .max - 1)
    for count in [Int(UInt32.max), Int(UInt32.max), Int(UInt32.max)] {
      ring.add(minute: 7)
      #expect(ring.counts(until: 7) == [0, count])
    }
    ring.add(minute: 8)
    #expect(ring.counts(until: 8) == [Int(UInt32.max), 1])
    ring.add(minute: 7, count: .max)
    #expect(ring.counts(until: 8) == [Int(UInt32.max), 1])
  }

  @Test func `a late one counts where it belongs`() {
    var ring = TrendRing(width: 1, spans: 4)
    ring.add(minute: 103)
    ring.add(minute: 101)
    #expect(ring.counts(until: 103) == [0, 1, 0, 1])
  }

  @Test func `minutes before 1970 fall into spans like all others`() {
    var ring = TrendRing(width: 60, spans: 3)
    for minute in [-61, -60, -1, 0] { ring.add(minute: minute) }
    #expect(ring.counts(until: 0) == [1, 2, 1])
    var early = TrendRing(width: 60, spans: 3)
    for minute in [-61, -1] { early.add(minute: minute) }
    #expect(early.counts(until: 0) == [1, 1, 0])
  }

  @Test(arguments: [Int.min, -5_000_000_000, 0, 5_000_000_000, Int.max])
  func `a clock that jumps by years loses nothing of all time and goes on`(far: Int) {
    var trends = Trends()
    for minute in [1_000, far, 1_001, far, 1_002] { trends.add(minute: minute) }
    #expect(trends.total == 5)
    for _ in 0..<7 { trends.add(minute: 1_003) }
    let minutes = trends.counts(per: .minute, until: 1_003)
    #expect(minutes.count == 60 && minutes.last.map { $0 >= 7 } == true)
    #expect(trends.counts(per: .hour, until: 1_003).count == 24)
    #expect(trends.counts(per: .day, until: 1_003).count == 30)
  }

  @Test func `a clock that was set back takes the counts along`() {
    var ring = TrendRing(width: 1, spans: 3)
    for minute in [9_000, 9_001, 9_001] { ring.add(minute: minute) }
    ring.add(minute: 50)
    #expect(ring.counts(until: 50) == [0, 1, 3])
  }

  @Test func `a clock that was set back by the length of the ring takes them along too`() {
    var ring = TrendRing(width: 1, spans: 3)
    for minute in [9_000, 9_001, 9_001] { ring.add(minute: minute) }
    ring.add(minute: 8_998)
    #expect(ring.counts(until: 8_998) == [0, 1, 3])
    ring.add(minute: 8_996)
    #expect(ring.counts(until: 8_998) == [1, 1, 3], "within the ring it counts where it belongs")
  }

  @Test func `a clock that jumps over all of time goes forward and back like any other`() {
    var ring = TrendRing(width: 1, spans: 3)
    #expect(ring.counts(until: 7) == [0, 0, 0], "nothing has happened")
    ring.add(minute: .max)
    ring.add(minute: .min)
    #expect(ring.counts(until: .min) == [0, 0, 2])
    ring.add(minute: .max)
    #expect(ring.counts(until: .max) == [0, 0, 1])
    #expect(ring.counts(until: .min) == [0, 0, 1])
  }

  @Test func `there are 60 minutes, 24 hours and 30 days, each of its length`() {
    var trends = Trends()
    for minute in [0, 1, 59, 60, 1_439, 1_440] { trends.add(minute: minute) }
    let lines = [ErrorMonitor.Span.minute, .hour, .day].map { trends.counts(per: $0, until: 1_440) }
    #expect(lines.map(\.count) == [60, 24, 30])
    #expect(lines[0] == Array(repeating: 0, count: 58) + [1, 1])
    #expect(lines[1] == [1] + Array(repeating: 0, count: 21) + [1, 1])
    #expect(lines[2] == Array(repeating: 0, count: 28) + [5, 1])
    var pair = Trends()
    for minute in [10, 11] { pair.add(minute: minute) }
    #expect(pair.counts(per: .minute, until: 11).suffix(2) == [1, 1])
    var early = Trends()
    for minute in [0, 1, 59, 60] { early.add(minute: minute) }
    #expect(early.counts(per: .hour, until: 60).suffix(2) == [3, 1])
    #expect(early.counts(per: .minute, until: 1).suffix(2) == [1, 1], "it ends with the latest")
  }

  @Test func `a random walk of a clock that goes on agrees with a dictionary`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      let (width, spans) = (
        Int.random(in: 1...5, using: &random), Int.random(in: 1...8, using: &random)
      )
      var ring = TrendRing(width: width, spans: spans)
      var model: [Int: Int] = [:]
      var latest = 500
      for _ in 0..<40 {
        latest += [0, 0, 1, 1, 3, 40].randomElement(using: &random) ?? 0
        // Late by no more than the ring is long.
        let minute = latest - Int.random(in: 0...2, using: &random)
        let isWithin = latest / width - minute / width < spans
        guard isWithin else { continue }
        ring.add(minute: latest)
        model[latest / width, default: 0] += 1
        ring.add(minute: minute)
        model[minute / width, default: 0] += 1
        let asked = latest + Int.random(in: 0...9, using: &random)
        let expected = (0..<spans).map { model[asked / width - spans + 1 + $0] ?? 0 }
        #expect(ring.counts(until: asked) == expected, "seed \(seed)")
      }
    }
  }

  @Test func `a random walk of a clock that jumps stays bounded and never traps`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      var ring = TrendRing(width: Int.random(in: 1...1_440, using: &random), spans: 5)
      var added = 0
      for _ in 0..<40 {
        let minute =
          [0, 1, -1, .max, .min, 4_300_000_000, Int.random(in: -99...99, using: &random)]
          .randomElement(using: &random) ?? 0
        ring.add(minute: minute)
        added += 1
        let counts = ring.counts(until: minute)
        #expect(counts.count == 5 && (1...added).contains(counts.reduce(0, +)), "seed \(seed)")
      }
    }
  }
}
