// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

/// The rows of the table of states, one test each.
@Suite struct CircuitBreakerStateMachineTests {
  private typealias Machine = CircuitBreakerStateMachine
  private typealias Token = CircuitBreakerStateMachine.Token

  private func machine(
    threshold: Int = 2, permits: Int = 1, required: Int = 1, lease: Duration? = nil
  ) -> CircuitBreakerStateMachine {
    CircuitBreakerStateMachine(
      .init(
        failureThreshold: threshold, firstBreak: .seconds(5), maximumBreak: .seconds(60),
        growth: 2, jitter: 0.2, permits: permits, required: required, lease: lease))
  }

  /// Opened at reading 0 for 5 seconds.
  private func opened(permits: Int = 1, required: Int = 1, lease: Duration? = nil) throws
    -> CircuitBreakerStateMachine
  {
    var machine = machine(threshold: 1, permits: permits, required: required, lease: lease)
    let event = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    #expect(event == .opened(failures: 1, breakFor: .seconds(5), leaseExpired: false))
    return machine
  }

  @Test(.requirement("A20"))
  func `closed: admits, without a place for a probe`() throws {
    var machine = machine()
    for _ in 0..<100 { #expect(try machine.token(at: 0) == Token(epoch: 0, place: .regular)) }
    #expect(machine.tokenWithoutClock == Token(epoch: 0, place: .regular))
  }

  @Test(.requirement("A20"))
  func `closed: counts failures and opens at the threshold`() throws {
    var machine = machine()
    #expect(machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0) == nil)
    #expect(machine.failures == 1)
    #expect(
      machine.settle(try machine.token(at: 0), .failure, now: .seconds(3), fraction: 0)
        == .opened(failures: 2, breakFor: .seconds(5), leaseExpired: false))
    #expect(machine.state == .open(until: .seconds(8)))
    #expect(machine.epoch == 1)
  }

  @Test(.requirement("A22"))
  func `closed: a success starts the count again and never opens`() throws {
    var machine = machine()
    for _ in 0..<10 {
      #expect(machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0) == nil)
      #expect(machine.settle(try machine.token(at: 0), .success, now: .zero, fraction: 0) == nil)
    }
    #expect(machine.state == .closed)
  }

  @Test(.requirement("T4", "P8"))
  func `closed: a call without a verdict records nothing`() throws {
    var machine = machine()
    #expect(machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0) == nil)
    for _ in 0..<10 {
      #expect(machine.settle(try machine.token(at: 0), .neutral, now: .zero, fraction: 0) == nil)
    }
    #expect(machine.failures == 1)
    #expect(machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0) != nil)
  }

  @Test(.requirement("A21"))
  func `open: refuses before its time is up and says when to come back`() throws {
    var machine = try opened()
    #expect(machine.admit(now: .zero, fraction: 0).decision == .open(retryAfter: .seconds(5)))
    let late = machine.admit(now: .milliseconds(4999), fraction: 0)
    #expect(late.decision == .open(retryAfter: .milliseconds(1)))
    #expect(late.event == nil)
    #expect(machine.epoch == 1)
  }

  @Test(.requirement("A22"))
  func `open: becomes half-open when its time is up, and admits that call as a probe`() throws {
    var machine = try opened()
    let (decision, event) = machine.admit(now: .seconds(5), fraction: 0)
    #expect(decision == .admitted(Token(epoch: 2, place: .probe(0))))
    #expect(event == .halfOpened)
    #expect(machine.state == .halfOpen)
  }

  @Test(.requirement("T1", "P2"))
  func `half-open: a place is taken in the same step, and without one it refuses`() throws {
    var machine = try opened(permits: 3)
    let slots = try (0..<3).map { _ in try machine.token(at: 5).slot }
    #expect(slots == [0, 1, 2])
    let (decision, event) = machine.admit(now: .seconds(5), fraction: 0)
    #expect(decision == .refused(.probing))
    #expect(event == nil)
  }

  @Test(.requirement("P2"))
  func `half-open: each cycle has fresh places`() throws {
    var machine = try opened(permits: 2)
    let first = try machine.token(at: 5)
    let hung = try machine.token(at: 5)
    // One failure is tolerated with two permits and one success required; a second is not.
    #expect(machine.settle(first, .failure, now: .seconds(5), fraction: 0) == nil)
    let second = try machine.token(at: 5)
    #expect(machine.settle(second, .failure, now: .seconds(5), fraction: 0) != nil)
    #expect(machine.leases == [nil, nil])
    _ = try machine.token(at: 15)
    _ = try machine.token(at: 15)
    #expect(machine.admit(now: .seconds(15), fraction: 0).decision == .refused(.probing))
    // The place of the cycle before is not given back into this one.
    _ = machine.settle(hung, .success, now: .seconds(15), fraction: 0)
    #expect(machine.admit(now: .seconds(15), fraction: 0).decision == .refused(.probing))
  }

