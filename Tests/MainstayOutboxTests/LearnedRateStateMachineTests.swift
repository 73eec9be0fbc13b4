// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// How fast operations of a kind begin, once the other side has said that they were too many.
@Suite(.requirement("O11")) struct LearnedRateStateMachineTests {
  /// Answers at a steady rate for two seconds, and is then told to slow down.
  private func taught(
    _ answersPerSecond: Int = 100, resting rest: Duration = .seconds(1), times: Int = 1
  ) -> (rate: LearnedRateStateMachine, now: Duration) {
    var (machine, now) = (LearnedRateStateMachine(), Duration.seconds(100))
    for _ in 0..<times {
      for _ in 0..<answersPerSecond * 2 {
        machine.began(at: now)
        now += .seconds(1) / answersPerSecond
        machine.succeeded(in: .main, at: now)
      }
      machine.pushedBack(in: .main, resting: rest, at: now)
      now += rest
    }
    return (machine, now)
  }

  private func rate(_ machine: LearnedRateStateMachine, at time: Duration) -> Double {
    machine.rate(at: time) ?? .infinity
  }

  @Test func `nobody is held to a rate that nobody has asked for`() {
    var machine = LearnedRateStateMachine()
    for step in 0..<1_000 {
      machine.began(at: .milliseconds(step))
      machine.succeeded(in: .main, at: .milliseconds(step))
    }
    #expect(machine.rate(at: .seconds(1)) == nil && machine.places(at: .seconds(1)) == nil)
    #expect(machine.nextStart(at: .seconds(1)) == nil)
  }

  @Test func `it goes on with nine tenths of what was answered, and is there again after a while`()
  {
    let (machine, end) = taught()
    #expect((88...92).contains(rate(machine, at: end)))
    // Five rests later it is where it was, and was near that for long.
    #expect((96...99).contains(rate(machine, at: end + .milliseconds(1_700))))
    #expect((98...102).contains(rate(machine, at: end + .seconds(5))))
    #expect((99...104).contains(rate(machine, at: end + .seconds(8))))
    // What holds no more is forgotten.
    #expect(rate(machine, at: end + .seconds(16)) > 190)
    #expect(machine.rate(at: end + .seconds(60)) == nil)
    let rates = (0..<300).map { rate(machine, at: end + .milliseconds($0 * 100)) }
    #expect(zip(rates, rates.dropFirst()).allSatisfy { $0 <= $1 }, "it never falls by itself")
  }

  @Test func `a rest that is long is risked less often`() {
    let (machine, end) = taught(resting: .seconds(60))
    #expect(rate(machine, at: end + .seconds(150)) < rate(machine, at: end) / 0.9 * 0.99)
    #expect((98...102).contains(rate(machine, at: end + .seconds(300))))
  }

  @Test func `who is right several times in a row is believed for longer`() {
    for (times, seconds) in [(1, 5), (2, 10), (3, 20), (4, 40), (9, 40)] {
      let (machine, end) = taught(times: times)
      let goal = rate(machine, at: end) / 0.9
      #expect(rate(machine, at: end + .seconds(seconds) - .seconds(1)) < goal)
      #expect(abs(rate(machine, at: end + .seconds(seconds)) - goal) < 1e-6, "\(times)")
    }
  }

  @Test func `who gets less than three answers tries half as much`() {
    var (machine, now) = taught()
    machine.succeeded(in: .main, at: now)
    machine.succeeded(in: .main, at: now)
    let before = rate(machine, at: now)
    machine.pushedBack(in: .main, resting: .seconds(1), at: now)
    #expect(abs(rate(machine, at: now + .seconds(1)) - before / 2 * 0.9) < 0.1)
    // Without any answer at all it ends at one a second; the rests do the rest.
    for _ in 0..<64 {
      now += .seconds(1)
      machine.pushedBack(in: .main, resting: .seconds(1), at: now)
    }
    #expect(rate(machine, at: now + .seconds(1)) == 1)
    machine.began(at: now + .seconds(1))
    #expect(machine.nextStart(at: now + .seconds(1)) == now + .seconds(2))
  }

  @Test func `what had begun before a rest says nothing new`() {
    let (machine, end) = taught()
    var other = machine
    for step in 1..<10 {
      other.pushedBack(in: .main, resting: .seconds(9), at: end - .milliseconds(step * 100))
      other.succeeded(in: .main, at: end - .milliseconds(step * 100))
    }
    #expect(other == machine)
  }

  @Test func `as many begin as the rate has places for`() {
    var (machine, now) = taught()
    #expect(machine.places(at: now) == 1 && machine.nextStart(at: now) == nil)
    machine.began(at: now)
    #expect(machine.places(at: now) == 0)
    let next = machine.nextStart(at: now) ?? .zero
    #expect(next > now && next < now + .milliseconds(40))
    #expect((1...2).contains(machine.places(at: next) ?? 0))
    // What was not used for long is not made up for at once.
    now += .seconds(2)
    #expect((10...11).contains(machine.places(at: now) ?? 0))
    for _ in 0..<11 { machine.began(at: now) }
    #expect(machine.places(at: now) == 0)
  }

  @Test(arguments: [true, false])
  func `a rest of one lane holds nobody back in another`(isAnswered: Bool) {
    var (machine, now) = taught()
    // One account may succeed while the other one is refused each time.
    if isAnswered {
      machine.succeeded(in: "other", at: now)
    } else {
      machine.pushedBack(in: "other", resting: .seconds(1), at: now)
    }
    #expect(machine.rate(at: now) == nil && machine.places(at: now) == nil)
    now += .seconds(1)
    machine.pushedBack(in: .main, resting: .seconds(1), at: now)
    #expect(machine.rate(at: now + .seconds(1)) == nil, "and does not do so later")
  }

  @Test(arguments: LimitedService.all)
  func `a service with a limit is asked for nearly as much as it takes`(service: LimitedService) {
    for seed in 0..<(RandomDose.isTorture ? 300 : 3) as Range<UInt64> {
      let run = service.drained(for: .seconds(600), seed: seed)
      #expect(run.mostInASecond <= 2 * service.limit, "seed \(seed)")
      #expect(run.share >= 0.9, "seed \(seed), \(run.refused) refused")
    }
  }
}

