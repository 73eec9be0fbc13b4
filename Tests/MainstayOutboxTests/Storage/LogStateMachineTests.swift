// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import TestSupport
import Testing

/// When the write-ahead log is moved into its file, and when somebody is told that it cannot be.
@Suite(.requirement("O30")) struct LogStateMachineTests {
  private static let long = LogStateMachine.limit + 1
  private let machine = Watched()

  /// One whose answers can stand in an expectation.
  private final class Watched {
    private var machine = LogStateMachine()

    var isHeld: Bool { machine.isHeld }

    func moves(_ activity: LogStateMachine.Activity, pages: Int, at now: Duration) -> Bool {
      machine.moves(activity, pages: pages, at: now)
    }

    func moved(_ moved: Int, of pages: Int, at now: Duration) -> Duration? {
      machine.moved(moved, of: pages, at: now)
    }
  }

  private func activity(_ own: Int, _ others: Int64 = 1) -> LogStateMachine.Activity {
    LogStateMachine.Activity(own: own, others: others)
  }

  @Test func `it is moved when nobody has written for a second, and once`() {
    #expect(!machine.moves(activity(1), pages: 9, at: .zero))
    #expect(!machine.moves(activity(1), pages: 9, at: .milliseconds(999)))
    #expect(machine.moves(activity(1), pages: 9, at: .seconds(1)))
    #expect(machine.moved(9, of: 9, at: .seconds(1)) == nil)
    #expect(!machine.moves(activity(1), pages: 9, at: .seconds(100)))
    #expect(!machine.moves(activity(2), pages: 9, at: .seconds(200)))
    #expect(machine.moves(activity(2), pages: 9, at: .seconds(201)))
  }

  @Test func `what another connection writes is written, too`() {
    #expect(!machine.moves(activity(1, 1), pages: 9, at: .zero))
    #expect(!machine.moves(activity(1, 2), pages: 9, at: .seconds(1)))
    #expect(machine.moves(activity(1, 2), pages: 9, at: .seconds(2)))
  }

  @Test func `while somebody writes all the time, only a long one is looked at`() {
    for second in 0..<60 {
      #expect(!machine.moves(activity(second), pages: Self.long - 1, at: .seconds(second)))
    }
    var times: [Int] = []
    for second in 60..<66
    where machine.moves(activity(second), pages: Self.long, at: .seconds(second)) {
      times.append(second)
      #expect(machine.moved(Self.long, of: Self.long, at: .seconds(second)) == nil)
    }
    #expect(times == [60, 62, 64])
    #expect(!machine.isHeld)
  }

  @Test func `where there is none, nothing is done`() {
    #expect(!machine.moves(activity(1), pages: 0, at: .zero))
    #expect(!machine.moves(activity(1), pages: 0, at: .seconds(9)))
  }

  @Test func `a long log that is held for five seconds is told, later again`() {
    var told: [Int: Duration] = [:]
    for second in 0..<400
    where machine.moves(activity(second), pages: Self.long, at: .seconds(second)) {
      let wait = machine.moved(Self.long - 1, of: Self.long, at: .seconds(second))
      #expect(machine.isHeld)
      if let wait { told[second] = wait }
    }
    #expect(told == [6: .seconds(6), 306: .seconds(306)])
    #expect(
      LogStateMachine.patience + LogStateMachine.pause * 2 < .seconds(10), "as with PostgreSQL")
  }

  @Test func `it is told with the whole wait, after five seconds and each five minutes`() {
    #expect(LogStateMachine.limit == 4 * 256, "four times what SQLite lets it grow to")
    let start = Duration.seconds(1_000)
    func told(after wait: Duration) -> Duration? {
      machine.moved(0, of: Self.long, at: start + wait)
    }
    #expect(told(after: .zero) == nil && told(after: .milliseconds(4_999)) == nil)
    #expect(told(after: .seconds(5)) == .seconds(5))
    #expect(told(after: .milliseconds(304_999)) == nil)
    #expect(told(after: .seconds(305)) == .seconds(305))
  }

  @Test func `a log at its limit is not held, and one that is gone neither`() {
    #expect(machine.moved(0, of: LogStateMachine.limit, at: .zero) == nil && !machine.isHeld)
    #expect(machine.moved(0, of: Self.long, at: .zero) == nil && machine.isHeld)
    // Somebody else has moved a page of it, and then all.
    #expect(!machine.moves(activity(1), pages: 1, at: .seconds(9)) && machine.isHeld)
    #expect(machine.moves(activity(1), pages: 1, at: .seconds(10)) && machine.isHeld)
    #expect(!machine.moves(activity(1), pages: 0, at: .seconds(10)) && !machine.isHeld)
  }

  @Test func `who lets go in time is not told of`() {
    #expect(machine.moves(activity(1), pages: Self.long, at: .zero))
    #expect(machine.moved(0, of: Self.long, at: .zero) == nil)
    #expect(machine.moves(activity(1), pages: Self.long, at: .seconds(4)))
    #expect(machine.moved(Self.long, of: Self.long, at: .seconds(4)) == nil)
    #expect(!machine.isHeld)
    #expect(machine.moves(activity(2), pages: Self.long, at: .seconds(8)))
    #expect(machine.moved(0, of: Self.long, at: .seconds(8)) == nil, "it begins anew")
  }

  @Test func `a short log may be held for as long as anybody likes`() {
    for second in stride(from: 1, to: 60, by: 2) {
      _ = machine.moves(activity(1), pages: 9, at: .seconds(second))
      #expect(machine.moved(0, of: 9, at: .seconds(second)) == nil)
    }
    #expect(!machine.isHeld)
  }
}
