// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

/// Modes and other settings, changed while the machine runs.
@Suite struct CircuitBreakerControlTests {
  private typealias Machine = CircuitBreakerStateMachine
  private typealias Settings = CircuitBreakerStateMachine.Settings

  /// Opened at reading 0 for 5 seconds.
  private func opened(_ settings: Settings) throws -> CircuitBreakerStateMachine {
    var settings = settings
    settings.failureThreshold = 1
    var machine = Machine(settings)
    _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    return machine
  }

  private func rate(_ span: CircuitBreaker.Window) -> Machine.Rate {
    .init(counts: .failures, threshold: 1, span: span, minimum: 3)
  }

  @Test func `disabled: admits in every state, and nothing counts`() throws {
    var machine = try opened(.init())
    let off = CircuitBreaker.Mode.disabled
    #expect(machine.setMode(off) == .settingsChanged)
    #expect(machine.setMode(off) == nil)
    #expect(machine.epoch == 2)
    _ = machine.isolate()
    for verdict in [Machine.Verdict.failure, .success, .neutral] {
      let token = try machine.token(at: 9)
      #expect(token.place == .outside)
      let isDone = machine.settleWithoutClock(token, verdict)
      #expect(isDone)
      #expect(machine.settle(token, verdict, now: .seconds(9), fraction: 0) == nil)
    }
    #expect(machine.state == .isolated)
    #expect(machine.endIsolation() == .closed)
    #expect(machine.failures == 0)
  }