/// A service that takes so many calls a second, and asks whoever sends more to rest.
struct LimitedService: Sendable, CustomTestStringConvertible {
  let limit: Double
  let latency: Duration
  let concurrency: Int
  let rest: Duration

  static let all = [
    LimitedService(limit: 100, latency: .milliseconds(50), concurrency: 16, rest: .seconds(1)),
    LimitedService(limit: 20, latency: .milliseconds(50), concurrency: 4, rest: .seconds(1)),
    LimitedService(limit: 200, latency: .milliseconds(20), concurrency: 8, rest: .seconds(5)),
    LimitedService(limit: 50, latency: .milliseconds(200), concurrency: 32, rest: .seconds(1)),
    LimitedService(limit: 500, latency: .milliseconds(10), concurrency: 16, rest: .seconds(2)),
    LimitedService(limit: 5, latency: .milliseconds(100), concurrency: 4, rest: .seconds(1)),
  ]

  var testDescription: String { "\(limit)/s in \(latency), \(concurrency) at once, rest \(rest)" }

  struct Run {
    var mostInASecond = 0.0
    /// Of what the service takes, how much it was given in the second half.
    var share = 0.0
    var refused = 0
  }

  private enum Event { case answered, refused, wake }

  /// Lets an outbox without end drain into it, after an outage, in virtual time.
  func drained(for length: Duration, seed: UInt64) -> Run {
    var chance = SeededGenerator(seed: seed)
    var pace = DrainPaceStateMachine(maximum: concurrency)
    pace.ended(.unreachable)
    var (rate, run) = (LearnedRateStateMachine(), Run())
    var (events, starts) = ([(time: Duration.zero, what: Event.wake)], [Duration]())
    var (saved, last, held, running, taken) = (limit / 5, Duration.zero, Duration.zero, 0, 0)
    while let index = events.indices.min(by: { events[$0].time < events[$1].time }) {
      let (now, what) = events.remove(at: index)
      if now > length { break }
      switch what {
      case .answered:
        running -= 1
        pace.ended(.succeeded)
        rate.succeeded(in: .main, at: now)
      case .refused:
        running -= 1
        run.refused += 1
        pace.ended(.pushedBack)
        rate.pushedBack(in: .main, resting: rest, at: now)
        held = max(held, now + rest)
        events.append((held, .wake))
      case .wake: break
      }
      while running < pace.limit, now >= held, rate.places(at: now) != 0 {
        rate.began(at: now)
        starts.append(now)
        running += 1
        saved = min(saved + (now - last) / .seconds(1) * limit, limit / 5)
        last = now
        let time = latency * Double.random(in: 0.8...1.2, using: &chance)
        guard saved >= 1 else {
          events.append((now + time / 4, .refused))
          continue
        }
        saved -= 1
        if now > length / 2 { taken += 1 }
        events.append((now + time, .answered))
      }
      if let next = rate.nextStart(at: now), !events.contains(where: { $0.time <= next }) {
        events.append((next, .wake))
      }
    }
    run.share = Double(taken) / (length / 2 / .seconds(1) * limit)
    run.mostInASecond = Double(Self.mostInASecond(starts))
    return run
  }

  private static func mostInASecond(_ times: [Duration]) -> Int {
    var (most, first) = (0, 0)
    for index in times.indices {
      while times[index] - times[first] >= .seconds(1) { first += 1 }
      most = max(most, index - first + 1)
    }
    return most
  }
}
