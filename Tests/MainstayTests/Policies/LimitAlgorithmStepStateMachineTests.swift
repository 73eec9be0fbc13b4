// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

/// Each law by its numbers, one step at a time.
@Suite(.requirement("P34")) struct LimitAlgorithmStepTests {
  private typealias Sample = LimitAlgorithm.Sample

  private func isNear(_ left: Double, _ right: Double) -> Bool { abs(left - right) < 1e-6 }

  @Test func `AIMD adds one part of a round, and cuts down to a whole number`() {
    let aimd = AIMD(backoffRatio: 0.9, timeout: .seconds(5))
    func next(_ time: Duration, isDrop: Bool = false, isUsed: Bool = true) -> Double {
      aimd.next(20, Sample(time: time, inFlight: 20, isDrop: isDrop), isUsed: isUsed)
    }
    #expect(next(.zero) == 20 + 1.0 / 20)
    #expect(next(.seconds(5)) == 20 + 1.0 / 20, "as long as the timeout is not too long")
    #expect(next(.seconds(5) + .nanoseconds(1)) == 18)
    #expect(next(.zero, isDrop: true) == 18)
    #expect(next(.zero, isUsed: false) == 20)
    #expect(aimd.next(19, Sample(time: .zero, inFlight: 1, isDrop: true), isUsed: true) == 17)
  }

  @Test func `half of the limit in flight is use enough to grow`() {
    for (inFlight, grows) in [(9, false), (10, true), (11, true)] {
      var algorithm = LimitAlgorithm(.aimd(initial: 20))
      for _ in 0..<50 {
        _ = algorithm.learn(
          Sample(time: .zero, inFlight: inFlight), epoch: algorithm.epoch, now: .zero, fraction: 0)
        if algorithm.limit > 20 { break }
      }
      #expect((algorithm.limit > 20) == grows, "\(inFlight) of 20")
    }
  }

  @Test func `Vegas moves by how many calls stand in the queue`() {
    // The step is the logarithm of 100, which is 2; the shortest time is 100 ms.
    func next(queue: Double, isUsed: Bool = true) -> Double {
      var vegas = Vegas()
      let first = Sample(time: .milliseconds(100), inFlight: 100)
      #expect(vegas.next(100, first, isUsed: true, fraction: 0) == 100)
      // So long that a part of a call less stands in the queue; it is rounded up.
      let time = Duration.seconds(0.1 / (1 - (queue - 0.5) / 100))
      return vegas.next(
        100, Sample(time: time, inFlight: 100), isUsed: isUsed, fraction: 0)
    }
    #expect([1, 2].map { next(queue: $0) } == [112, 112], "at most one step: fast")
    #expect([3, 4, 5].map { next(queue: $0) } == [102, 102, 102], "below three steps: slowly")
    #expect([6, 7, 12].map { next(queue: $0) } == [100, 100, 100], "up to six steps: it stays")
    #expect([13, 50].map { next(queue: $0) } == [98, 98], "more: less")
    #expect([1, 4, 50].map { next(queue: $0, isUsed: false) } == [100, 100, 100])
  }

  @Test func `Vegas steps by the logarithm of the limit, and by one at least`() {
    func step(_ limit: Double) -> Double {
      var vegas = Vegas()
      let sample = Sample(time: .milliseconds(100), inFlight: 1_000)
      _ = vegas.next(limit, sample, isUsed: true, fraction: 0)
      return (vegas.next(limit, sample, isUsed: true, fraction: 0) - limit) / 6
    }
    let expected: [(limit: Double, logarithm: Double)] = [
      (1.0, 1.0), (5, 1), (9.9, 1), (10, 1), (19, 1.1), (55, 1.5), (95, 1 + 8.5 / 9), (100, 2),
      (105, 2 + 0.05 / 9), (1_000, 3), (5_500, 3.5),
    ]
    for (limit, logarithm) in expected { #expect(isNear(step(limit), logarithm), "\(limit)") }
  }

  @Test func `Vegas takes a step off for a drop, and learns no time from it`() {
    var vegas = Vegas()
    let drop = Sample(time: .nanoseconds(1), inFlight: 100, isDrop: true)
    #expect(vegas.next(100, drop, isUsed: true, fraction: 0) == 98)
    #expect(vegas.next(55, drop, isUsed: false, fraction: 0) == 53)
    #expect(vegas.shortest == nil)
  }

  @Test func `Vegas keeps the shortest time, and takes a new one every now and then`() {
    var vegas = Vegas()
    func answer(_ milliseconds: Int, fraction: Double = 0) -> Double {
      vegas.next(
        10, Sample(time: .milliseconds(milliseconds), inFlight: 10), isUsed: true,
        fraction: fraction)
    }
    #expect(answer(100) == 10 && vegas.shortest == 0.1)
    #expect(answer(90) == 10 && vegas.shortest == 0.09)
    #expect(answer(90) == 16 && vegas.shortest == 0.09)
    // 30 rounds, of which the first time three quarters pass, and then between half and all.
    for _ in 0..<220 { _ = answer(300) }
    #expect(vegas.shortest == 0.09)
    #expect(answer(300, fraction: 0.5) != 10)
    #expect(answer(300, fraction: 0.5) == 10 && vegas.shortest == 0.3)
    for _ in 1..<225 { _ = answer(400) }
    #expect(vegas.shortest == 0.3)
    #expect(answer(400, fraction: 0) == 10 && vegas.shortest == 0.4)
    for _ in 1..<150 { _ = answer(500) }
    #expect(vegas.shortest == 0.4)
    #expect(answer(500) == 10 && vegas.shortest == 0.5)
  }

  @Test func `an answer in no time counts as one of a nanosecond`() {
    var vegas = Vegas()
    _ = vegas.next(10, Sample(time: .zero, inFlight: 9), isUsed: true, fraction: 0)
    #expect(vegas.shortest == 1e-9)
    var gradient = Gradient2(tolerance: 1.5)
    for now in [0, 1] {
      for _ in 0..<10 {
        _ = gradient.next(20, Sample(time: .seconds(-1), inFlight: 1), now: .seconds(now))
      }
    }
    #expect(gradient.longTerm.map { isNear($0 * 1e9, 1) } == true)
  }

  /// One window of answers that all take this long.
  private func window(
    _ gradient: inout Gradient2, _ milliseconds: Int, start: Int, estimate: Double = 100,
    inFlight: Int = 100
  ) -> Double {
    let sample = Sample(time: .milliseconds(milliseconds), inFlight: inFlight)
    for _ in 0..<9 { _ = gradient.next(estimate, sample, now: .seconds(start)) }
    return gradient.next(estimate, sample, now: .seconds(start + 1))
  }

  @Test func `Gradient2 looks at whole seconds with ten answers at least`() {
    var gradient = Gradient2(tolerance: 1)
    let sample = Sample(time: .milliseconds(100), inFlight: 100)
    for _ in 0..<30 { #expect(gradient.next(100, sample, now: .milliseconds(999)) == 100) }
    #expect(gradient.longTerm == nil, "a second begins with the first answer")
    #expect(gradient.next(100, sample, now: .milliseconds(1_998)) == 100)
    #expect(gradient.next(100, sample, now: .milliseconds(1_999)) != 100)
    for _ in 0..<8 { #expect(gradient.next(100, sample, now: .seconds(2)) == 100) }
    #expect(gradient.next(100, sample, now: .seconds(9)) == 100, "the ninth")
    #expect(gradient.next(100, sample, now: .seconds(9)) != 100)
  }

  @Test func `Gradient2 averages ten windows, and then moves slowly`() throws {
    var gradient = Gradient2(tolerance: 1)
    for index in 0..<10 { _ = window(&gradient, 100 + index, start: index * 2) }
    #expect(isNear(try #require(gradient.longTerm), 0.1045))
    _ = window(&gradient, 200, start: 50)
    #expect(isNear(try #require(gradient.longTerm), 0.1045 + 0.0955 * 2 / 601))
  }

  @Test func `Gradient2 shrinks in proportion to half at most, with room for four more`() throws {
    for milliseconds in [100, 110, 160, 1_000] {
      var law = Gradient2(tolerance: 1)
      for index in 0..<10 { _ = window(&law, 100, start: index * 2) }
      // One more window of another time: the average is what it was, but for a little.
      let next = window(&law, milliseconds, start: 60)
      let long = try #require(law.longTerm)
      let exact = min(max(long / (Double(milliseconds) / 1_000), 0.5), 1)
      #expect(isNear(next, 100 * 0.8 + (100 * exact + 4) * 0.2), "\(milliseconds) ms")
    }
    var tolerant = Gradient2(tolerance: 1.5)
    for index in 0..<10 { _ = window(&tolerant, 100, start: index * 2) }
    #expect(isNear(window(&tolerant, 140, start: 60), 100.8))
  }

  @Test func `Gradient2 forgets overload a twentieth at a time, while it is twice as long`() throws
  {
    for (milliseconds, factor) in [(100, 0.95), (499, 0.95), (510, 1)] {
      var gradient = Gradient2(tolerance: 1)
      for index in 0..<10 { _ = window(&gradient, 1_000, start: index * 2) }
      _ = window(&gradient, milliseconds, start: 60)
      let time = Double(milliseconds) / 1_000
      let long = 1 + (time - 1) * 2 / 601
      #expect(isNear(try #require(gradient.longTerm), long * factor), "\(milliseconds) ms")
    }
    // Exactly twice as long is not too long yet: 0.75 s and 0.25 s are 0.5 s on average.
    var even = Gradient2(tolerance: 1)
    for (milliseconds, start) in [(750, 0), (250, 2)] {
      _ = window(&even, milliseconds, start: start)
    }
    #expect(even.longTerm == 0.5)
  }

  @Test func `Gradient2 neither grows nor shrinks while less than half is in flight`() {
    for (inFlight, moves) in [(49, false), (50, true)] {
      var gradient = Gradient2(tolerance: 1)
      let next = window(&gradient, 100, start: 0, inFlight: inFlight)
      #expect((next != 100) == moves, "\(inFlight) of 100")
    }
    // The most that were in flight count, not the last.
    var gradient = Gradient2(tolerance: 1)
    for index in 0..<10 {
      let sample = Sample(time: .milliseconds(100), inFlight: index == 4 ? 50 : 1)
      let next = gradient.next(100, sample, now: .milliseconds(index == 9 ? 1_000 : 0))
      #expect((next != 100) == (index == 9))
    }
  }

  @Test func `Gradient2 takes a tenth off for a drop, and begins a new window`() {
    var gradient = Gradient2(tolerance: 1)
    let sample = Sample(time: .milliseconds(100), inFlight: 100)
    for _ in 0..<9 { _ = gradient.next(100, sample, now: .zero) }
    let drop = Sample(time: .seconds(9), inFlight: 100, isDrop: true)
    #expect(gradient.next(55, drop, now: .seconds(5)) == 49)
    #expect(gradient.longTerm == nil)
    for _ in 0..<20 { #expect(gradient.next(100, sample, now: .milliseconds(5_500)) == 100) }
    #expect(gradient.next(100, sample, now: .milliseconds(6_500)) != 100)
  }
}
