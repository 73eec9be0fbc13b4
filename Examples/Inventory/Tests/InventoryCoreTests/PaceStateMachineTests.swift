// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import MainstayTesting
import TestSupport
import Testing

@Suite struct PaceStateMachineTests {
  private typealias Admission = PaceStateMachine.Admission

  private static let patience = Duration.seconds(1)

  private func limit(_ quota: Int, in seconds: Int = 1) -> RateLimitPolicy? {
    RateLimitPolicy(quota: quota, seconds: seconds)
  }

  @Test func `nothing is held back before the service has asked for it`() {
    var pace = PaceStateMachine()
    for _ in 0..<100 {
      #expect(pace.admit(now: .seconds(7), patience: .zero) == .admitted(at: .seconds(7)))
    }
  }

  @Test func `what one caller was told holds for all`() {
    var pace = PaceStateMachine()
    pace.heard(limit: nil, hold: .seconds(3), now: .zero)
    #expect(pace.admit(now: .zero, patience: Self.patience) == .refused(retryAfter: .seconds(3)))
    #expect(
      pace.admit(now: .seconds(1), patience: Self.patience) == .refused(retryAfter: .seconds(2)))
    #expect(pace.admit(now: .seconds(2), patience: Self.patience) == .admitted(at: .seconds(3)))
    #expect(pace.admit(now: .seconds(3), patience: .zero) == .admitted(at: .seconds(3)))
  }

  @Test func `a shorter wait does not undo a longer one`() {
    var pace = PaceStateMachine()
    pace.heard(limit: nil, hold: .seconds(9), now: .zero)
    pace.heard(limit: nil, hold: .zero, now: .seconds(1))
    #expect(pace.admit(now: .seconds(1), patience: .zero) == .refused(retryAfter: .seconds(8)))
  }

  @Test func `requests are spread evenly under a limit`() {
    var pace = PaceStateMachine()
    pace.heard(limit: limit(10), hold: nil, now: .zero)
    let times = (1...4).map { _ in pace.admit(now: .zero, patience: Self.patience) }
    #expect(times == (1...4).map { Admission.admitted(at: .milliseconds(105 * $0)) })
  }

  @Test func `a refused call takes no place`() {
    var pace = PaceStateMachine()
    pace.heard(limit: limit(1, in: 10), hold: nil, now: .zero)
    let wait = Duration.milliseconds(10_500)
    for _ in 0..<3 {
      #expect(pace.admit(now: .zero, patience: Self.patience) == .refused(retryAfter: wait))
    }
    #expect(pace.admit(now: wait, patience: .zero) == .admitted(at: wait))
  }

  @Test func `a place that is given back is taken by the next one`() {
    var pace = PaceStateMachine()
    pace.heard(limit: limit(10), hold: nil, now: .zero)
    guard case .admitted(let place) = pace.admit(now: .zero, patience: Self.patience) else {
      Issue.record("not admitted")
      return
    }
    pace.giveBack(place)
    #expect(pace.admit(now: .zero, patience: Self.patience) == .admitted(at: place))
    _ = pace.admit(now: .zero, patience: Self.patience)
    // Only the last one can be given back, so that no two callers ever have the same.
    pace.giveBack(place)
    #expect(
      pace.admit(now: .zero, patience: Self.patience) == .admitted(at: .milliseconds(105 * 3)))
  }

  @Test func `an announcement counts for two windows after the last one`() {
    var pace = PaceStateMachine()
    pace.heard(limit: limit(1), hold: nil, now: .zero)
    pace.heard(limit: limit(1), hold: nil, now: .seconds(2))
    #expect(pace.admit(now: .seconds(4), patience: .zero) == .admitted(at: .seconds(4)))
    #expect(pace.admit(now: .seconds(4), patience: .zero) != .admitted(at: .seconds(4)))
    for _ in 0..<3 {
      let time = Duration.milliseconds(4001)
      #expect(pace.admit(now: time, patience: .zero) == .admitted(at: time))
    }
  }

  @Test func `a limit is not forgotten while the service wants to be left alone`() {
    var pace = PaceStateMachine()
    pace.heard(limit: limit(2), hold: .seconds(30), now: .zero)
    #expect(pace.admit(now: .seconds(30), patience: .zero) == .admitted(at: .seconds(30)))
    #expect(
      pace.admit(now: .seconds(30), patience: .zero)
        == .refused(retryAfter: .milliseconds(525)))
  }

  /// Whatever comes in whatever order, what is admitted keeps to the limit and to the wait.
  @Test(arguments: 0..<RandomDose.cases)
  func `no second has more than the limit, in any walk`(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var pace = PaceStateMachine()
    let quota = Int.random(in: 1...50, using: &generator)
    let policy = try #require(limit(quota))
    var now = Duration.zero
    var held = Duration.zero
    var sent: [Duration] = []
    pace.heard(limit: policy, hold: nil, now: now)
    for _ in 0..<500 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0: now += .milliseconds(Int.random(in: 0...300, using: &generator))
      case 1:
        let hold = Duration.milliseconds(Int.random(in: 0...1500, using: &generator))
        held = max(held, now + hold)
        pace.heard(limit: policy, hold: hold, now: now)
      default:
        let patience = Duration.milliseconds(Int.random(in: 0...2000, using: &generator))
        switch pace.admit(now: now, patience: patience) {
        case .admitted(let time):
          #expect(time >= now && time - now <= patience && time >= held)
          if Bool.random(using: &generator) { sent.append(time) } else { pace.giveBack(time) }
        case .refused(let wait): #expect(wait > patience)
        }
        pace.heard(limit: policy, hold: nil, now: now)
      }
    }
    for (index, time) in sent.enumerated() {
      let second = sent[index...].prefix { $0 < time + .seconds(1) }
      #expect(second.count <= quota)
    }
  }

  static let headers: [(header: String, quota: Int?, seconds: Int64)] = [
    ("\"requests\";q=20;w=1", 20, 1), ("\"a\";w=60;q=100;pk=:x:", 100, 60),
    ("\"burst\"; q=50; w=1, \"day\"; q=5000; w=86400", 5000, 86_400),
    ("\"a\";q=0;w=1", nil, 0), ("\"a\";q=5", nil, 0), ("\"a\";q=5;w=0", nil, 0),
    ("\"a\";q=-1;w=1", nil, 0), ("\"a\";q=99999999999999999999;w=1", nil, 0),
    ("\"a\";q=1;w=86401", nil, 0), ("", nil, 0), ("nonsense", nil, 0), (";;=,=;q", nil, 0),
    ("\"bad\";q=x;w=1, \"good\";q=3;w=2", 3, 2),
  ]

  @Test(arguments: headers.indices)
  func `the slowest announced limit is read, and nothing else`(_ index: Int) {
    let (header, quota, seconds) = Self.headers[index]
    let policy = RateLimitPolicy.slowest(header)
    #expect(policy?.quota == quota)
    #expect(policy == nil || policy?.window == .seconds(seconds))
  }
}
