// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

@testable import Mainstay

@Suite struct HedgeStateMachineTests {
  typealias Step = HedgeStateMachine.Step

  static func machine(_ copies: Int = 2) -> HedgeStateMachine {
    var machine = HedgeStateMachine(maximumCopies: copies, delay: .seconds(2))
    _ = machine.start(now: .zero)
    return machine
  }

  @Test func `wants the next copy after the delay`() {
    var machine = Self.machine(3)
    #expect(machine.due == .seconds(2))
    #expect(!machine.wantsCopy(now: .milliseconds(1_999)))
    #expect(machine.wantsCopy(now: .seconds(2)))
    #expect(machine.start(now: .seconds(2)) == 2)
    #expect(machine.due == .seconds(4))
    #expect(machine.start(now: .seconds(4)) == 3)
    #expect(machine.due == nil && !machine.wantsCopy(now: .seconds(99)))
  }

  @Test(.requirement("P29")) func `a failure does not win while another copy runs`() {
    var machine = Self.machine()
    _ = machine.start(now: .seconds(2))
    #expect(machine.failed(2, .transient()) == .wait)
    #expect(machine.failed(1, .transient()) == .fail(copy: 2))
  }

  @Test func `after the failure of the only copy the next one starts at once`() {
    for disposition in [Disposition.transient(), .transient(retryAfter: .zero), .unknownOutcome] {
      var machine = Self.machine()
      #expect(machine.failed(1, disposition) == .start)
    }
  }

  @Test(.requirement("P30"))
  func `after a failure that asks to wait, or must not be repeated, none starts`() {
    for disposition in [
      Disposition.transient(retryAfter: .seconds(1)), .throttled(), .permanent, .needsUser,
      .rejected(), .unclassified, .cancelled,
    ] {
      var machine = Self.machine()
      #expect(machine.failed(1, disposition) == .fail(copy: 1))
      #expect(machine.due == nil || !machine.running.isEmpty || machine.started == 1)
    }
  }

  @Test(.requirement("P30")) func `a copy that is asked to slow down stops further ones`() {
    var machine = Self.machine(3)
    _ = machine.start(now: .seconds(2))
    #expect(machine.failed(2, .throttled(retryAfter: .seconds(9))) == .wait)
    #expect(machine.due == nil && !machine.wantsCopy(now: .seconds(99)))
    #expect(machine.failed(1, .transient()) == .fail(copy: 2), "whoever is outside must learn it")
  }

  @Test(.requirement("P30"))
  func `whoever is outside learns who was first asked to wait, before any other failure`() {
    var machine = Self.machine(3)
    _ = machine.start(now: .seconds(2))
    _ = machine.start(now: .seconds(4))
    #expect(machine.failed(3, .transient()) == .wait)
    #expect(machine.failed(1, .throttled()) == .wait)
    #expect(machine.failed(2, .throttled()) == .fail(copy: 1))
  }

  @Test(arguments: [
    Disposition.transient(), .transient(retryAfter: .seconds(1)), .throttled(), .rejected(),
    .unclassified,
  ])
  func `however another copy fails, one that may have had its effect is told`(
    other: Disposition
  ) {
    for (first, second) in [(1, 2), (2, 1)] {
      for isUnknownFirst in [true, false] {
        var machine = Self.machine()
        _ = machine.start(now: .seconds(2))
        #expect(machine.failed(first, isUnknownFirst ? .unknownOutcome : other) == .wait)
        let step = machine.failed(second, isUnknownFirst ? other : .unknownOutcome)
        #expect(step == .fail(copy: isUnknownFirst ? first : second))
      }
    }
  }

  @Test func `of copies that may have had their effect the first to fail is told`() {
    var machine = Self.machine(3)
    _ = machine.start(now: .seconds(2))
    _ = machine.start(now: .seconds(4))
    #expect(machine.failed(2, .unknownOutcome) == .wait)
    #expect(machine.failed(3, .throttled()) == .wait)
    #expect(machine.failed(1, .unknownOutcome) == .fail(copy: 2))
  }

  @Test func `an answer that will not change is told also after an unknown outcome`() {
    for disposition in [Disposition.permanent, .needsUser, .cancelled] {
      var machine = Self.machine()
      #expect(machine.failed(1, .unknownOutcome) == .start)
      _ = machine.start(now: .seconds(1))
      #expect(machine.failed(2, disposition) == .fail(copy: 2))
    }
  }

  @Test(.requirement("P29")) func `an answer that will not change ends it at once`() {
    for disposition in [Disposition.permanent, .needsUser, .cancelled] {
      var machine = Self.machine()
      _ = machine.start(now: .seconds(2))
      #expect(machine.failed(2, disposition) == .fail(copy: 2))
    }
  }

  @Test func `a copy that was withheld leaves those that run alone`() {
    var machine = Self.machine()
    #expect(machine.withhold() == .wait)
    #expect(machine.due == nil)
    #expect(machine.failed(1, .transient()) == .fail(copy: 1))
  }

  @Test func `a copy that ended before, or never began, decides nothing`() {
    var machine = Self.machine(3)
    _ = machine.start(now: .seconds(2))
    #expect(machine.failed(2, .transient()) == .wait)
    #expect(machine.failed(2, .permanent) == .wait)
    #expect(machine.failed(7, .permanent) == .wait)
    #expect(machine.failed(1, .transient()) == .start)
  }

