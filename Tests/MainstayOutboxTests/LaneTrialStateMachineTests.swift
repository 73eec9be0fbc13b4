// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import MainstayTesting
import Testing

/// When a lane that waits for a person is tried again.
@Suite struct LaneTrialStateMachineTests {
  private let shortest = LaneTrialStateMachine.shortest
  private let longest = LaneTrialStateMachine.longest
  private let lane: Lane = "notes"

  private func lease(_ number: Int64) -> Lease {
    var generator = SeededGenerator(seed: UInt64(number))
    return Lease(id: .new(at: .distantPast, using: &generator), row: number, token: number)
  }

  @Test func `a lane that is found closed is tried at once, by one operation`() {
    var machine = LaneTrialStateMachine()
    #expect(machine.due(at: .zero).isEmpty && machine.nextLook(at: .zero) == nil)
    machine.found(lane, at: .seconds(1))
    #expect(machine.due(at: .seconds(1)) == [lane])
    #expect(machine.begins(lease(1), in: lane, at: .seconds(1)) == true)
    #expect(machine.begins(lease(2), in: lane, at: .seconds(1)) == false)
    #expect(machine.isTrial(lease(1), in: lane) && !machine.isTrial(lease(2), in: lane))
    #expect(machine.due(at: .seconds(1)).isEmpty)
    #expect(machine.nextLook(at: .seconds(1)) == .seconds(1) + shortest, "if nobody hears of it")
  }

  @Test func `each refusal of a trial doubles the wait, up to an hour`() {
    var (machine, now) = (LaneTrialStateMachine(), Duration.zero)
    #expect(machine.ended(lease(1), in: lane, .refused, at: now) == true)
    var waits: [Duration] = []
    for number in 2...7 {
      let next = machine.nextLook(at: now) ?? .zero
      waits.append(next - now)
      now = next
      #expect(machine.due(at: now) == [lane])
      #expect(machine.begins(lease(Int64(number)), in: lane, at: now) == true)
      let isNews = machine.ended(lease(Int64(number)), in: lane, .refused, at: now)
      #expect(!isNews, "it was told")
    }
    let expected = [1, 2, 4, 8].map { shortest * $0 } + [longest, longest]
    #expect(waits == expected)
  }

  @Test func `who began before the lane was closed, and is refused, changes nothing`() {
    var machine = LaneTrialStateMachine()
    #expect(machine.ended(lease(1), in: lane, .refused, at: .zero) == true)
    let before = machine
    #expect(machine.ended(lease(2), in: lane, .refused, at: .seconds(9)) == false)
    #expect(machine.ended(lease(3), in: lane, .neutral, at: .seconds(9)) == false)
    #expect(machine == before)
  }

  @Test func `a trial that is given back before it began is due again at once`() {
    var machine = LaneTrialStateMachine()
    machine.found(lane, at: .seconds(5))
    #expect(machine.due(at: .zero).isEmpty && machine.nextLook(at: .zero) == .seconds(5))
    #expect(machine.begins(lease(1), in: lane, at: .seconds(5)) == true)
    machine.gaveBack(lease(2), in: lane, at: .seconds(6))
    #expect(machine.due(at: .seconds(6)).isEmpty, "another one does try it")
    machine.gaveBack(lease(1), in: lane, at: .seconds(6))
    #expect(machine.due(at: .seconds(6)) == [lane])
    #expect(machine.begins(lease(3), in: lane, at: .seconds(6)) == true)
  }

  @Test func `a trial without an answer is repeated soon, and one that is let in is the last`() {
    var machine = LaneTrialStateMachine()
    machine.found(lane, at: .zero)
    #expect(machine.begins(lease(1), in: lane, at: .zero) == true)
    #expect(machine.ended(lease(1), in: lane, .neutral, at: .seconds(9)) == false)
    #expect(machine.nextLook(at: .seconds(9)) == .seconds(9) + shortest)
    let now = Duration.seconds(9) + shortest
    #expect(machine.begins(lease(2), in: lane, at: now) == true)
    let isNews = machine.ended(lease(2), in: lane, .opened, at: now)
    #expect(!isNews, "that it was closed was not told")
    #expect(machine.lanes.isEmpty && machine.nextLook(at: now) == nil)
  }

  @Test func `that a lane is closed is told once, and that it opens where that was told`() {
    var machine = LaneTrialStateMachine()
    #expect(machine.opened(lane) == false)
    #expect(machine.ended(lease(1), in: lane, .refused, at: .zero) == true)
    #expect(machine.opened(lane) == true)
    #expect(machine.ended(lease(2), in: lane, .refused, at: .zero) == true)
  }

  @Test func `a lane in which nothing waits is looked at again later`() {
    var machine = LaneTrialStateMachine()
    machine.found(lane, at: .zero)
    machine.foundNothing(in: lane, at: .seconds(2))
    #expect(machine.due(at: .seconds(2)).isEmpty)
    #expect(machine.due(at: .seconds(2) + shortest) == [lane])
  }
}
