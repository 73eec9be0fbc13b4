// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite struct RateLimiterStateMachineTests {
  private typealias Machine = RateLimiterStateMachine

  private func promised(_ id: UInt64, _ milliseconds: Int) -> Machine.Answer {
    .promised(id, wait: .milliseconds(milliseconds))
  }

  @Test(.requirement("P33")) func `it refuses at once what cannot be granted in time`() {
    var machine = Machine(.gcra(rate: 10, per: .seconds(1)))
    #expect(machine.ask(cost: 1, now: .zero, atMost: .zero) == .granted)
    #expect(
      machine.ask(cost: 1, now: .zero, atMost: .milliseconds(99))
        == .refused(wait: .milliseconds(100)))
    #expect(machine.ask(cost: 1, now: .zero, atMost: .milliseconds(100)) == promised(0, 100))
    #expect(machine.ask(cost: 2, now: .zero, atMost: .aYear) == .never)
    #expect(machine.ask(cost: 0, now: .zero, atMost: .zero) == .granted)
    #expect(machine.ask(cost: -5, now: .zero, atMost: .zero) == .granted)
  }

  @Test(.requirement("P33")) func `a turn that is given back makes those after it come earlier`() {
    var machine = Machine(.gcra(rate: 10, per: .seconds(1)))
    _ = machine.ask(cost: 1, now: .zero, atMost: .zero)
    for place in 1...3 {
      #expect(
        machine.ask(cost: 1, now: .zero, atMost: .seconds(1))
          == promised(UInt64(place - 1), place * 100))
    }
    #expect(machine.giveBack(0, now: .milliseconds(50)) == true)
    #expect(machine.giveBack(0, now: .milliseconds(50)) == false)
    #expect(machine.turn(of: 1) == .milliseconds(100))
    #expect(machine.turn(of: 2) == .milliseconds(200))
    #expect(machine.takeTurns(now: .milliseconds(100)) == [1])
    #expect(machine.giveBack(1, now: .milliseconds(100)) == false)
    #expect(
      machine.ask(cost: 1, now: .milliseconds(100), atMost: .seconds(1)) == promised(3, 200))
    #expect(machine.giveBack(3, now: .milliseconds(100)) == true)
    #expect(machine.giveBack(2, now: .milliseconds(100)) == true)
    #expect(machine.waiting == 0 && machine.nextTurn == nil)
    // As though the two had never asked.
    #expect(machine.ask(cost: 1, now: .milliseconds(200), atMost: .zero) == .granted)
  }

  @Test(.requirement("P33", "P32")) func `small calls do not overtake a large one`() {
    var machine = Machine(.tokenBucket(rate: 10, per: .seconds(1), burst: 10))
    #expect(machine.ask(cost: 9, now: .zero, atMost: .zero) == .granted)
    #expect(machine.ask(cost: 10, now: .zero, atMost: .seconds(5)) == promised(0, 900))
    // One token is there, but it belongs to the call before.
    #expect(
      machine.ask(cost: 1, now: .zero, atMost: .zero) == .refused(wait: .milliseconds(1_000)))
    #expect(machine.ask(cost: 1, now: .zero, atMost: .seconds(5)) == promised(1, 1_000))
    #expect(machine.giveBack(0, now: .zero) == true)
    #expect(machine.takeTurns(now: .zero) == [1])
  }

  @Test(.requirement("P12")) func `a clock that goes back means that no time has passed`() {
    for kind in [
      RateLimiter.Kind.gcra(rate: 1, per: .seconds(1)),
      .tokenBucket(rate: 1, per: .seconds(1)), .slidingWindow(limit: 1, per: .seconds(1)),
    ] {
      var machine = Machine(kind)
      #expect(machine.ask(cost: 1, now: .seconds(100), atMost: .zero) == .granted)
      #expect(machine.ask(cost: 1, now: .seconds(-100), atMost: .seconds(1)) == promised(0, 1_000))
      #expect(machine.takeTurns(now: .seconds(-100)) == [])
      #expect(machine.takeTurns(now: .seconds(101)) == [0])
    }
  }

  @Test(.requirement("P33")) func `a turn that was not taken yet counts before new calls`() {
    var machine = Machine(.tokenBucket(rate: 1, per: .seconds(1), burst: 2))
    _ = machine.ask(cost: 2, now: .zero, atMost: .zero)
    #expect(machine.ask(cost: 2, now: .zero, atMost: .seconds(9)) == promised(0, 2_000))
    // Its turn came at 2 s, though nobody has taken it.
    #expect(machine.ask(cost: 1, now: .seconds(3), atMost: .zero) == .granted)
    #expect(machine.ask(cost: 1, now: .seconds(3), atMost: .seconds(9)) == promised(1, 1_000))
    #expect(machine.giveBack(0, now: .seconds(3)) == false)
    #expect(machine.giveBack(1, now: .seconds(3)) == true)
    #expect(machine.takeTurns(now: .seconds(3)) == [0])
    #expect(
      machine.ask(cost: 1, now: .seconds(3), atMost: .zero) == .refused(wait: .seconds(1)))
  }
}