  @Test func `disabled: the break goes on meanwhile`() throws {
    var machine = try opened(.init())
    _ = machine.setMode(.disabled)
    _ = machine.setMode(.enabled)
    #expect(
      machine.admit(now: .seconds(2), fraction: 0).decision == .open(retryAfter: .seconds(3)))
    #expect(machine.admit(now: .seconds(5), fraction: 0).event == .halfOpened)
  }

  @Test func `metricsOnly: goes through its states, and says what it would have refused`() throws {
    var machine = try opened(.init(mode: .metricsOnly))
    #expect(machine.state == .open(until: .seconds(5)))
    let outside = Machine.Token(epoch: 1, place: .outside)
    #expect(
      machine.admit(now: .seconds(2), fraction: 0).decision
        == .admittedAnyway(outside, insteadOf: .open(retryAfter: .seconds(3))))
    // A call that would have been refused proves nothing.
    #expect(machine.settle(outside, .success, now: .seconds(3), fraction: 0) == nil)
    #expect(machine.settle(outside, .failure, now: .seconds(3), fraction: 0) == nil)
    #expect(machine.state == .open(until: .seconds(5)))
    let probe = try machine.token(at: 5)
    #expect(probe.place == .probe(0))
    guard case .admittedAnyway(_, .probing) = machine.admit(now: .seconds(5), fraction: 0).decision
    else {
      Issue.record("admits all")
      return
    }
    #expect(machine.settle(outside, .success, now: .seconds(6), fraction: 0) == nil)
    #expect(machine.settle(probe, .success, now: .seconds(6), fraction: 0) == .closed)
    _ = machine.isolate()
    guard
      case .admittedAnyway(_, .isolated) = machine.admit(now: .seconds(7), fraction: 0).decision
    else {
      Issue.record("admits all")
      return
    }
  }

  @Test(.requirement("P1", "P2")) func `a new mode makes what is on its way stale`() throws {
    var machine = Machine(.init(failureThreshold: 1))
    let regular = try machine.token(at: 0)
    _ = machine.setMode(.metricsOnly)
    #expect(
      machine.settle(regular, .failure, now: .zero, fraction: 0)
        == .stale(succeeded: false, admittedIn: 0, endedIn: 1))
    #expect(machine.state == .closed)
    _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    let probe = try machine.token(at: 5)
    _ = machine.setMode(.enabled)
    #expect(machine.state == .halfOpen && machine.leases == [nil])
    let second = try machine.token(at: 5)
    #expect(machine.settle(probe, .success, now: .seconds(5), fraction: 0) != .closed)
    #expect(machine.settle(second, .success, now: .seconds(5), fraction: 0) == .closed)
  }

  @Test func `a new mode begins a new sample while half-open`() throws {
    var machine = try opened(.init(permits: 2))
    let failed = try machine.token(at: 5)
    #expect(machine.settle(failed, .failure, now: .seconds(5), fraction: 0) == nil)
    _ = machine.setMode(.metricsOnly)
    #expect(machine.failures == 0 && machine.successes == 0)
    let second = try machine.token(at: 5)
    #expect(machine.settle(second, .failure, now: .seconds(5), fraction: 0) == nil)
    #expect(machine.state == .halfOpen)
  }

  @Test func `a new mode keeps what is known while closed`() throws {
    var machine = Machine(.init(failureThreshold: 3, rates: [rate(.count(9))]))
    for _ in 0..<2 {
      _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    }
    _ = machine.setMode(.metricsOnly)
    #expect(machine.failures == 2 && machine.windows[0].totals.failures == 2)
    #expect(machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0) != nil)
  }

  @Test(.requirement("P37")) func `other settings keep calls on their way`() throws {
    var machine = Machine(.init(failureThreshold: 2))
    _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    let token = try machine.token(at: 0)
    #expect(machine.update(.init(failureThreshold: 2, firstBreak: .seconds(7))) == .settingsChanged)
    #expect(machine.epoch == 0 && machine.failures == 1)
    #expect(
      machine.settle(token, .failure, now: .zero, fraction: 0)
        == .opened(failures: 2, breakFor: .seconds(7), leaseExpired: false))
  }

  @Test(.requirement("P37")) func `other settings keep the end of a break and its growth`() throws {
    var machine = try opened(.init())
    _ = machine.update(.init(failureThreshold: 9, firstBreak: .seconds(1), growth: 3))
    #expect(machine.state == .open(until: .seconds(5)))
    let probe = try machine.token(at: 5)
    // The second break in a row was to be 10 s long already.
    #expect(
      machine.settle(probe, .failure, now: .seconds(5), fraction: 0)
        == .opened(failures: 1, breakFor: .seconds(10), leaseExpired: false))
    #expect(machine.nextBreak == .seconds(30))
    _ = machine.update(.init(firstBreak: .seconds(1), maximumBreak: .seconds(4)))
    #expect(machine.nextBreak == .seconds(4))
    _ = machine.update(.init(firstBreak: .seconds(50)))
    #expect(machine.nextBreak == .seconds(50))
  }

  @Test(.requirement("P37")) func `only a window of another span is forgotten`() throws {
    let ten = CircuitBreaker.Window.count(10)
    let minute = CircuitBreaker.Window.time(.seconds(60))
    var machine = Machine(.init(failureThreshold: nil, rates: [rate(ten), rate(minute)]))
    for _ in 0..<2 {
      _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    }
    let stricter = Machine.Rate(counts: .failures, threshold: 0.1, span: minute, minimum: 4)
    _ = machine.update(.init(failureThreshold: 9, rates: [stricter, rate(.count(11))]))
    #expect(machine.windows.map(\.span) == [minute, .count(11)])
    #expect(machine.windows.map(\.totals.failures) == [2, 0])
    _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    #expect(machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0) != nil)
  }

  @Test(.requirement("P37", "P2")) func `probes keep their places when there are fewer permits`()
    throws
  {
    var machine = try opened(.init(permits: 3, required: 2))
    let probes = try (0..<3).map { _ in try machine.token(at: 5) }
    _ = machine.update(.init(permits: 1, required: 2))
    #expect(machine.state == .halfOpen && machine.leases.count == 3)
    #expect(machine.settle(probes[0], .neutral, now: .seconds(5), fraction: 0) == nil)
    #expect(machine.settle(probes[1], .neutral, now: .seconds(5), fraction: 0) == nil)
    // One still runs, and only one may.
    #expect(machine.admit(now: .seconds(5), fraction: 0).decision == .refused(.probing))
    #expect(machine.settle(probes[2], .success, now: .seconds(5), fraction: 0) == nil)
    let last = try machine.token(at: 5)
    #expect(machine.settle(last, .success, now: .seconds(5), fraction: 0) == .closed)
    #expect(machine.leases == [nil])
  }

  @Test(.requirement("P37")) func `more permits are there at once`() throws {
    var machine = try opened(.init())
    _ = try machine.token(at: 5)
    #expect(machine.admit(now: .seconds(5), fraction: 0).decision == .refused(.probing))
    _ = machine.update(.init(permits: 2))
    #expect(try machine.token(at: 5).slot == 1)
    _ = machine.update(.init(permits: 1))
    #expect(machine.leases.count == 2)
  }

  @Test func `other settings may bring another mode, which begins a new epoch`() throws {
    var machine = try opened(.init())
    let probe = try machine.token(at: 5)
    #expect(machine.update(.init(mode: .metricsOnly)) == .settingsChanged)
    #expect(machine.settings.mode == .metricsOnly && machine.state == .halfOpen)
    #expect(
      machine.settle(probe, .success, now: .seconds(5), fraction: 0)
        == .stale(succeeded: true, admittedIn: 2, endedIn: 3))
  }

  @Test func `what is kept and restored goes on where it was`() throws {
    var machine = try opened(.init())
    _ = machine.settle(try machine.token(at: 5), .failure, now: .seconds(5), fraction: 0)
    let memory = machine.memory(now: .seconds(8))
    #expect(memory.remainingBreak == .seconds(7) && memory.nextBreak == .seconds(20))
    var other = Machine(.init())
    #expect(
      other.restore(memory, now: .seconds(-3))
        == .opened(failures: 0, breakFor: .seconds(7), leaseExpired: false))
    #expect(other.epoch == 1 && other.state == .open(until: .seconds(4)))
    let probe = try other.token(at: 4)
    #expect(
      other.settle(probe, .failure, now: .seconds(4), fraction: 0)
        == .opened(failures: 1, breakFor: .seconds(20), leaseExpired: false))
  }

  @Test func `half-open is kept as a break that is over, isolation is not kept`() throws {
    var machine = try opened(.init())
    #expect(
      machine.memory(now: .seconds(60))
        == .init(failures: 0, nextBreak: .seconds(10), breaks: 1, remainingBreak: .zero))
    _ = try machine.token(at: 60)
    #expect(machine.memory(now: .seconds(61)).remainingBreak == .zero)
    _ = machine.isolate()
    #expect(machine.memory(now: .seconds(6)) == .init(failures: 0, nextBreak: .seconds(5)))
    var other = Machine(.init(failureThreshold: 1))
    let over = Machine.Memory(nextBreak: .seconds(10), remainingBreak: .zero)
    _ = other.restore(over, now: .zero)
    #expect(other.admit(now: .zero, fraction: 0).event == .halfOpened)
  }

  @Test(.requirement("P12", "P18"))
  func `what is restored is cut to what the settings allow`() throws {
    for remaining in [Duration.zero - .aYear, .zero, .seconds(1), .aYear + .aYear] {
      for next in [Duration.zero, .seconds(7), .aYear] {
        var machine = Machine(.init(failureThreshold: 1, jitter: 0.5))
        let memory = Machine.Memory(nextBreak: next, remainingBreak: remaining)
        let left = min(max(remaining, .zero), .seconds(90))
        #expect(
          machine.restore(memory, now: .zero)
            == .opened(failures: 0, breakFor: left, leaseExpired: false))
        #expect(machine.retryAfter(now: .zero) == left)
        #expect(machine.nextBreak == min(max(next, .seconds(5)), .seconds(60)))
      }
    }
    var machine = Machine(.init(failureThreshold: .max))
    _ = machine.restore(.init(failures: .max, nextBreak: .zero), now: .zero)
    #expect(machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0) == nil)
  }

  @Test func `failures in a row are kept, and a restored machine begins a new epoch`() throws {
    var machine = Machine(.init(failureThreshold: 3))
    for _ in 0..<2 {
      _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    }
    var other = try opened(.init())
    other.settings.failureThreshold = 3
    let late = try other.token(at: 5)
    let memory = machine.memory(now: .zero)
    #expect(other.restore(memory, now: .zero) == .closed)
    #expect(other.restore(memory, now: .zero) == nil)
    #expect(other.settle(late, .failure, now: .zero, fraction: 0) != nil)
    #expect(other.failures == 2)
    #expect(
      other.settle(try other.token(at: 0), .failure, now: .zero, fraction: 0)
        == .opened(failures: 3, breakFor: .seconds(5), leaseExpired: false))
  }
}
