// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import TestSupport
import Testing

/// How long a commit waits for those who are expected to share it.
@Suite(.requirement("O29")) struct CommitDelayStateMachineTests {
  private typealias Machine = CommitDelayStateMachine

  /// One whose answers can stand in an expectation.
  private final class Watched {
    private var machine = CommitDelayStateMachine()

    func came(waiting: Int, at now: Duration) -> Machine.Action {
      machine.came(waiting: waiting, at: now)
    }

    func looked(waiting: Int, at now: Duration) -> Machine.Action {
      machine.looked(waiting: waiting, at: now)
    }

    func began(_ count: Int) { machine.began(count) }

    func ended(
      _ count: Int, waiting: Int = 0, took duration: Duration = .milliseconds(4),
      at now: Duration = .zero
    ) -> Machine.Action {
      machine.ended(count, waiting: waiting, took: duration, at: now)
    }

    /// How many commits in a row go without a delay from now on.
    func skipped() -> Int {
      var count = 0
      while ended(8, waiting: 1) == .commits, count < 1_000 {
        began(8)
        count += 1
      }
      return count
    }
  }

  /// One whose last commit had so many, took four milliseconds and ended at zero.
  private func machine(after count: Int, took duration: Duration = .milliseconds(4)) -> Watched {
    let machine = Watched()
    _ = machine.ended(count, took: duration)
    return machine
  }

  @Test func `the first of all waits for nobody`() {
    let machine = Watched()
    #expect(machine.came(waiting: 1, at: .seconds(1)) == .commits)
  }

  @Test func `somebody who is alone never waits`() {
    let machine = machine(after: 1)
    #expect(machine.came(waiting: 1, at: .zero) == .commits)
  }

  @Test func `those who came together before are waited for until the last of them is there`() {
    let machine = machine(after: 3)
    #expect(machine.came(waiting: 1, at: .zero) == .waits(until: .milliseconds(1)))
    let middle = Duration.microseconds(500)
    #expect(machine.came(waiting: 2, at: middle) == .waits(until: .microseconds(1500)))
    #expect(machine.came(waiting: 3, at: .microseconds(600)) == .commits)
  }

  @Test func `whoever waits at the end of a commit waits for those who were answered`() {
    let machine = Watched()
    let action = machine.ended(31, waiting: 1, took: .milliseconds(4), at: .seconds(1))
    #expect(action == .waits(until: .milliseconds(1001)))
    #expect(machine.came(waiting: 31, at: .seconds(1)) == .waits(until: .milliseconds(1001)))
    #expect(machine.came(waiting: 32, at: .seconds(1)) == .commits)
  }

  @Test func `nobody is waited for any more after a quarter of a commit in which nobody came`() {
    let machine = machine(after: 3)
    #expect(machine.came(waiting: 1, at: .zero) == .waits(until: .milliseconds(1)))
    #expect(machine.looked(waiting: 1, at: .milliseconds(1)) == .commits)
  }

  @Test func `nobody is waited for longer than half of a commit, nor than ten milliseconds`() {
    let short = machine(after: 9)
    #expect(short.came(waiting: 8, at: .microseconds(1900)) == .waits(until: .milliseconds(2)))
    #expect(short.looked(waiting: 8, at: .milliseconds(2)) == .commits)
    let long = machine(after: 9, took: .seconds(2))
    #expect(long.came(waiting: 1, at: .zero) == .waits(until: Machine.longest))
  }

  @Test func `whoever comes later waits for nobody`() {
    let machine = machine(after: 9)
    #expect(machine.came(waiting: 1, at: .milliseconds(2)) == .commits)
  }

  @Test func `where a commit takes next to no time, nobody waits`() {
    let short = machine(after: 9, took: Machine.shortest * 4 - .nanoseconds(4))
    #expect(short.came(waiting: 1, at: .zero) == .commits)
    let other = machine(after: 9, took: Machine.shortest * 4)
    #expect(other.came(waiting: 1, at: .zero) == .waits(until: Machine.shortest))
  }

  @Test func `a delay that was for nothing is tried again more and more seldom`() {
    let machine = machine(after: 8)
    var counts: [Int] = []
    for _ in 0..<8 {
      machine.began(7)  // of eight or nine that were expected: all but one, or less
      counts.append(machine.skipped())
      machine.began(1)
      counts.append(machine.skipped())
    }
    #expect(counts.first == 0)
    #expect(Array(counts.dropFirst().prefix(6)) == [2, 4, 8, 16, 32, 64])
    #expect(counts.last == Machine.mostSkipped)
  }

  @Test func `a delay that brought all but one in eight is tried again at once`() {
    let machine = machine(after: 8)
    machine.began(2)
    #expect(machine.skipped() == 2)
    machine.began(8)
    #expect(machine.skipped() == 0)
    machine.began(2)
    #expect(machine.skipped() == 2)
  }
}