  @Test(.requirement("P30"), arguments: [Disposition.rejected(), .unclassified, .throttled()])
  func `while another copy runs, such a failure stops further ones`(disposition: Disposition) {
    var machine = Self.machine(3)
    _ = machine.start(now: .seconds(2))
    #expect(machine.failed(2, disposition) == .wait)
    #expect(machine.due == nil && !machine.wantsCopy(now: .seconds(99)))
    #expect(machine.failed(1, .transient()) == .fail(copy: 2))
  }

  @Test func `a random walk keeps every promise`() {
    let dispositions: [Disposition] = [
      .transient(), .transient(retryAfter: .seconds(1)), .throttled(), .permanent, .needsUser,
      .unknownOutcome, .cancelled, .rejected(), .unclassified,
    ]
    for seed in 0..<RandomDose.schedules {
      var generator = SeededGenerator(seed: seed)
      let maximum = Int.random(in: 2...5, using: &generator)
      var machine = Self.machine(maximum)
      var (now, isStopped, failed) = (Duration.zero, false, Set<Int>())
      var step = Step.wait
      while true {
        if step == .wait {
          let isTime = machine.wantsCopy(now: now)
          #expect(!(isTime && isStopped), "seed \(seed)")
          if isTime { step = .start }
        }
        if step == .start {
          #expect(machine.started < maximum && !isStopped, "seed \(seed)")
          if Int.random(in: 0..<4, using: &generator) == 0 {
            isStopped = true
            step = machine.withhold()
          } else {
            _ = machine.start(now: now)
            step = .wait
          }
          continue
        }
        if case .fail(let copy) = step {
          #expect(failed.contains(copy), "seed \(seed)")
          break
        }
        #expect(!machine.running.isEmpty && machine.running.count <= maximum, "seed \(seed)")
        if Bool.random(using: &generator) {
          now += .seconds(1)
        } else if let copy = machine.running.sorted().randomElement(using: &generator) {
          let disposition = dispositions.randomElement(using: &generator) ?? .permanent
          if [.throttled(), .rejected(), .unclassified].contains(disposition)
            || disposition.retryAfter != nil
          {
            isStopped = true
          }
          failed.insert(copy)
          step = machine.failed(copy, disposition)
        }
      }
    }
  }
}

/// The latencies by which a hedge chooses its delay.
@Suite struct LatencyWindowTests {
  @Test func `a percentile is the latency that this share stays below`() {
    var window = LatencyWindow(capacity: 100)
    #expect(window.percentile(0.95) == nil)
    for latency in (1...100).reversed() { window.record(.seconds(latency)) }
    #expect(window.percentile(0.95) == .seconds(95))
    #expect(window.percentile(0.5) == .seconds(50))
    #expect(window.percentile(0.999) == .seconds(100))
  }

  @Test func `forgets the oldest`() {
    var window = LatencyWindow(capacity: 3)
    for latency in [9, 9, 9, 1, 2, 3] { window.record(.seconds(latency)) }
    #expect(window.count == 3 && window.percentile(0.999) == .seconds(3))
  }

  @Test(.requirement("P29")) func `a call that was cut short never counts as fast`() {
    var window = LatencyWindow(capacity: 10)
    window.recordCensored(.seconds(5), share: 0.5)
    #expect(window.count == 0, "nothing is known that it could be slower than")
    for latency in [1, 2, 3] { window.record(.seconds(latency)) }
    window.recordCensored(.seconds(1), share: 0.9)
    #expect(window.count == 3)
    window.recordCensored(.seconds(7), share: 0.9)
    #expect(window.count == 4 && window.percentile(0.999) == .seconds(7))
  }

  @Test func `the smallest window knows the last call`() {
    for capacity in [0, 1, -7] {
      var window = LatencyWindow(capacity: capacity)
      for latency in [3, 1, 2] { window.record(.seconds(latency)) }
      #expect(window.count == 1 && window.percentile(0.5) == .seconds(2))
    }
  }

  @Test func `the smallest share is the fastest call, the whole share the slowest`() {
    var window = LatencyWindow(capacity: 10)
    for latency in [4, 2, 3, 5] { window.record(.seconds(latency)) }
    #expect(window.percentile(0) == .seconds(2) && window.percentile(0.25) == .seconds(2))
    #expect(window.percentile(0.26) == .seconds(3) && window.percentile(1) == .seconds(5))
    #expect(window.percentile(-1) == .seconds(2) && window.percentile(9) == .seconds(5))
  }

  @Test(.requirement("P29")) func `a call that was cut short counts once it is as slow as most`() {
    var window = LatencyWindow(capacity: 10)
    for latency in [1, 2, 3] { window.record(.seconds(latency)) }
    window.recordCensored(.seconds(2), share: 0.5)
    #expect(window.count == 4)
  }

  @Test func `is what sorting everything would say`() {
    for seed in 0..<RandomDose.schedules / 10 {
      var generator = SeededGenerator(seed: seed)
      let capacity = Int.random(in: 1...20, using: &generator)
      var (window, all) = (LatencyWindow(capacity: capacity), [Duration]())
      for _ in 0..<60 {
        let latency = Duration.milliseconds(Int.random(in: 0...9, using: &generator))
        window.record(latency)
        all.append(latency)
        let sorted = all.suffix(capacity).sorted()
        let rank = (0.9 * Double(sorted.count)).rounded(.up)
        #expect(window.percentile(0.9) == sorted[Int(rank) - 1], "seed \(seed)")
      }
    }
  }
}
