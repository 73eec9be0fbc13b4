// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

@testable import Mainstay

@Suite struct AlarmQueueTests {
  @Test func `rings in the order of time`() {
    var queue = AlarmQueue<Int>()
    for due in [5, 1, 3, 2, 4] { _ = queue.add(due: .seconds(due), target: due) }
    let woken = queue.wake(sleeperUntil: .seconds(1), now: .seconds(3))
    #expect(woken.ringing == [1, 2, 3])
    #expect(queue.count == 2)
  }

  @Test func `starts a sleeper only for an alarm that is due before all sleepers wake`() {
    var queue = AlarmQueue<Int>()
    #expect(queue.add(due: .seconds(30), target: 1).sleepUntil == .seconds(30))
    #expect(queue.add(due: .seconds(31), target: 2).sleepUntil == nil)
    #expect(queue.add(due: .seconds(1), target: 3).sleepUntil == .seconds(1))
    #expect(queue.sleeperCount == 2)
    let woken = queue.wake(sleeperUntil: .seconds(1), now: .seconds(1))
    #expect(woken.ringing == [3])
    #expect(woken.sleepUntil == nil, "the other sleeper wakes in time")
    let last = queue.wake(sleeperUntil: .seconds(30), now: .seconds(30))
    #expect(last.ringing == [1] && last.sleepUntil == .seconds(31))
  }

  @Test func `an alarm that was taken back does not ring, nor twice`() {
    var queue = AlarmQueue<Int>()
    let first = queue.add(due: .seconds(1), target: 1).ticket
    let second = queue.add(due: .seconds(2), target: 2).ticket
    queue.remove(first)
    queue.remove(first)
    #expect(queue.wake(sleeperUntil: .seconds(1), now: .seconds(9)).ringing == [2])
    queue.remove(second)
    #expect(queue.count == 0)
  }

  @Test func `a ticket of the past does not take back whoever has its place now`() {
    var queue = AlarmQueue<Int>()
    let old = queue.add(due: .seconds(1), target: 1).ticket
    queue.remove(old)
    _ = queue.add(due: .seconds(2), target: 2)
    queue.remove(old)
    #expect(queue.wake(sleeperUntil: .seconds(1), now: .seconds(2)).ringing == [2])
  }

  @Test func `half a million alarms that never ring leave next to nothing behind`() {
    var queue = AlarmQueue<Int>()
    for call in 0..<500_000 {
      let due = Duration.seconds(30) + .microseconds(call)
      queue.remove(queue.add(due: due, target: call).ticket)
    }
    #expect(queue.count == 0)
    #expect(queue.entryCount <= 65)
    #expect(queue.sleeperCount == 1)
  }

  @Test func `a random walk agrees with a sorted list`() {
    for seed in 0..<RandomDose.schedules / 4 {
      var generator = SeededGenerator(seed: seed)
      walk(&generator)
    }
  }

  private func walk(_ generator: inout SeededGenerator) {
    var queue = AlarmQueue<Int>()
    var model: [Int: (due: Duration, ticket: AlarmQueue<Int>.Ticket)] = [:]
    var sleepers: [Duration] = []
    var now = Duration.zero
    for step in 0..<120 {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0, 1:
        let due = now + .milliseconds(Int.random(in: 0...50, using: &generator))
        let (ticket, sleepUntil) = queue.add(due: due, target: step)
        model[step] = (due, ticket)
        if let sleepUntil { sleepers.append(sleepUntil) }
      case 2:
        guard let victim = model.keys.sorted().randomElement(using: &generator),
          let ticket = model.removeValue(forKey: victim)?.ticket
        else { continue }
        queue.remove(ticket)
      default:
        now += .milliseconds(Int.random(in: 0...30, using: &generator))
        for sleeper in sleepers.sorted() where sleeper <= now {
          sleepers.removeAll { $0 == sleeper }
          let (ringing, next) = queue.wake(sleeperUntil: sleeper, now: now)
          for target in ringing {
            let due = model.removeValue(forKey: target)?.due
            #expect(due != nil && due ?? .zero <= now, "seed \(generator.seed)")
          }
          if let next { sleepers.append(next) }
        }
        #expect(model.values.allSatisfy { $0.due > now }, "seed \(generator.seed): overslept")
      }
      #expect(queue.count == model.count, "seed \(generator.seed)")
      let next = model.values.map(\.due).min()
      #expect(
        next.map { due in sleepers.contains { $0 <= due } } ?? true,
        "seed \(generator.seed): nobody wakes for the next alarm")
    }
  }
}
