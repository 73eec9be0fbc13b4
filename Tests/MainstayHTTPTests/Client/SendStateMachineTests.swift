// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import MainstayHTTP

@Suite(.requirement("D10", "A54")) struct SendStateMachineTests {
  @Test func `what may be repeated always goes out`() {
    var machine = SendStateMachine(isRepeatable: true)
    #expect(machine.begin() == .granted)
    #expect(machine.begin() == .granted)
    machine.end(.mayHaveArrived)
    #expect(machine.begin() == .granted)
    #expect(machine.attempts == 3)
    #expect(machine.underWay == 2)
  }

  @Test func `what must not be repeated goes out again after what was certainly not sent`() {
    var machine = SendStateMachine(isRepeatable: false)
    #expect(machine.begin() == .granted)
    machine.end(.notSent)
    #expect(machine.begin() == .granted)
    machine.end(.refused)
    #expect(machine.begin() == .granted)
    #expect(!machine.mayHaveArrived)
  }

  @Test func `what has succeeded does not go out again`() {
    var machine = SendStateMachine(isRepeatable: false)
    #expect(machine.begin() == .granted)
    machine.end(.succeeded)
    #expect(machine.begin() == .refusedAsCopy)
    var other = SendStateMachine(isRepeatable: true)
    #expect(other.begin() == .granted)
    other.end(.succeeded)
    #expect(other.begin() == .granted)
  }

  @Test func `what may have arrived never goes out again`() {
    var machine = SendStateMachine(isRepeatable: false)
    #expect(machine.begin() == .granted)
    machine.end(.mayHaveArrived)
    #expect(machine.begin() == .refusedAsRepetition)
    #expect(machine.attempts == 1)
    #expect(machine.underWay == 0)
  }

  @Test func `no copy goes out beside one that is under way`() {
    var machine = SendStateMachine(isRepeatable: false)
    #expect(machine.begin() == .granted)
    #expect(machine.begin() == .refusedAsCopy)
    #expect(machine.underWay == 1)
    machine.end(.notSent)
    #expect(machine.begin() == .granted)
  }

  @Test func `what is left of a body that was read does not go out`() {
    for ending in [SendStateMachine.Ending.notSent, .refused] {
      var machine = SendStateMachine(isRepeatable: false)
      #expect(machine.begin(isSpent: false) == .granted)
      machine.end(ending)
      #expect(machine.begin(isSpent: true) == .refusedAsSpent)
      #expect(machine.attempts == 1)
      #expect(!machine.mayHaveArrived)
    }
  }

  @Test func `what a service failed at may have been done, and is repeated only without harm`() {
    var machine = SendStateMachine(isRepeatable: true)
    #expect(machine.begin() == .granted)
    machine.end(.failed)
    #expect(machine.begin() == .granted)
    machine.end(.notSent)
    #expect(machine.hasFailed && machine.hasArrived && !machine.mayHaveEffect)
    var other = SendStateMachine(isRepeatable: false)
    #expect(other.begin() == .granted)
    other.end(.failed)
    #expect(other.begin() == .refusedAsRepetition)
    #expect(other.mayHaveEffect)
  }

  @Test(arguments: [
    (SendStateMachine.Ending.notSent, false, false), (.refused, true, false),
    (.succeeded, true, true), (.failed, true, false), (.mayHaveArrived, true, true),
  ])
  func `what an attempt may have done is known by how it ended`(
    _ ending: SendStateMachine.Ending, _ hasArrived: Bool, _ mayHaveEffect: Bool
  ) {
    var machine = SendStateMachine(isRepeatable: true)
    #expect(!machine.hasFailed && !machine.hasArrived && !machine.mayHaveEffect)
    #expect(machine.begin() == .granted)
    // Nobody knows yet.
    #expect(machine.mayHaveEffect && !machine.hasArrived)
    machine.end(ending)
    #expect(machine.hasArrived == hasArrived)
    #expect(machine.mayHaveEffect == mayHaveEffect)
    #expect(machine.hasFailed == (ending == .failed))
  }

  private static let endings: [SendStateMachine.Ending] = [
    .notSent, .refused, .succeeded, .mayHaveArrived, .failed,
  ]

  @Test func `in any order of events at most one may have arrived`() {
    for seed in 0..<RandomDose.schedules {
      var random = SeededChoice(seed: seed)
      var machine = SendStateMachine(isRepeatable: false)
      var (running, arrived) = (0, 0)
      for _ in 0..<12 {
        if running == 0 || random.next(2) == 0 {
          if machine.begin() == .granted { running += 1 }
        } else {
          running -= 1
          let ending = Self.endings[random.next(5)]
          if ending != .notSent && ending != .refused { arrived += 1 }
          machine.end(ending)
        }
        #expect(running <= 1 && arrived <= 1, "seed \(seed)")
        #expect(machine.underWay == running)
      }
    }
  }
}

/// A few choices from a seed.
private struct SeededChoice {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 0xbf58_476d_1ce4_e5b9 }

  mutating func next(_ count: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(count))
  }
}
