// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What is said about a store that fails.
@Suite(.requirement("C13", "O8")) struct StorageOutageStateMachineTests {
  private let run = StorageOutageStateMachine.Asker.run(
    Lease(id: OperationID(UUID()), row: 1, token: 1))

  @Test func `an outage is told when it begins, after 1, 3, 7 minutes, and each hour at last`() {
    var machine = StorageOutageStateMachine()
    let told = stride(from: 0, through: 6 * 3600, by: 30).filter {
      machine.failed(.loop, at: .seconds($0)) != nil
    }
    #expect(told.map { $0 / 60 } == [0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303])
    let end = machine.worked(.loop, at: .seconds(6 * 3600 + 1))
    #expect(end?.failures == 721 && end?.lasted == .seconds(6 * 3600 + 1))
  }

  @Test func `it is over when nobody fails any more`() {
    var machine = StorageOutageStateMachine()
    #expect(machine.failed(run, at: .zero) != nil)
    #expect(machine.failed(.loop, at: .seconds(1)) == nil)
    #expect(machine.worked(.loop, at: .seconds(2)) == nil)
    #expect(machine.worked(.owed, at: .seconds(3)) == nil, "it has not failed")
    let end = machine.worked(run, at: .seconds(4))
    #expect(end?.failures == 2 && end?.lasted == .seconds(4))
    #expect(machine.worked(run, at: .seconds(5)) == nil)
  }

  @Test func `nothing is said of the end where whoever failed has given up`() {
    var machine = StorageOutageStateMachine()
    #expect(machine.failed(run, at: .zero) != nil)
    machine.gaveUp(run)
    #expect(machine.worked(run, at: .seconds(1)) == nil)
  }

  @Test func `a store that comes and goes is told once a minute`() {
    var machine = StorageOutageStateMachine()
    var (begun, ended) = (0, 0)
    for second in 0..<600 {
      if machine.failed(.loop, at: .seconds(second)) != nil { begun += 1 }
      if machine.worked(.loop, at: .milliseconds(second * 1000 + 500)) != nil { ended += 1 }
    }
    #expect(begun == ended && begun == 10)
  }

  @Test func `however it goes, an end is told for each outage that was, and for no other`() {
    for seed in UInt64(0)..<200 {
      var (machine, generator) = (StorageOutageStateMachine(), SeededGenerator(seed: seed))
      let askers = [.loop, .owed, run]
      var (failing, isTold) = (Set<StorageOutageStateMachine.Asker>(), false)
      var now = Duration.zero
      for _ in 0..<200 {
        now += .seconds(Int.random(in: 0...120, using: &generator))
        let asker = askers[Int.random(in: 0..<3, using: &generator)]
        if Bool.random(using: &generator) {
          if failing.isEmpty { isTold = false }
          failing.insert(asker)
          if machine.failed(asker, at: now) != nil { isTold = true }
        } else {
          let isLast = failing.remove(asker) != nil && failing.isEmpty
          #expect((machine.worked(asker, at: now) != nil) == (isLast && isTold), "seed \(seed)")
        }
      }
    }
  }
}
