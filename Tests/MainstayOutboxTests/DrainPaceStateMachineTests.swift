// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@testable import MainstayOutbox

/// How many operations run at once, and how long the rest takes.
@Suite(.requirement("O11")) struct DrainPaceStateMachineTests {
  typealias Signal = DrainPaceStateMachine.Signal

  private func limits(_ maximum: Int, _ signals: [Signal]) -> [Int] {
    var pace = DrainPaceStateMachine(maximum: maximum)
    return signals.map { signal in
      pace.ended(signal)
      return pace.limit
    }
  }

  @Test func `after an outage it begins with one, and doubles`() {
    let outage = [Signal.unreachable] + Array(repeating: .succeeded, count: 15)
    #expect(limits(8, outage) == [1, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8])
    #expect(limits(6, outage).prefix(9) == [1, 2, 2, 4, 4, 4, 4, 6, 6])
    #expect(limits(9, outage).suffix(2) == [8, 9], "an odd maximum is doubled up to")
    #expect(limits(9, outage + Array(repeating: .succeeded, count: 8)).last == 9)
    #expect(limits(1, [.succeeded, .pushedBack, .succeeded]) == [1, 1, 1])
    #expect(DrainPaceStateMachine(maximum: 0).limit == 1)
    #expect(DrainPaceStateMachine(maximum: .max).limit == .max)
  }

  @Test func `each push back halves it, and what else happens changes nothing`() {
    #expect(
      limits(8, [.pushedBack, .neutral, .pushedBack, .pushedBack, .pushedBack]) == [4, 4, 2, 1, 1])
    #expect(limits(.max, [.unreachable, .succeeded, .neutral, .succeeded]) == [1, 2, 2, 2])
    // Successes before a push back do not count after it.
    let grown = [Signal.unreachable] + Array(repeating: .succeeded, count: 6)
    #expect(limits(8, grown + [.pushedBack, .succeeded, .succeeded]).suffix(4) == [4, 2, 2, 4])
    #expect(
      limits(4, [.unreachable, .succeeded, .succeeded, .pushedBack, .succeeded])
        == [1, 2, 2, 1, 2])
    #expect(
      limits(4, [.unreachable, .succeeded, .succeeded, .unreachable, .succeeded, .succeeded])
        == [1, 2, 2, 1, 2, 2])
  }

  @Test(.requirement("P37"))
  func `another maximum is reached at once at full speed, and step by step after trouble`() {
    func limit(_ signals: [Signal], _ maxima: Int..., then more: [Signal] = []) -> Int {
      var pace = DrainPaceStateMachine(maximum: 8)
      for signal in signals { pace.ended(signal) }
      for maximum in maxima { pace.update(maximum: maximum) }
      for signal in more { pace.ended(signal) }
      return pace.limit
    }
    #expect(limit([], 20) == 20 && limit([], 3) == 3 && limit([], 0) == 1)
    #expect(limit([.pushedBack], 20) == 4, "it is still careful")
    #expect(limit([.pushedBack], 2) == 2 && limit([.pushedBack], 2, 20) == 20)
    #expect(limit([.unreachable], 20, then: [.succeeded, .succeeded, .succeeded]) == 4)
    #expect(limit([.pushedBack], 20, then: Array(repeating: .succeeded, count: 12)) == 16)
    // What ended well before counts no more than it can.
    let well = [Signal.pushedBack] + Array(repeating: .succeeded, count: 3)
    #expect(limit(well, 20, then: [.succeeded]) == 8)
    #expect(limit(well, 2, then: [.pushedBack, .succeeded]) == 2)
  }

  @Test(arguments: [
    (AppError.test(.transient(), kind: .offline), Signal.unreachable),
    (.test(.transient(), kind: .network), .unreachable),
    (.test(.transient(), kind: .portal), .unreachable),
    (.test(.throttled()), .pushedBack), (.test(.transient(), kind: .timeout), .pushedBack),
    (.http(status: 503, isRepeatable: true), .pushedBack),
    (.http(status: 500, isRepeatable: true), .neutral),
    (.test(.permanent), .neutral), (.cancelled(), .neutral),
  ])
  func `an error says how the way to the other side is`(error: AppError, signal: Signal) {
    #expect(Signal(error) == signal)
    #expect(Signal(nil) == .neutral)
  }

  @Test func `the limit after an outage is for those that have just begun, until it is over`() {
    func isForYoung(_ signals: [Signal], maximum: Int = 4) -> Bool {
      var pace = DrainPaceStateMachine(maximum: maximum)
      for signal in signals { pace.ended(signal) }
      return pace.isForYoung
    }
    #expect(isForYoung([.unreachable]) && isForYoung([.unreachable, .neutral, .succeeded]))
    #expect(!isForYoung([]) && !isForYoung([.unreachable], maximum: 1))
    #expect(!isForYoung([.unreachable, .succeeded, .succeeded, .succeeded]), "the maximum again")
    #expect(!isForYoung([.pushedBack]) && !isForYoung([.unreachable, .pushedBack]))
    #expect(isForYoung([.pushedBack, .unreachable]))
    var pace = DrainPaceStateMachine(maximum: 4)
    pace.ended(.unreachable)
    pace.update(maximum: 1)
    #expect(!pace.isForYoung)
  }

  @Test func `a random life keeps the limit between one and the maximum`() {
    var generator = SeededGenerator(seed: 7)
    for maximum in 1...9 {
      var pace = DrainPaceStateMachine(maximum: maximum)
      for step in 0..<10_000 {
        var maximum = maximum
        if step > 5000 {
          maximum = Int.random(in: 1...9, using: &generator)
          pace.update(maximum: maximum)
          #expect((1...maximum).contains(pace.limit))
        }
        let signal = Signal.allCases.randomElement(using: &generator) ?? .neutral
        let before = pace.limit
        pace.ended(signal)
        #expect((1...maximum).contains(pace.limit))
        if signal == .succeeded {
          #expect(pace.limit >= before)
        } else {
          #expect(pace.limit <= before)
        }
      }
    }
  }

  @Test func `an estimate is the pace of the past, as sure as it was measured`() throws {
    var rate = DrainRate()
    #expect(rate.estimate(5, at: .zero) == nil)
    for second in 0..<10 {
      rate.began(at: .seconds(second))
      rate.ended(well: true, at: .seconds(second) + .milliseconds(500))
    }
    let few = try #require(rate.estimate(12, at: .seconds(100)))
    #expect(abs(few.likely.inSeconds - 6) < 0.6, "half a second each; the time between is no work")
    #expect(few.shortest < few.likely && few.likely < few.longest)
    #expect(rate.estimate(0, at: .seconds(100)) == nil)
    for second in 100..<1000 {
      rate.began(at: .seconds(second))
      rate.ended(well: true, at: .seconds(second) + .milliseconds(500))
    }
    let many = try #require(rate.estimate(12, at: .seconds(1000)))
    #expect(many.longest - many.shortest < few.longest - few.shortest)
  }

  @Test func `a pace that changes is followed, and failures count as time`() throws {
    var rate = DrainRate()
    for second in 0..<60 {
      rate.began(at: .seconds(second))
      rate.ended(well: true, at: .seconds(second + 1))
    }
    for second in 60..<180 {
      rate.began(at: .seconds(second))
      rate.ended(well: second % 4 == 0, at: .seconds(second + 1))
    }
    let estimate = try #require(rate.estimate(1, at: .seconds(180)))
    #expect(abs(estimate.likely.inSeconds - 4) < 1)
    rate.began(at: .seconds(180))
    let stuck = try #require(rate.estimate(1, at: .seconds(240)))
    #expect(stuck.likely > estimate.likely * 2, "what has not ended is slow too")
    #expect(rate.estimate(.max, at: .seconds(181)) == nil, "more than a day is no estimate")
  }

  @Test(arguments: [
    (0.4, "less than 1 s"), (8.2, "about 8 s"), (89, "about 89 s"), (90, "about 2 min"),
    (5399, "about 90 min"), (9000, "about 3 h"),
  ])
  func `it is said in the largest unit that fits`(seconds: Double, text: String) {
    let time = Duration.clamped(seconds: seconds)
    #expect(DrainEstimate(likely: time, shortest: time, longest: time).description == text)
  }
}
