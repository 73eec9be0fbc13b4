// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite struct RateScheduleTests {
  @Test(
    .requirement("P14", "P33"),
    arguments: [(1, 1), (3, 1), (7, 10), (1_000_000_000, 1), (999_999_937, 3)])
  func `the long-run rate is met to the nanosecond`(rate: Int, seconds: Int) {
    let per = Nanoseconds(seconds) * 1_000_000_000
    let burst = 5
    for law in [
      RateSchedule.tokenBucket(TokenBucket(rate: rate, per: per, burst: burst)),
      .gcra(GenericCellRate(rate: rate, per: per, burst: burst)),
    ] {
      var (law, time) = (law, Nanoseconds(0))
      let calls = 50_000
      for _ in 0..<calls {
        time = law.earliest(1, from: time)
        law.admit(1, at: time)
      }
      let parts = Nanoseconds(calls - burst) * per
      #expect(time == (parts + Nanoseconds(rate) - 1) / Nanoseconds(rate))
    }
  }

  @Test(.requirement("P33")) func `a window lets no second burst through at its edge`() {
    var log = SlidingWindowLog(limit: 10, window: 1_000)
    #expect(log.earliest(10, from: 999) == 999)
    log.admit(10, at: 999)
    #expect(log.earliest(1, from: 1_000) == 1_999)
    #expect(log.earliest(10, from: 1_998) == 1_999)
    log.admit(1, at: 1_999)
    #expect(log.earliest(9, from: 1_999) == 1_999)
    #expect(log.earliest(10, from: 1_999) == 2_999)
  }

  @Test(.requirement("P33")) func `a long log forgets what has left the window, and only that`() {
    var log = SlidingWindowLog(limit: 80, window: 1_000)
    var list: [Nanoseconds] = []
    var time: Nanoseconds = 0
    for step in 0..<1_000 {
      let cost = 1 + step % 3
      let from = time + (step.isMultiple(of: 200) ? 1_700 : 7)
      list.removeAll { $0 + 1_000 <= from }
      var naive = from
      while list.count(where: { $0 + 1_000 > naive }) + cost > 80 { naive += 1 }
      #expect(log.earliest(cost, from: from) == naive, "step \(step)")
      log.admit(cost, at: naive)
      list += Array(repeating: naive, count: cost)
      time = naive
    }
  }

  @Test(.requirement("P14")) func `a duration is so many nanoseconds, and back`() {
    let durations: [(Duration, Nanoseconds)] = [
      (.zero, 0), (.nanoseconds(1), 1), (.nanoseconds(-1), -1),
      (.seconds(3) + .nanoseconds(7), 3_000_000_007),
      (.seconds(-2) - .nanoseconds(5), -2_000_000_005),
      (.nanoseconds(999_999_999), 999_999_999), (.seconds(1), 1_000_000_000),
      (.seconds(Int64.max / 2), Nanoseconds(Int64.max / 2) * 1_000_000_000),
    ]
    for (duration, nanoseconds) in durations {
      #expect(duration.inNanoseconds == nanoseconds)
      #expect(Duration.exactly(nanoseconds) == duration)
    }
  }

  @Test(.requirement("P37")) func `under another law no more is free than was`() {
    let second = Duration.seconds(1)
    func kinds(_ count: Int) -> [RateLimiter.Kind] {
      [
        .tokenBucket(rate: count, per: second), .gcra(rate: count, per: second, burst: count),
        .slidingWindow(limit: count, per: second),
      ]
    }
    for old in kinds(10) {
      for used in 0...10 {
        for new in [1, 2, 5, 10, 20].flatMap(kinds) {
          var schedule = RateSchedule(old)
          if used > 0 { schedule.admit(used, at: 0) }
          let changed = schedule.changed(to: new, at: 0)
          #expect(changed.highestCost == new.burst)
          #expect(changed.free(at: 0) == min(10 - used, new.burst), "\(used) of \(old), \(new)")
          #expect(changed.free(at: 1_000_000_000) == new.burst)
        }
      }
    }
  }

  @Test(.requirement("P33")) func `what is free is what may run at once`() {
    for seed in 0..<RandomDose.schedules / 20 {
      var random = SplitMix64(seed: seed)
      let rate = Int.random(in: 1...9, using: &random)
      let per = Nanoseconds(Int.random(in: 1...60, using: &random))
      let burst = Int.random(in: 1...6, using: &random)
      var laws = [
        RateSchedule.tokenBucket(TokenBucket(rate: rate, per: per, burst: burst)),
        .gcra(GenericCellRate(rate: rate, per: per, burst: burst)),
        .slidingWindow(SlidingWindowLog(limit: burst, window: per)),
      ]
      var time = Nanoseconds(Int.random(in: -90...0, using: &random))
      for _ in 0..<40 {
        time += Nanoseconds(Int.random(in: 0...20, using: &random))
        for index in laws.indices {
          let atOnce = (1...burst).filter { laws[index].earliest($0, from: time) == time }
          #expect(laws[index].free(at: time) == atOnce.count, "seed \(seed): \(laws[index])")
          if let cost = atOnce.randomElement(using: &random), Bool.random(using: &random) {
            laws[index].admit(cost, at: time)
          }
        }
      }
    }
  }

  @Test func `a log is as long as the calls of its window, or nearly`() {
    var log = SlidingWindowLog(limit: 100_000, window: 1_000)
    // The pace changes, so that sometimes many calls leave the window at once.
    var time: Nanoseconds = 0
    var live: [Nanoseconds] = []
    for step in 0..<5_000 {
      time += step % 1_000 < 500 ? 1 : 40
      live.removeAll { $0 + 1_000 <= time }
      log.admit(1, at: time)
      live.append(time)
      let gone = log.entryCount - live.count
      #expect(gone >= 0 && gone <= max(32, log.entryCount / 2), "step \(step)")
    }
  }

  @Test func `calls of one moment share an entry, which leaves at the end of its window`() {
    var log = SlidingWindowLog(limit: 100, window: 1_000)
    for time in stride(from: 0, to: 9_000, by: 1_000) {
      for _ in 0..<50 { log.admit(2, at: Nanoseconds(time)) }
      #expect(log.entryCount == 1)
      #expect(log.free(at: Nanoseconds(time)) == 0)
      #expect(log.free(at: Nanoseconds(time + 1_000)) == 100)
    }
  }

  @Test(.requirement("P14")) func `steps of a nanosecond add up`() {
    var bucket = TokenBucket(rate: 1, per: 1_000_000, burst: 1)
    bucket.admit(1, at: 0)
    // Reading it often, as a busy caller does, loses nothing and gives nothing away.
    for time in 1..<1_000 { #expect(bucket.earliest(1, from: Nanoseconds(time)) == 1_000_000) }
  }

  @Test(.requirement("P33", "P14"))
  func `bucket and cell rate agree, and the log agrees with a list`() {
    for seed in 0..<RandomDose.schedules / 10 {
      var random = SplitMix64(seed: seed)
      let rate = Int.random(in: 1...9, using: &random)
      let per = Nanoseconds(Int.random(in: 1...60, using: &random))
      let burst = Int.random(in: 1...6, using: &random)
      var bucket = TokenBucket(rate: rate, per: per, burst: burst)
      var cells = GenericCellRate(rate: rate, per: per, burst: burst)
      var log = SlidingWindowLog(limit: burst, window: per)
      var list: [Nanoseconds] = []
      var (time, logTime) = (Nanoseconds(0), Nanoseconds(0))
      for _ in 0..<100 {
        let cost = Int.random(in: 1...burst, using: &random)
        let pause = Nanoseconds(Int.random(in: 0...20, using: &random))
        let turn = bucket.earliest(cost, from: time + pause)
        #expect(cells.earliest(cost, from: time + pause) == turn, "seed \(seed)")
        bucket.admit(cost, at: turn)
        cells.admit(cost, at: turn)
        time = turn

        var naive = logTime + pause
        while list.count(where: { $0 + per > naive }) + cost > burst { naive += 1 }
        #expect(log.earliest(cost, from: logTime + pause) == naive, "seed \(seed)")
        log.admit(cost, at: naive)
        list += Array(repeating: naive, count: cost)
        logTime = naive
      }
    }
  }

  @Test(.requirement("P18", "P12"))
  func `the largest settings and readings overflow nothing`() {
    let billion = 1_000_000_000
    let kinds: [RateLimiter.Kind] = [
      .tokenBucket(rate: billion, per: .seconds(Int64.max), burst: billion),
      .tokenBucket(rate: 1, per: .seconds(Int64.max), burst: billion),
      .gcra(rate: billion, per: .nanoseconds(1), burst: billion),
      .gcra(rate: 1, per: .seconds(Int64.max), burst: 1),
      .slidingWindow(limit: 100_000, per: .seconds(Int64.max)),
    ]
    let readings: [Duration] = [
      .seconds(Int64.min), .zero, .nanoseconds(1), .seconds(Int64.max), .seconds(Int64.min),
    ]
    for kind in kinds {
      var machine = RateLimiterStateMachine(kind)
      for now in readings {
        for cost in [Int.min, 0, 1, 100_000, 1_000_000_000, Int.max] {
          for wait in [Duration.zero, .aYear] {
            if case .promised(let id, _) = machine.ask(cost: cost, now: now, atMost: wait) {
              _ = machine.giveBack(id, now: now)
            }
          }
        }
        _ = machine.takeTurns(now: now)
      }
    }
  }
}