  @Test(.requirement("P4"))
  func `half-open: a probe whose lease has passed opens it again at the next call`() throws {
    var machine = try opened(lease: .seconds(7))
    let hung = try machine.token(at: 5)
    #expect(machine.admit(now: .milliseconds(11_999), fraction: 0).decision == .refused(.probing))
    let (decision, event) = machine.admit(now: .seconds(12), fraction: 0)
    #expect(decision == .open(retryAfter: .seconds(10)))
    #expect(event == .opened(failures: 1, breakFor: .seconds(10), leaseExpired: true))
    #expect(
      machine.settle(hung, .success, now: .seconds(13), fraction: 0)
        == .stale(succeeded: true, admittedIn: 2, endedIn: 3))
    #expect(machine.state == .open(until: .seconds(22)))
  }

  @Test(.requirement("P4"), arguments: [(5, 10), (30, 30)])
  func `half-open: a lease is by default the last break, but 10 seconds at least`(
    firstBreak: Int, lease: Int
  ) throws {
    var machine = Machine(.init(failureThreshold: 1, firstBreak: .seconds(firstBreak)))
    _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    _ = try machine.token(at: firstBreak)
    #expect(machine.leases == [.seconds(firstBreak + lease)])
  }

  @Test(.requirement("P4"))
  func `half-open: a late probe still counts while nobody has taken its place`() throws {
    var machine = try opened(lease: .seconds(1))
    let slow = try machine.token(at: 5)
    #expect(machine.settle(slow, .success, now: .seconds(100), fraction: 0) == .closed)
  }

  @Test(.requirement("A22"))
  func `half-open: closes after the required successes and forgets everything`() throws {
    var machine = try opened(permits: 1, required: 2)
    #expect(
      machine.settle(try machine.token(at: 5), .success, now: .seconds(5), fraction: 0) == nil)
    #expect(machine.state == .halfOpen)
    #expect(
      machine.settle(try machine.token(at: 5), .success, now: .seconds(6), fraction: 0) == .closed)
    #expect(machine.state == .closed)
    #expect(machine.failures == 0)
    #expect(machine.nextBreak == .seconds(5))
    #expect(machine.epoch == 3)
  }

  @Test(.requirement("A22"))
  func `half-open: a failed probe opens it again for longer`() throws {
    var machine = try opened()
    #expect(
      machine.settle(try machine.token(at: 5), .failure, now: .seconds(7), fraction: 0)
        == .opened(failures: 1, breakFor: .seconds(10), leaseExpired: false))
    #expect(machine.state == .open(until: .seconds(17)))
  }

  @Test func `half-open: tolerates as many failures as there are permits beyond the required`()
    throws
  {
    var machine = try opened(permits: 5, required: 3)
    for _ in 0..<2 {
      let token = try machine.token(at: 5)
      #expect(machine.settle(token, .failure, now: .seconds(5), fraction: 0) == nil)
    }
    let last = try machine.token(at: 5)
    #expect(
      machine.settle(last, .failure, now: .seconds(5), fraction: 0)
        == .opened(failures: 3, breakFor: .seconds(10), leaseExpired: false))
  }

  @Test(.requirement("P3"))
  func `half-open: a probe without a verdict gives its place back and decides nothing`() throws {
    var machine = try opened()
    for _ in 0..<100 {
      let probe = try machine.token(at: 5)
      #expect(machine.settle(probe, .neutral, now: .seconds(5), fraction: 0) == nil)
      #expect(machine.state == .halfOpen)
      #expect(machine.leases == [nil])
    }
  }

  @Test(.requirement("P1", "T2", "T3"), arguments: [true, false])
  func `any: a result from an earlier state changes nothing and is told`(succeeds: Bool) throws {
    var machine = machine(threshold: 1)
    let late = try (0..<5).map { _ in try machine.token(at: 0) }
    let verdict: CircuitBreakerStateMachine.Verdict = succeeds ? .success : .failure
    func settleLate(_ index: Int, _ endedIn: UInt64) {
      let before = machine.state
      #expect(
        machine.settle(late[index], verdict, now: .seconds(90), fraction: 0)
          == .stale(succeeded: succeeds, admittedIn: 0, endedIn: endedIn))
      #expect(machine.state == before)
      #expect(machine.epoch == endedIn)
    }
    _ = machine.settle(late[0], .failure, now: .zero, fraction: 0)
    settleLate(1, 1)  // open
    let probe = try machine.token(at: 5)
    settleLate(2, 2)  // half-open
    _ = machine.settle(probe, .success, now: .seconds(5), fraction: 0)
    settleLate(3, 3)  // closed
    #expect(machine.failures == 0)
    _ = machine.isolate()
    settleLate(4, 4)
  }

  @Test(.requirement("P3")) func `any: a late call without a verdict is no late result`() throws {
    var machine = machine(threshold: 1)
    let late = try machine.token(at: 0)
    _ = machine.settle(try machine.token(at: 0), .failure, now: .zero, fraction: 0)
    #expect(machine.settle(late, .neutral, now: .zero, fraction: 0) == nil)
  }

  @Test func `any: isolation refuses everybody, without a time to come back`() throws {
    var machine = try opened()
    #expect(machine.isolate() == .isolated)
    let (decision, event) = machine.admit(now: .seconds(500), fraction: 0)
    #expect(decision == .refused(.isolated))
    #expect(event == nil)
  }

  @Test func `any: isolation is counted, and its last end closes`() throws {
    var machine = try opened()
    #expect(machine.isolate() == .isolated)
    #expect(machine.isolate() == nil)
    #expect(machine.endIsolation() == nil)
    #expect(machine.state == .isolated)
    #expect(machine.endIsolation() == .closed)
    #expect(machine.state == .closed)
  }

  @Test func `any: isolation outlives a reset`() throws {
    var machine = try opened()
    _ = machine.isolate()
    #expect(machine.reset() == .reset)
    #expect(machine.state == .isolated)
    #expect(machine.endIsolation() == .closed)
  }

  @Test func `any: a reset closes, forgets the growth and makes what runs stale`() throws {
    var machine = try opened()
    let probe = try machine.token(at: 5)
    _ = machine.settle(probe, .failure, now: .seconds(5), fraction: 0)
    let epoch = machine.epoch
    #expect(machine.reset() == .reset)
    #expect(machine.state == .closed)
    #expect(machine.nextBreak == .seconds(5))
    #expect(machine.epoch == epoch + 1)
  }
}