extension RateLimiterStateMachineTests {
  @Test(.requirement("P37")) func `another law keeps what is used up, and those who wait`() {
    let kinds: [RateLimiter.Kind] = [
      .tokenBucket(rate: 10, per: .seconds(1)), .gcra(rate: 10, per: .seconds(1), burst: 10),
      .slidingWindow(limit: 10, per: .seconds(1)),
    ]
    for (old, new) in kinds.flatMap({ old in kinds.map { (old, $0) } }) {
      var machine = RateLimiterStateMachine(old)
      #expect(machine.ask(cost: 7, now: .zero, atMost: .zero) == .granted)
      for _ in 0..<5 { #expect(machine.change(to: new, now: .zero) == []) }
      #expect(machine.ask(cost: 3, now: .zero, atMost: .zero) == .granted, "\(old) \(new)")
      guard case .refused = machine.ask(cost: 1, now: .zero, atMost: .zero) else {
        Issue.record("more was free under \(new) than under \(old)")
        continue
      }
      #expect(machine.ask(cost: 10, now: .seconds(9), atMost: .zero) == .granted)
    }
  }

  @Test(.requirement("P37")) func `turns follow the new rate, in their order`() {
    var machine = RateLimiterStateMachine(.gcra(rate: 1, per: .seconds(1), burst: 4))
    #expect(machine.ask(cost: 4, now: .zero, atMost: .zero) == .granted)
    for id in 0..<3 {
      #expect(
        machine.ask(cost: id == 2 ? 4 : 1, now: .zero, atMost: .aYear)
          == .promised(UInt64(id), wait: .seconds([1, 2, 6][id])))
    }
    let gcra = RateLimiter.Kind.gcra(rate: 10, per: .seconds(1), burst: 2)
    #expect(machine.change(to: gcra, now: .milliseconds(500)) == [])
    // Half a call had become free by then.
    #expect(machine.turn(of: 0) == .milliseconds(550))
    #expect(machine.turn(of: 1) == .milliseconds(650))
    // More than the new burst counts as the whole of it.
    #expect(machine.turn(of: 2) == .milliseconds(850))
    let window = RateLimiter.Kind.slidingWindow(limit: 2, per: .seconds(3))
    #expect(machine.change(to: window, now: .milliseconds(600)) == [])
    #expect(machine.takeTurns(now: .milliseconds(600)) == [0])
    #expect(machine.turn(of: 1) == .milliseconds(3_600))
    #expect(machine.turn(of: 2) == .milliseconds(6_600))
    #expect(machine.giveBack(1, now: .seconds(1)) == true)
    #expect(machine.turn(of: 2) == .milliseconds(3_600))
    #expect(machine.takeTurns(now: .seconds(4)) == [2])
  }

  @Test(.requirement("P32", "P33")) func `a long line keeps its order while turns are taken`() {
    var machine = RateLimiterStateMachine(.gcra(rate: 1, per: .seconds(1)))
    _ = machine.ask(cost: 1, now: .zero, atMost: .zero)
    for id in 0..<100 {
      #expect(
        machine.ask(cost: 1, now: .zero, atMost: .aYear)
          == .promised(UInt64(id), wait: .seconds(id + 1)))
    }
    for id in 0..<60 {
      #expect(machine.turn(of: UInt64(id)) == .seconds(id + 1))
      #expect(machine.takeTurns(now: .seconds(id + 1)) == [UInt64(id)])
      #expect(machine.turn(of: UInt64(id)) == nil)
    }
    #expect(machine.waiting == 40)
    #expect(machine.giveBack(80, now: .seconds(60)) == true)
    #expect(machine.turn(of: 79) == .seconds(80))
    #expect(machine.turn(of: 81) == .seconds(81))
    #expect(machine.nextTurn == .seconds(61))
    #expect(machine.takeTurns(now: .seconds(200)).count == 39)
    #expect(machine.waiting == 0)
    #expect(machine.ask(cost: 1, now: .seconds(200), atMost: .zero) == .granted)
  }
}

