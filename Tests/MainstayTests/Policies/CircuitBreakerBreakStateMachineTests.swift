// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

/// How long breaks are, and what clocks can do to them.
@Suite struct CircuitBreakerBreakTests {
  private typealias Machine = CircuitBreakerStateMachine

  /// Fails a probe after each break and returns the lengths of the breaks.
  private func breaks(
    _ count: Int, of settings: CircuitBreakerStateMachine.Settings,
    fraction: () -> Double = { 0 }
  ) throws -> [Duration] {
    var settings = settings
    settings.failureThreshold = 1
    var machine = Machine(settings)
    var now = Duration.zero
    return try (0..<count).map { _ in
      guard case .admitted(let token) = machine.admit(now: now, fraction: fraction()).decision,
        case .opened(_, let breakFor, _) = machine.settle(
          token, .failure, now: now, fraction: fraction())
      else { throw UnexpectedDecision() }
      now += breakFor
      return breakFor
    }
  }

  @Test(.requirement("P6"))
  func `a break grows with each failed half-open, up to its maximum`() throws {
    #expect(
      try breaks(7, of: .init()) == [5, 10, 20, 40, 60, 60, 60].map { Duration.seconds($0) })
  }

  @Test(.requirement("P6")) func `the growth is forgotten when the breaker closes`() throws {
    var machine = Machine(.init(failureThreshold: 1))
    var now = Duration.zero
    for _ in 0..<3 {
      _ = machine.settle(try machine.token(at: now), .failure, now: now, fraction: 0)
      now += .seconds(100)
    }
    #expect(machine.settle(try machine.token(at: now), .success, now: now, fraction: 0) == .closed)
    #expect(
      machine.settle(try machine.token(at: now), .failure, now: now, fraction: 0)
        == .opened(failures: 1, breakFor: .seconds(5), leaseExpired: false))
  }

  @Test(.requirement("P5"))
  func `failures that were on their way neither extend the break nor count as attempts`() throws {
    var machine = Machine(.init(failureThreshold: 1))
    let tokens = try (0..<50).map { _ in try machine.token(at: 0) }
    var openings = 0
    for (index, token) in tokens.enumerated() {
      let event = machine.settle(token, .failure, now: .seconds(index % 5), fraction: 0)
      if case .opened = event { openings += 1 }
    }
    #expect(openings == 1)
    #expect(machine.state == .open(until: .seconds(5)))
    #expect(machine.nextBreak == .seconds(10))
  }

  @Test(.requirement("P7"))
  func `chance lengthens a break by up to a fifth and never shortens it`() throws {
    var random = SplitMix64(seed: 7)
    let all = try breaks(2000, of: .init(growth: 1), fraction: { random.fraction() })
    #expect(all.allSatisfy { $0 >= .seconds(5) && $0 < .seconds(6) })
    #expect(Set(all).count > 1900)
    let mean = all.map(\.inSeconds).reduce(0, +) / 2000
    #expect(abs(mean - 5.5) < 0.03)
  }

  @Test(.requirement("P7")) func `chance still tells breakers apart at the longest break`() throws {
    var random = SplitMix64(seed: 8)
    let all = try breaks(100, of: .init(), fraction: { random.fraction() }).dropFirst(4)
    #expect(all.allSatisfy { $0 >= .seconds(60) && $0 < .seconds(72) })
    #expect(Set(all).count == all.count)
  }

  @Test(.requirement("P18", "T8")) func `thousands of failed half-opens do not overflow`() throws {
    let year = Duration.aYear
    let settings = Machine.Settings(
      firstBreak: .nanoseconds(1), maximumBreak: year, growth: 100, jitter: 1)
    let all = try breaks(5000, of: settings, fraction: { 0.999_999 })
    #expect(all.last.map { $0 >= year && $0 <= year + year } == true)
  }

  @Test(.requirement("P10", "P12", "P18", "T8"))
  func `no reading of the clock stops the program`() throws {
    let largest = Duration(secondsComponent: .max, attosecondsComponent: 0)
    let smallest = Duration(secondsComponent: .min, attosecondsComponent: 0)
    let readings = [smallest, largest, .zero, smallest, largest, .seconds(-1), .seconds(1)]
    for start in readings {
      var machine = Machine(
        .init(failureThreshold: 1, firstBreak: .aYear, maximumBreak: .aYear, jitter: 1))
      _ = machine.settle(try machine.token(at: start), .failure, now: start, fraction: 0.99)
      for now in readings {
        let decision = machine.admit(now: now, fraction: 0.99).decision
        if case .refused(.open(let retryAfter)) = decision {
          #expect(retryAfter > .zero && retryAfter <= .aYear + .aYear)
        }
        if case .admitted(let token) = decision {
          _ = machine.settle(token, .failure, now: now, fraction: 0.99)
        }
        #expect(machine.retryAfter(now: now).map { $0 >= .zero } ?? true)
      }
    }
  }

  @Test(.requirement("P12")) func `a clock that goes back means that no time has passed`() throws {
    var machine = Machine(.init(failureThreshold: 1))
    _ = machine.settle(try machine.token(at: 100), .failure, now: .seconds(100), fraction: 0)
    #expect(
      machine.admit(now: .seconds(102), fraction: 0).decision == .open(retryAfter: .seconds(3)))
    #expect(
      machine.admit(now: .seconds(-9), fraction: 0).decision == .open(retryAfter: .seconds(3)))
    #expect(
      machine.admit(now: .seconds(102), fraction: 0).decision == .open(retryAfter: .seconds(3)))
    #expect(machine.admit(now: .seconds(105), fraction: 0).event == .halfOpened)
  }

  @Test(.requirement("P14"))
  func `a reading that was taken before waiting for the lock shortens no break`() throws {
    var machine = Machine(.init(failureThreshold: 1))
    _ = machine.settle(try machine.token(at: 100), .failure, now: .seconds(100), fraction: 0)
    let probe = try machine.token(at: 105)
    // Read the clock at 101, then waited until the other caller had been admitted at 105.
    _ = machine.settle(probe, .failure, now: .seconds(101), fraction: 0)
    #expect(
      machine.admit(now: .seconds(112), fraction: 0).decision == .open(retryAfter: .seconds(3)))
  }

  @Test(.requirement("P12")) func `a breaker may be older than the start of its clock`() throws {
    var machine = Machine(.init(failureThreshold: 1))
    _ = machine.settle(try machine.token(at: -100), .failure, now: .seconds(-100), fraction: 0)
    #expect(
      machine.admit(now: .seconds(-96), fraction: 0).decision == .open(retryAfter: .seconds(1)))
    #expect(machine.admit(now: .seconds(-95), fraction: 0).event == .halfOpened)
  }

  @Test(.requirement("P10")) func `the shortest break that there is ends`() throws {
    var machine = Machine(.init(failureThreshold: 1, firstBreak: Duration(attoseconds: 1)))
    _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0.5)
    #expect(
      machine.admit(now: .zero, fraction: 0).decision == .open(retryAfter: Duration(attoseconds: 1))
    )
    #expect(machine.admit(now: .nanoseconds(1), fraction: 0).event == .halfOpened)
    let all = try breaks(4, of: .init(firstBreak: Duration(attoseconds: 1)))
    #expect(all.allSatisfy { $0 > .zero })
  }
}

struct UnexpectedDecision: Error {}

extension CircuitBreakerStateMachine {
  /// Asks to be let through, and fails where that is refused.
  mutating func token(at seconds: Int) throws -> Token { try token(at: .seconds(seconds)) }

  mutating func token(at now: Duration) throws -> Token {
    guard case .admitted(let token) = admit(now: now, fraction: 0).decision else {
      throw UnexpectedDecision()
    }
    return token
  }
}

extension CircuitBreakerStateMachine.Decision {
  static func open(retryAfter: Duration) -> Self { .refused(.open(retryAfter: retryAfter)) }
}
