// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What a learned rate comes to, by the numbers of its documentation.
@Suite(.requirement("O11")) struct LearnedRateStateMachineArithmeticTests {
  private static let begin = Duration.seconds(100)

  /// One that begins at 100 seconds, gets so many answers at some later moments, and is told after
  /// a while to rest for a second.
  private func taught(
    _ answers: [(count: Int, after: Duration)], pushedBackAfter time: Duration,
    resting rest: Duration = .seconds(1), from start: Duration = begin
  ) -> LearnedRateStateMachine {
    var machine = LearnedRateStateMachine()
    teach(&machine, answers, pushedBackAfter: time, resting: rest, from: start)
    return machine
  }

  private func teach(
    _ machine: inout LearnedRateStateMachine, _ answers: [(count: Int, after: Duration)],
    pushedBackAfter time: Duration, resting rest: Duration = .seconds(1), from start: Duration
  ) {
    machine.began(at: start)
    for (count, after) in answers {
      for _ in 0..<count { machine.succeeded(in: .main, at: start + after) }
    }
    machine.pushedBack(in: .main, resting: rest, at: start + time)
  }

  private func isNear(_ rate: Double?, _ expected: Double) -> Bool {
    abs((rate ?? .infinity) - expected) < 1e-6
  }

  @Test func `the rate after a rest is nine tenths of the answers in a second`() {
    let machine = taught([(30, .milliseconds(100))], pushedBackAfter: .milliseconds(500))
    let start = Self.begin + .milliseconds(1_500)
    #expect(isNear(machine.rate(at: start), 54))
    #expect(isNear(machine.rate(at: start + .milliseconds(2_500)), 60 * (1 - 0.1 / 8)))
    #expect(isNear(machine.rate(at: start + .seconds(5)), 60))
    #expect(isNear(machine.rate(at: start + .seconds(10)), 66))
    // Nobody waits for it while the lane rests longer than that.
    #expect(machine.nextStart(at: start - .milliseconds(1)) == start)
    #expect(machine.nextStart(at: start) == nil)
  }

  @Test func `it is forgotten where it is sixteen times what was remembered`() {
    let machine = taught([(30, .milliseconds(100))], pushedBackAfter: .milliseconds(500))
    let start = Self.begin + .milliseconds(1_500)
    #expect((900...960).contains(machine.rate(at: start + .milliseconds(31_300)) ?? 0))
    #expect(machine.rate(at: start + .milliseconds(32_000)) == nil)
    #expect(machine.places(at: start + .milliseconds(32_000)) == nil)
  }

  @Test func `who is pushed back at once is not taken for endlessly fast`() {
    let machine = taught([(1, .zero)], pushedBackAfter: .milliseconds(10))
    let start = Self.begin + .milliseconds(1_010)
    #expect(isNear(machine.rate(at: start), 20 * 0.9))
  }

  @Test func `where no rest is asked for, the rate takes as long as after a second of it`() {
    let machine = taught(
      [(30, .milliseconds(100))], pushedBackAfter: .milliseconds(500), resting: .zero)
    let start = Self.begin + .milliseconds(500)
    #expect(isNear(machine.rate(at: start), 54))
    #expect(isNear(machine.rate(at: start + .seconds(5)), 60))
  }

  @Test func `only answers of the last second count, in tenths of it`() {
    let answers = [(10, Duration.zero), (2, .milliseconds(500))]
    func learned(after time: Duration) -> Double? {
      taught(answers, pushedBackAfter: time).rate(at: Self.begin + time + .seconds(1))
    }
    #expect(isNear(learned(after: .milliseconds(990)), 12 / 0.99 * 0.9))
    #expect(isNear(learned(after: .seconds(1)), 2 / 0.9 * 0.9))
    #expect(isNear(learned(after: .milliseconds(1_050)), 2 / 0.95 * 0.9))
    #expect(isNear(learned(after: .seconds(60)), 1))
  }

  @Test func `the first second of a clock counts as any other`() {
    func learned(_ answers: [(Int, Duration)], after time: Duration) -> Double? {
      taught(answers, pushedBackAfter: time, from: .zero).rate(at: time + .seconds(1))
    }
    #expect(isNear(learned([(5, .milliseconds(100))], after: .milliseconds(250)), 5 / 0.25 * 0.9))
    let late = [(10, Duration.milliseconds(50)), (2, .milliseconds(500))]
    #expect(isNear(learned(late, after: .milliseconds(1_050)), 2 / 0.95 * 0.9))
  }

  @Test func `three answers are enough to count, from the end of the rest on`() {
    var machine = taught([(30, .milliseconds(100))], pushedBackAfter: .milliseconds(500))
    let start = Self.begin + .milliseconds(1_500)
    teach(
      &machine, [(3, .milliseconds(300))], pushedBackAfter: .milliseconds(500), from: start)
    #expect(isNear(machine.rate(at: start + .milliseconds(1_500)), 3 / 0.5 * 0.9))
  }

  @Test(arguments: [
    // Far below the rate: what was counted is believed.
    (count: 9, within: 200, ceiling: 45.0),
    // A count that is coarse enough to mean four fifths of the rate: the rate is.
    (count: 23, within: 500, ceiling: 58.75),
  ])
  func `a count of one second is believed where it is far below the rate`(
    count: Int, within time: Int, ceiling: Double
  ) {
    // 58.75 a second, of which four fifths are 47.
    var machine = taught([(47, .milliseconds(100))], pushedBackAfter: .milliseconds(800))
    let start = Self.begin + .milliseconds(1_800)
    #expect(isNear(machine.rate(at: start + .seconds(5)), 58.75))
    let begin = start + .seconds(5) - .milliseconds(time)
    teach(
      &machine, [(count, .milliseconds(100))], pushedBackAfter: .milliseconds(time), from: begin)
    #expect(isNear(machine.rate(at: start + .seconds(6)), ceiling * 0.9))
  }

  @Test(arguments: [(after: 5_000, approach: 10), (after: 11_850, approach: 5)])
  func `a rate is right where it is less than a quarter above what was remembered`(
    after time: Int, approach: Int
  ) {
    var machine = taught([(47, .milliseconds(100))], pushedBackAfter: .milliseconds(800))
    let end = Self.begin + .milliseconds(1_800 + time)
    let rate = machine.rate(at: end) ?? 0
    teach(
      &machine, [(47, .milliseconds(100))], pushedBackAfter: .milliseconds(500),
      from: end - .milliseconds(500))
    let start = end + .seconds(1)
    #expect(isNear(machine.rate(at: start), rate * 0.9))
    #expect(isNear(machine.rate(at: start + .seconds(approach)), rate))
    #expect((machine.rate(at: start + .seconds(approach - 1)) ?? 0) < rate - 0.001)
  }

  @Test func `a tenth of a second is saved, and places come together for a fiftieth`() {
    var machine = taught([(499, .milliseconds(100))], pushedBackAfter: .milliseconds(500))
    let now = Self.begin + .milliseconds(6_500)
    #expect(isNear(machine.rate(at: now), 998))
    #expect(machine.places(at: now) == 100)
    for _ in 0..<100 { machine.began(at: now) }
    #expect(machine.places(at: now) == 0)
    // The next one is due in a fifth of a millisecond, and nineteen more come with it.
    let wait = (machine.nextStart(at: now) ?? .zero) - now
    #expect(abs(wait / .milliseconds(1) - (100 / 998.0 - 0.1 + 19 / 998.0) * 1_000) < 0.001)
  }
}