extension RateLimiterStateMachineTests {
  @Test(.requirement("P33")) func `a turn that has come is used up, though nobody took it`() {
    var machine = RateLimiterStateMachine(.gcra(rate: 10, per: .seconds(1)))
    _ = machine.ask(cost: 1, now: .zero, atMost: .zero)
    _ = machine.ask(cost: 1, now: .zero, atMost: .seconds(1))
    #expect(machine.giveBack(0, now: .milliseconds(100)) == false)
    #expect(machine.waiting == 1)
    // A name that was never given names no promise.
    #expect(machine.turn(of: 99) == nil && machine.turn(of: 0) == .milliseconds(100))
    #expect(machine.giveBack(99, now: .milliseconds(100)) == false)
    #expect(machine.takeTurns(now: .milliseconds(100)) == [0])
  }

  @Test(
    .requirement("P36"),
    arguments: [
      RateLimiter.Kind.gcra(rate: 2, per: .seconds(1), burst: 2),
      .tokenBucket(rate: 2, per: .seconds(1)), .slidingWindow(limit: 2, per: .seconds(1)),
    ])
  func `it is pristine while nobody waits and nothing counts any more`(kind: RateLimiter.Kind) {
    var machine = RateLimiterStateMachine(kind)
    #expect(machine.isPristine(now: .zero) == true)
    #expect(machine.ask(cost: 2, now: .zero, atMost: .zero) == .granted)
    #expect(machine.isPristine(now: .zero) == false)
    #expect(machine.isPristine(now: .milliseconds(999)) == false)
    #expect(machine.isPristine(now: .seconds(1)) == true)
    #expect(machine.ask(cost: 2, now: .seconds(1), atMost: .zero) == .granted)
    guard case .promised(let id, _) = machine.ask(cost: 1, now: .seconds(1), atMost: .seconds(9))
    else {
      Issue.record("it does not wait")
      return
    }
    // Long after its turn somebody still holds the promise.
    #expect(machine.isPristine(now: .seconds(99)) == false)
    #expect(machine.takeTurns(now: .seconds(99)) == [id])
    #expect(machine.isPristine(now: .seconds(99)) == true)
  }

  @Test(arguments: [65, 200]) func `promises that were kept take up little memory`(count: Int) {
    var machine = RateLimiterStateMachine(.gcra(rate: 1, per: .seconds(1)))
    for id in 0...count {
      _ = machine.ask(cost: 1, now: .zero, atMost: .aYear)
      #expect(machine.promiseCount == id)
    }
    for id in 0..<count - 1 {
      #expect(machine.takeTurns(now: .seconds(id + 1)) == [UInt64(id)])
      let taken = machine.promiseCount - machine.waiting
      #expect(taken <= max(32, machine.promiseCount / 2), "\(machine.waiting) wait")
    }
    #expect(machine.giveBack(UInt64(count - 1), now: .zero) == true)
    #expect(machine.promiseCount == 0)
    _ = machine.ask(cost: 1, now: .seconds(count), atMost: .zero)
    _ = machine.ask(cost: 1, now: .seconds(count), atMost: .seconds(1))
    #expect(machine.takeTurns(now: .seconds(count + 1)).count == 1)
    #expect(machine.promiseCount == 0)
  }
}

/// Random callers at each kind of limiter, held against its law.
@Suite struct RateLimiterWalkTests {
  @Test(
    .requirement("P33", "P12", "P14"),
    arguments: [
      RateLimiter.Kind.tokenBucket(rate: 7, per: .microseconds(3), burst: 5),
      .tokenBucket(rate: 3, per: .seconds(1)),
      .gcra(rate: 13, per: .nanoseconds(17), burst: 4),
      .gcra(rate: 1, per: .milliseconds(10)),
      .slidingWindow(limit: 6, per: .microseconds(5)),
      .slidingWindow(limit: 1, per: .nanoseconds(40)),
    ])
  func `no window holds more than the law allows`(kind: RateLimiter.Kind) {
    for seed in 0..<(RandomDose.isTorture ? 200 : 5) {
      var walk = RateLimiterWalk(kind, seed: UInt64(seed))
      do { for _ in 0..<4_000 { try walk.step() } } catch {
        Issue.record("\(kind), seed \(seed): \(error)")
        return
      }
      // Somebody was let in at once, somebody after waiting, and somebody gave a turn back.
      #expect(walk.counts.granted > 50 && walk.counts.taken > 50 && walk.counts.givenBack > 50)
    }
  }
}

