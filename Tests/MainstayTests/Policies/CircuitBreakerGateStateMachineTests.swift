// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

/// The refusal past the lock, beside the whole machine.
@Suite struct CircuitBreakerGateTests {
  private typealias Gate = CircuitBreaker.Gate
  private typealias Machine = CircuitBreakerStateMachine

  @Test(.requirement("P12")) func `only a break that refuses is shown`() {
    var machine = Machine(.init(failureThreshold: 1))
    #expect(machine.openBreak == nil)
    _ = machine.forceOpen(for: .seconds(5), now: .seconds(1), fraction: 0)
    #expect(machine.openBreak == .init(epoch: 1, from: .seconds(1), until: .seconds(6)))
    for mode in [CircuitBreaker.Mode.metricsOnly, .disabled] {
      _ = machine.setMode(mode)
      #expect(machine.openBreak == nil)
    }
    _ = machine.setMode(.enabled)
    #expect(machine.openBreak?.epoch == 4)
    _ = machine.isolate()
    #expect(machine.openBreak == nil)
  }

  @Test(.requirement("P12")) func `the gate refuses from the latest reading up to the end`() {
    let gate = Gate()
    var machine = Machine(.init(failureThreshold: 1))
    gate.show(machine)
    #expect(gate.wait(at: .zero) == nil)
    _ = machine.forceOpen(for: .seconds(5), now: .seconds(1), fraction: 0)
    gate.show(machine)
    #expect(gate.sign == .open)
    let atto = Duration(attoseconds: 1)
    let readings = [.seconds(1) - atto, .seconds(1), .seconds(6) - atto, .seconds(6)]
    #expect(readings.map { gate.wait(at: $0) } == [nil, .seconds(5), atto, nil])
    _ = machine.forceHalfOpen()
    gate.show(machine)
    #expect(gate.sign == .lockedByClock)
    #expect(gate.wait(at: .seconds(2)) == nil)
    _ = machine.reset()
    gate.show(machine)
    #expect(gate.sign == .free(epoch: machine.epoch))
    #expect(gate.isFree(in: machine.epoch) && !gate.isFree(in: machine.epoch - 1))
    #expect(gate.wait(at: .seconds(2)) == nil)
  }

  @Test(arguments: [
    Duration(secondsComponent: .max / 2, attosecondsComponent: 0),
    Duration(secondsComponent: .min / 2, attosecondsComponent: 0), .seconds(-3), .zero,
  ])
  func `readings far away are shown as they are`(start: Duration) {
    let gate = Gate()
    var machine = Machine(.init())
    _ = machine.forceOpen(for: .seconds(5), now: start, fraction: 0)
    gate.show(machine)
    #expect(gate.wait(at: start) == .seconds(5))
    #expect(gate.wait(at: start + .seconds(2)) == .seconds(3))
    #expect(gate.wait(at: start - .nanoseconds(1)) == nil)
    #expect(gate.wait(at: start + .seconds(5)) == nil)
  }

  @Test(.requirement("P1", "P12", "P37"))
  func `in random walks the gate says what the whole machine says`() {
    var quick = 0
    walk(by: [-700, 0, 1, 300, 2000]) { gate, machine, now in
      let (decision, event) = decision(of: machine, at: now)
      if let wait = gate.wait(at: now) {
        quick += 1
        guard decision != .refused(.open(retryAfter: wait)) || event != nil else { return nil }
        return "waits \(wait), but \(decision)"
      }
      guard case .refused(.open) = decision, event == nil, now >= machine.latest else { return nil }
      return "\(decision), but the gate does not know"
    }
    #expect(quick > 5 * Int(RandomDose.schedules))
  }

  @Test(.requirement("P1", "P12"))
  func `in random walks a tick in which somebody looked refuses what the machine refuses`() {
    var quick = 0
    walk(by: [0, 1, 2, 300, 2000], resting: 3) { gate, machine, now in
      let tick = Int64(now.inNanoseconds / 4_000_000) + 1
      defer { gate.look(at: now, in: tick) }
      guard let wait = gate.wait(in: tick) else { return nil }
      quick += 1
      let (decision, event) = decision(of: machine, at: now)
      guard case .refused(.open(let exact)) = decision, event == nil, exact <= wait,
        wait - exact < .milliseconds(4)
      else { return "waits \(wait), but \(decision)" }
      return nil
    }
    #expect(quick > Int(RandomDose.schedules))
  }

