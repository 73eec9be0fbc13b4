// SPDX-License-Identifier: Apache-2.0

import Mainstay
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 5)) struct MailboxTests {
  /// Counts, and has each number told.
  private final class Counter: Sendable {
    private struct State {
      var last = 0
      var untold = Mailbox<Int>()
    }

    private let state = Locked(State())

    var last: Int { state.withLock(\.last) }

    func count(_ tell: (Int) -> Void) {
      state.deliver(
        \.untold,
        after: { state in
          state.last += 1
          state.untold.post(state.last)
        }, tell)
    }

    /// Delivers what others left, which is nothing.
    func deliver(_ tell: (Int) -> Void) { state.deliver(\.untold, tell) }
  }

  /// What was told, and by how many at the same time.
  private final class Told: Sendable {
    private struct State {
      var numbers: [Int] = []
      var tellers = 0
      var mostTellers = 0
    }

    private let state = Locked(State())

    var numbers: [Int] { state.withLock(\.numbers) }
    var mostTellers: Int { state.withLock(\.mostTellers) }

    func tell(_ number: Int) {
      state.withLock { state in
        state.tellers += 1
        state.mostTellers = max(state.mostTellers, state.tellers)
      }
      state.withLock { state in
        state.numbers.append(number)
        state.tellers -= 1
      }
    }
  }

  @Test func `one delivers until nothing is left, and then the next may`() {
    var mailbox = Mailbox<String>()
    let beginsEmpty = mailbox.beginDelivery()
    mailbox.post("one")
    mailbox.post("two")
    let (begins, joins) = (mailbox.beginDelivery(), mailbox.beginDelivery())
    let first = mailbox.takeForDelivery()
    mailbox.post("three")
    let joinsLater = mailbox.beginDelivery()
    let (second, third) = (mailbox.takeForDelivery(), mailbox.takeForDelivery())
    mailbox.post("four")
    let next = mailbox.beginDelivery()
    #expect([beginsEmpty, begins, joins, joinsLater, next] == [false, true, false, false, true])
    #expect([first, second, third] == [["one", "two"], ["three"], []])
  }

  @Test func `what telling causes is told after it, by the same caller`() {
    let (counter, log) = (Counter(), Log())
    counter.count { number in
      log.add("\(number) begins")
      if number < 3 { counter.count { Issue.record("Another caller tells \($0).") } }
      log.add("\(number) ends")
    }
    counter.count { log.add("\($0) is told by the next") }
    counter.deliver { Issue.record("\($0) is told once more.") }
    #expect(
      log.lines == [
        "1 begins", "1 ends", "2 begins", "2 ends", "3 begins", "3 ends", "4 is told by the next",
      ])
  }

  /// Within the lock this would wait for itself.
  @Test func `whoever is told can use what is under the lock`() {
    let (counter, log) = (Counter(), Log())
    counter.count { log.add("\($0) of \(counter.last)") }
    #expect(log.lines == ["1 of 1"])
  }

  @Test func `from many sides each is told once, in order, by one at a time`() async {
    let (counter, told) = (Counter(), Told())
    let rounds = RandomDose.isTorture ? 100_000 : 2_000
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<rounds { counter.count(told.tell) } }
      }
    }
    // Those who posted for the last time may have left it to another, who has told it all.
    #expect(told.numbers == Array(1...8 * rounds))
    #expect(told.mostTellers == 1)
  }
}
