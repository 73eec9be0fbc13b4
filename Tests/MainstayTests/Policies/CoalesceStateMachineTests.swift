// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite struct CoalesceStateMachineTests {
  private typealias Machine = CoalesceStateMachine<Int, UInt64>

  @Test func `thousands of random schedules agree with a list`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      if let disagreement = walk(&random) {
        Issue.record("seed \(seed): \(disagreement)")
        return
      }
    }
  }

  /// A caller is its own waiter, so the machine's answers name it.
  private func walk(_ random: inout SplitMix64) -> String? {
    var machine = Machine()
    var waiting: [(caller: UInt64, flight: UInt64, key: Int)] = []
    var cancelled: [UInt64] = []
    for _ in 0..<80 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<4:
        let key = Int.random(in: 0..<3, using: &random)
        let caller = machine.nextID()
        let isGone = Int.random(in: 0..<8, using: &random) == 0
        if isGone, machine.leave(caller).waiter != nil { return "left before it came, yet waited" }
        let shared = waiting.first { $0.key == key }?.flight
        guard machine.flight(of: key) == shared else { return "flight of \(key) is another one" }
        switch machine.join(key, caller: caller, waiter: caller) {
        case .gone:
          guard isGone else { return "\(caller) was taken for gone" }
        case .follows(let flight):
          guard !isGone, flight == shared else { return "\(caller) follows \(flight)" }
          waiting.append((caller, flight, key))
        case .leads(let flight):
          guard !isGone, shared == nil, !cancelled.contains(flight) else {
            return "\(caller) leads though \(String(describing: shared)) flies"
          }
          waiting.append((caller, flight, key))
        }
      case 4..<6:
        guard !waiting.isEmpty else { break }
        let index = Int.random(in: 0..<waiting.count, using: &random)
        let (caller, flight, _) = waiting.remove(at: index)
        let leaving = machine.leave(caller)
        guard leaving.waiter == caller else { return "\(caller) left and was not told" }
        let isLast = !waiting.contains { $0.flight == flight }
        guard leaving.cancelledFlight == (isLast ? flight : nil) else {
          return "\(caller) left, and \(flight) was \(isLast ? "not " : "")cancelled"
        }
        if isLast { cancelled.append(flight) }
      case 6:
        guard let flight = waiting.randomElement(using: &random)?.flight else { break }
        let expected = waiting.filter { $0.flight == flight }.map(\.caller)
        guard machine.end(flight) == expected else { return "others than \(expected) got it" }
        waiting.removeAll { $0.flight == flight }
      default:
        // A run that was cancelled ends too, and is of interest to nobody.
        guard let flight = cancelled.popLast() else { break }
        guard machine.end(flight).isEmpty else { return "a cancelled run answered" }
      }
      let flights = Set(waiting.map(\.flight))
      guard machine.flightCount == flights.count, machine.callerCount == waiting.count else {
        return "\(machine.flightCount) flights for \(waiting)"
      }
      guard flights.allSatisfy(machine.isFlying) else { return "a flight is lost" }
    }
    return machine.goneEarlyCount == 0 ? nil : "somebody is kept who had gone"
  }

  @Test func `those who stay get the answer in the order in which they came`() {
    var machine = Machine()
    // Who asks first does not always come first.
    let callers = (0..<10_000).map { _ in machine.nextID() }.reversed()
    for caller in callers { _ = machine.join(1, caller: caller, waiter: caller) }
    guard let flight = machine.flight(of: 1) else {
      Issue.record("nobody flies")
      return
    }
    for caller in callers where !caller.isMultiple(of: 3) {
      let leaving = machine.leave(caller)
      #expect(leaving.waiter == caller && leaving.cancelledFlight == nil)
    }
    #expect(machine.callerCount == 3_333)
    #expect(machine.end(flight) == callers.filter { $0.isMultiple(of: 3) })
    #expect(machine.callerCount == 0 && machine.flightCount == 0)
  }

  @Test func `who goes away after the end leaves nothing behind`() {
    var machine = Machine()
    let caller = machine.nextID()
    guard case .leads(let flight) = machine.join(1, caller: caller, waiter: caller) else {
      Issue.record("it does not lead")
      return
    }
    #expect(machine.end(flight) == [caller])
    #expect(machine.leave(caller).waiter == nil)
    machine.forget(caller)
    #expect(machine.goneEarlyCount == 0 && machine.callerCount == 0)
  }
}
