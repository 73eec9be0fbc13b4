// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@testable import MainstayOgmios

@Suite struct OgmiosEndpointsStateMachineTests {
  private func seconds(_ count: Int) -> Duration { .seconds(count) }

  @Test func `endpoints are asked in their order`() {
    let machine = OgmiosEndpointsStateMachine(count: 3)
    #expect(machine.order(at: .zero) == [0, 1, 2])
    #expect(machine.order(preferring: 2, at: .zero) == [2, 0, 1])
    #expect(machine.order(preferring: 9, at: .zero) == [0, 1, 2])
  }

  @Test func `one that failed rests, and is the first again after that`() {
    var machine = OgmiosEndpointsStateMachine(count: 3)
    machine.ended(.failed, at: 0, begun: .zero, now: .zero)
    #expect(machine.order(at: .zero) == [1, 2, 0])
    #expect(machine.order(at: .milliseconds(999)) == [1, 2, 0])
    #expect(machine.order(at: seconds(1)) == [0, 1, 2])
  }

  @Test func `rests double, up to the longest`() {
    var machine = OgmiosEndpointsStateMachine(count: 2)
    var (now, rests) = (Duration.zero, [Duration]())
    for _ in 0..<8 {
      machine.ended(.failed, at: 0, begun: now, now: now)
      let start = now
      while machine.isResting(0, at: now) { now += .milliseconds(500) }
      rests.append(now - start)
    }
    #expect(rests == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
    machine.ended(.answered, at: 0, begun: now, now: now)
    machine.ended(.failed, at: 0, begun: now, now: now)
    #expect(!machine.isResting(0, at: now + seconds(1)))
  }

  @Test func `calls that fail together count once`() {
    var machine = OgmiosEndpointsStateMachine(count: 2)
    for _ in 0..<50 { machine.ended(.failed, at: 0, begun: .zero, now: .zero) }
    #expect(!machine.isResting(0, at: seconds(1)))
  }

  @Test func `all are asked where all rest`() {
    var machine = OgmiosEndpointsStateMachine(count: 2)
    machine.ended(.failed, at: 0, begun: .zero, now: .zero)
    machine.ended(.failed, at: 1, begun: .zero, now: .zero)
    #expect(machine.order(at: .zero) == [0, 1])
  }

  @Test(.requirement("D14", "D18", "T16"))
  func `how an endpoint stands, only its own calls say`() {
    var machine = OgmiosEndpointsStateMachine(count: 2)
    #expect(machine.status(at: .zero) == .disconnected)
    machine.ended(.failed, at: 0, begun: .zero, now: .zero)
    #expect(machine.status(at: .zero) == .failed)
    machine.ended(.answered, at: 1, begun: .zero, now: .zero)
    #expect(machine.status(of: 0, at: .zero) == .failed)
    #expect(machine.status(of: 1, at: .zero) == .connected)
    #expect(machine.status(at: .zero) == .connected)
    #expect(machine.inUse == 1)
    machine.ended(.unknown, at: 1, begun: seconds(1), now: seconds(1))
    #expect(machine.status(of: 1, at: seconds(1)) == .connected)
  }

  @Test(.requirement("D18", "T15")) func `what is open does not stay open for ever`() {
    var machine = OgmiosEndpointsStateMachine(count: 1)
    machine.ended(.answered, at: 0, begun: .zero, now: .zero)
    machine.ended(.timedOut, at: 0, begun: seconds(1), now: seconds(1))
    #expect(machine.status(at: seconds(60)) == .reconnecting)
    #expect(machine.status(at: seconds(61)) == .failed)
    machine.ended(.timedOut, at: 0, begun: seconds(50), now: seconds(55))
    #expect(machine.status(at: seconds(61)) == .failed)
    machine.ended(.answered, at: 0, begun: seconds(70), now: seconds(70))
    #expect(machine.status(at: seconds(200)) == .connected)
    #expect(machine.order(at: seconds(70)) == [0])
  }

  @Test func `a late answer changes nothing`() {
    var machine = OgmiosEndpointsStateMachine(count: 2)
    machine.ended(.answered, at: 0, begun: seconds(10), now: seconds(11))
    machine.ended(.failed, at: 0, begun: seconds(5), now: seconds(12))
    #expect(machine.status(at: seconds(12)) == .connected)
    machine.ended(.failed, at: 0, begun: seconds(20), now: seconds(21))
    let isSwitched = machine.ended(.answered, at: 0, begun: seconds(15), now: seconds(22))
    #expect(!isSwitched)
    #expect(machine.status(at: seconds(22)) == .failed)
  }

  @Test func `a call that says nothing takes no other one's word away`() {
    var machine = OgmiosEndpointsStateMachine(count: 2)
    machine.ended(.unknown, at: 0, begun: seconds(10), now: seconds(11))
    machine.ended(.failed, at: 0, begun: seconds(5), now: seconds(12))
    #expect(machine.status(of: 0, at: seconds(12)) == .failed)
  }

  @Test func `an answer ends a rest`() {
    var machine = OgmiosEndpointsStateMachine(count: 2)
    machine.ended(.failed, at: 0, begun: .zero, now: .zero)
    #expect(machine.order(at: .zero) == [1, 0])
    machine.ended(.answered, at: 0, begun: .zero, now: .zero)
    #expect(machine.order(at: .zero) == [0, 1])
  }

  @Test(arguments: [OgmiosEndpointsStateMachine.Ending.failed, .timedOut, .unknown])
  func `only an answer is a switch`(_ ending: OgmiosEndpointsStateMachine.Ending) {
    var machine = OgmiosEndpointsStateMachine(count: 2)
    machine.ended(.answered, at: 0, begun: .zero, now: .zero)
    let isSwitched = machine.ended(ending, at: 1, begun: .zero, now: .zero)
    #expect(!isSwitched)
    #expect(machine.inUse == 0)
  }

  @Test func `a switch is told once, to another one and back`() {
    var machine = OgmiosEndpointsStateMachine(count: 2)
    let told = [0, 0, 1, 1, 0].enumerated().map { time, index in
      machine.ended(.answered, at: index, begun: seconds(time), now: seconds(time))
    }
    #expect(told == [false, false, true, false, true])
  }

  @Test func `whatever happens, each is asked once and rests end`() {
    for seed in 0..<RandomDose.schedules {
      var random = SeededGenerator(seed: seed)
      let count = Int.random(in: 1...4, using: &random)
      var machine = OgmiosEndpointsStateMachine(count: count)
      var now = Duration.zero
      for _ in 0..<40 {
        now += .milliseconds(Int.random(in: 0...4_000, using: &random))
        let begun = now - .milliseconds(Int.random(in: 0...5_000, using: &random))
        let ending =
          [OgmiosEndpointsStateMachine.Ending.answered, .timedOut, .failed, .unknown]
          .randomElement(using: &random) ?? .unknown
        let index = Int.random(in: 0..<count, using: &random)
        machine.ended(ending, at: index, begun: begun, now: now)
        let order = machine.order(at: now)
        let rests = order.map { machine.isResting($0, at: now) }
        guard order.sorted() == Array(0..<count), rests == rests.sorted(by: { !$0 && $1 }),
          !machine.isResting(index, at: now + seconds(30))
        else {
          Issue.record("seed \(seed)")
          return
        }
      }
    }
  }
}