  /// Walks through the machine, and shows it at the gate before each look.
  ///
  /// - Parameters:
  ///   - steps: How far the clock goes each time, in milliseconds.
  ///   - rest: One time of how many nothing else happens; 0 for never.
  ///   - look: What is wrong; nil for nothing.
  private func walk(
    by steps: [Int], resting rest: Int = 0,
    _ look: (borrowing Gate, Machine, Duration) -> String?
  ) {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      let gate = Gate()
      var machine = Machine(settings(&random))
      var tokens: [Machine.Token] = []
      var now = Duration.zero
      for step in 0..<60 {
        now += .milliseconds(steps.randomElement(using: &random) ?? 0)
        let isResting = rest > 0 && Int.random(in: 0..<rest, using: &random) == 0
        if !isResting { move(&machine, &tokens, now, &random) }
        gate.show(machine)
        if let complaint = look(gate, machine, now) {
          Issue.record("seed \(seed), step \(step): \(complaint)")
          return
        }
      }
    }
  }

  /// What the machine makes of a call, which is not made.
  private func decision(
    of machine: Machine, at now: Duration
  ) -> (Machine.Decision, Machine.Event?) {
    var machine = machine
    return machine.admit(now: now, fraction: 0)
  }

  @Test(.requirement("P2", "P12"))
  func `a tick is forgotten with its break, and never nears its end`() {
    let gate = Gate()
    var machine = Machine(.init(failureThreshold: 1))
    _ = machine.forceOpen(for: .seconds(5), now: .zero, fraction: 0)
    gate.show(machine)
    #expect(gate.wait(in: 7) == nil)
    gate.look(at: .seconds(1), in: 7)
    #expect(gate.wait(in: 7) == .seconds(4))
    #expect(gate.wait(in: 8) == nil && gate.wait(in: nil) == nil)
    // The same break goes on, as when a call was refused by the whole machine.
    _ = machine.admit(now: .seconds(2), fraction: 0)
    gate.show(machine)
    #expect(gate.wait(in: 7) == .seconds(4))
    _ = machine.reset()
    gate.show(machine)
    #expect(gate.wait(in: 7) == nil)
    _ = machine.forceOpen(for: .seconds(5), now: .seconds(2), fraction: 0)
    gate.show(machine)
    #expect(gate.wait(in: 7) == nil)
    gate.look(at: .seconds(7) - .milliseconds(50), in: 7)
    #expect(gate.wait(in: 7) == nil)
    gate.look(at: .seconds(7) - .milliseconds(51), in: 7)
    #expect(gate.wait(in: 7) == .milliseconds(51))
    gate.look(at: .seconds(7), in: 9)
    #expect(gate.wait(in: 9) == nil)
  }

  @Test(.requirement("P2")) func `who looked in an earlier tick and comes late changes nothing`() {
    let gate = Gate()
    var machine = Machine(.init(failureThreshold: 1))
    _ = machine.forceOpen(for: .seconds(5), now: .zero, fraction: 0)
    gate.show(machine)
    gate.look(at: .seconds(2), in: 8)
    gate.look(at: .seconds(1), in: 7)
    #expect(gate.wait(in: 7) == nil)
    #expect(gate.wait(in: 8) == .seconds(3))
  }

  private func settings(_ random: inout SplitMix64) -> Machine.Settings {
    .init(
      mode: Int.random(in: 0..<10, using: &random) == 0 ? .metricsOnly : .enabled,
      failureThreshold: .random(in: 1...2, using: &random),
      firstBreak: .milliseconds(Int.random(in: 1...8000, using: &random)),
      maximumBreak: .seconds(20), permits: .random(in: 1...3, using: &random),
      lease: .milliseconds(3000))
  }

  private func move(
    _ machine: inout Machine, _ tokens: inout [Machine.Token], _ now: Duration,
    _ random: inout SplitMix64
  ) {
    let fraction = random.fraction()
    switch Int.random(in: 0..<40, using: &random) {
    case 0: _ = machine.isolate()
    case 1...3: if machine.isolations > 0 { _ = machine.endIsolation() }
    case 4: _ = machine.reset()
    case 5:
      _ = machine.setMode(CircuitBreaker.Mode.allCases.randomElement(using: &random) ?? .enabled)
    case 6...7: _ = machine.setMode(.enabled)
    case 8: _ = machine.update(settings(&random))
    case 9:
      let memory = machine.memory(now: now)
      if machine.isolations == 0 { _ = machine.restore(memory, now: now) }
    case 10: _ = machine.forceOpen(for: .milliseconds(900), now: now, fraction: fraction)
    case 11: _ = machine.forceOpen(for: nil, now: now, fraction: fraction)
    case 12: _ = machine.forceHalfOpen()
    case 13: _ = machine.forceClosed()
    case 14..<26:
      switch machine.admit(now: now, fraction: fraction).decision {
      case .admitted(let token), .admittedAnyway(let token, _): tokens.append(token)
      case .refused: break
      }
    default:
      guard let token = tokens.popLast() else { return }
      let verdict: Machine.Verdict = fraction < 0.7 ? .failure : .success
      _ = machine.settle(token, verdict, now: now, fraction: fraction)
    }
  }

  private final class Shared: Sendable { let gate = Gate() }

  @Test(.requirement("P2")) func `what is seen of a break belongs together`() async {
    let shared = Shared()
    /// A break whose end has the same number in both of its words.
    func number(_ epoch: Int) -> Gate.Break {
      let end = Int128(epoch) << 64 | Int128(epoch)
      return .init(epoch: UInt64(epoch), from: .zero, until: Duration(attoseconds: end))
    }
    let turns = 20 * RandomDose.cases
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for epoch in 1...turns {
          shared.gate.show(.lockedByClock, number(epoch), letsWait: false)
          if epoch.isMultiple(of: 50) { await Task.yield() }
        }
      }
      for _ in 0..<3 {
        group.addTask {
          for turn in 1...(5 * turns) {
            if let wait = shared.gate.wait(at: .zero)?.attoseconds {
              #expect(wait >> 64 == wait & Int128(UInt64.max))
            }
            if turn.isMultiple(of: 50) { await Task.yield() }
          }
        }
      }
    }
    #expect(shared.gate.wait(at: .zero) == number(turns).until)
  }
}

extension CircuitBreaker.Gate {
  fileprivate func show(_ machine: CircuitBreakerStateMachine) {
    show(machine.sign, machine.openBreak, letsWait: machine.settings.waiting != nil)
  }
}