private struct RateLimiterWalk {
  struct Broken: Error { let what: String }

  private let kind: RateLimiter.Kind
  private var machine: RateLimiterStateMachine
  private var random: SplitMix64
  private var now = Duration.zero
  /// The latest reading that the machine has seen: none yet, and the first may be negative.
  private var latest = .zero - Duration.aYear
  /// Who waits, in order, until when at most.
  private var line: [(id: UInt64, cost: Int, turn: Duration)] = []
  private var admitted: [(time: Nanoseconds, cost: Int)] = []
  private var total: Int128 = 0
  private var highest: Int128 = .min
  var counts = (granted: 0, taken: 0, givenBack: 0)

  init(_ kind: RateLimiter.Kind, seed: UInt64) {
    self.kind = kind
    machine = RateLimiterStateMachine(kind)
    random = SplitMix64(seed: seed)
  }

  mutating func step() throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<45: try ask()
    case 45..<60: try giveBack()
    case 60..<63: now -= kind.per * Int.random(in: 0...3, using: &random)
    case 63..<70: now += kind.per
    default:
      let part = kind.per / Int.random(in: 1...20, using: &random)
      now += .exactly(part.inNanoseconds)
    }
    latest = max(latest, now)
    try takeTurns()
    guard machine.waiting == line.count else { throw Broken(what: "\(machine.waiting) wait") }
  }

  private mutating func ask() throws {
    let cost = Int.random(in: 1...kind.burst + 1, using: &random)
    let wait = kind.per * Int.random(in: 0...6, using: &random)
    latest = max(latest, now)
    try takeTurns()
    switch machine.ask(cost: cost, now: now, atMost: wait) {
    case .granted:
      guard line.isEmpty else { throw Broken(what: "overtook \(line.count)") }
      counts.granted += 1
      try admit(cost, at: latest)
    case .promised(let id, let needed):
      let turn = latest + needed
      guard needed <= wait, line.allSatisfy({ $0.turn <= turn }) else {
        throw Broken(what: "promised a turn after \(needed) of \(wait)")
      }
      line.append((id, cost, turn))
    case .refused(let needed):
      guard needed > wait else { throw Broken(what: "refused though \(needed) fits \(wait)") }
    case .never:
      guard cost > kind.burst else { throw Broken(what: "never \(cost)") }
    }
  }

  private mutating func giveBack() throws {
    guard let index = line.indices.randomElement(using: &random) else { return }
    latest = max(latest, now)
    try takeTurns()
    guard line.indices.contains(index) else { return }
    guard machine.giveBack(line[index].id, now: now) else {
      throw Broken(what: "a turn that had not come was not given back")
    }
    line.remove(at: index)
    counts.givenBack += 1
    for other in line.indices {
      guard let turn = machine.turn(of: line[other].id), turn <= line[other].turn else {
        throw Broken(what: "a turn came later than promised")
      }
      line[other].turn = turn
    }
  }

  private mutating func takeTurns() throws {
    for id in machine.takeTurns(now: now) {
      guard let first = line.first, first.id == id, first.turn <= latest else {
        throw Broken(what: "turn \(id) out of order")
      }
      line.removeFirst()
      counts.taken += 1
      try admit(first.cost, at: first.turn)
    }
    guard line.allSatisfy({ $0.turn > latest }) else { throw Broken(what: "starved") }
  }

  private mutating func admit(_ cost: Int, at reading: Duration) throws {
    let time = reading.inNanoseconds
    let per = kind.per.inNanoseconds
    if let last = admitted.last, last.time > time { throw Broken(what: "out of order") }
    admitted.append((time, cost))
    if kind.law == .slidingWindow {
      let sum = admitted.reversed().prefix { $0.time + per > time }.map(\.cost).reduce(0, +)
      guard sum <= kind.rate else { throw Broken(what: "\(sum) in one window") }
      return
    }
    // For every span: (calls - burst) * per <= rate * time, by the worst beginning so far.
    highest = max(highest, Int128(kind.rate) * time - total * per)
    total += Int128(cost)
    let excess = total * per - Int128(kind.rate) * time + highest - Int128(kind.burst) * per
    guard excess <= 0 else { throw Broken(what: "\(excess) parts too many") }
  }
}
