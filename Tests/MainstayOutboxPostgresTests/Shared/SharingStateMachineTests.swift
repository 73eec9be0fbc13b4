// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

@testable import MainstayOutboxPostgres

/// What processes tell each other about their breakers and cooldowns.
@Suite struct SharingStateMachineTests {
  private typealias Machine = SharingStateMachine

  private let breaker = SharingStateMachine.Name(kind: .breaker, name: "catalog")
  private let cooldown = SharingStateMachine.Name(kind: .cooldown, name: "catalog")
  private var machine = SharingStateMachine()

  private func heard(
    _ notice: Machine.Notice, _ version: Int64, isOwn: Bool = false
  ) -> Machine.Heard {
    Machine.Heard(notice: notice, version: version, isOwn: isOwn)
  }

  @Test mutating func `a breaker that opens is told once, and again when it opens anew`() {
    #expect(machine.look(at: breaker, .closed) == nil)
    #expect(machine.look(at: breaker, .open(.seconds(5))) == .opened(.seconds(5)))
    #expect(machine.look(at: breaker, .open(.seconds(4))) == nil)
    #expect(machine.look(at: breaker, .trying) == nil)
    #expect(machine.look(at: breaker, .open(.seconds(10))) == .opened(.seconds(10)))
  }

  @Test mutating func `a probe that failed between two looks is a break that grew`() {
    #expect(machine.look(at: breaker, .open(.seconds(1))) != nil)
    #expect(machine.look(at: breaker, .open(.seconds(10))) == .opened(.seconds(10)))
  }

  @Test mutating func `a breaker that closes is told, a cooldown that is over is not`() {
    for name in [breaker, cooldown] {
      #expect(machine.look(at: name, .open(.seconds(1))) == .opened(.seconds(1)))
    }
    #expect(machine.look(at: breaker, .closed) == .closed)
    #expect(machine.look(at: cooldown, .closed) == nil)
  }

  @Test mutating func `what was heard is done, and is not told on`() {
    let opened = heard(.opened(.seconds(3)), 1)
    #expect(machine.hear(breaker, opened, while: .closed) == .open(.seconds(3)))
    #expect(machine.look(at: breaker, .open(.seconds(3))) == nil)
    #expect(machine.look(at: breaker, .trying) == nil)
    #expect(machine.hear(breaker, heard(.closed, 2), while: .trying) == .close)
    #expect(machine.look(at: breaker, .closed) == nil)
  }

  @Test mutating func `a break that is lengthened as it is heard is not told on`() {
    let opened = heard(.opened(.seconds(4)), 1)
    #expect(
      machine.hear(breaker, opened, while: .closed, lengthenedBy: 0.5) == .open(.seconds(6)))
    #expect(machine.look(at: breaker, .open(.seconds(6))) == nil)
    let same = heard(.opened(.seconds(4)), 2)
    #expect(machine.hear(breaker, same, while: .open(.seconds(6)), lengthenedBy: 0.9) == nil)
    #expect(machine.look(at: breaker, .open(.seconds(6))) == nil)
  }

  @Test mutating func `a notice is heard once, an older one and one's own never`() {
    #expect(machine.hear(breaker, heard(.opened(.seconds(3)), 7), while: .closed) != nil)
    #expect(machine.hear(breaker, heard(.opened(.seconds(3)), 7), while: .closed) == nil)
    #expect(machine.hear(breaker, heard(.closed, 6), while: .open(.seconds(2))) == nil)
    #expect(machine.look(at: breaker, .open(.seconds(9))) == .opened(.seconds(9)))
    #expect(machine.hear(breaker, heard(.closed, 8, isOwn: true), while: .trying) == nil)
    #expect(machine.hear(breaker, heard(.closed, 8), while: .trying) == nil)
  }

  @Test mutating func `what one before it has said is heard by the next of that name`() {
    #expect(machine.look(at: breaker, .open(.seconds(5))) == .opened(.seconds(5)))
    let own = heard(.opened(.seconds(5)), 1, isOwn: true)
    #expect(machine.hear(breaker, own, while: .open(.seconds(5))) == nil)
    machine.drop(breaker)
    #expect(machine.look(at: breaker, .closed) == nil)
    #expect(machine.hear(breaker, own, while: .closed) == .open(.seconds(5)))
    #expect(machine.hear(breaker, own, while: .closed) == nil)
    #expect(machine.look(at: breaker, .open(.seconds(5))) == nil, "it is not told on")
    #expect(machine.look(at: breaker, .closed) == .closed)
  }

  @Test mutating func `what may have been told all the same is not heard by whoever told it`() {
    #expect(machine.look(at: breaker, .open(.seconds(5))) == .opened(.seconds(5)))
    machine.forget(breaker, told: .opened(.seconds(5)))
    #expect(machine.look(at: breaker, .closed) == nil)
    let own = heard(.opened(.seconds(3)), 1, isOwn: true)
    #expect(machine.hear(breaker, own, while: .closed) == nil)
  }

  @Test mutating func `a longer break of one's own is not cut short, a shorter one grows`() {
    #expect(
      machine.hear(breaker, heard(.opened(.seconds(3)), 1), while: .open(.seconds(9))) == nil)
    #expect(
      machine.hear(breaker, heard(.opened(.seconds(30)), 2), while: .open(.seconds(9)))
        == .open(.seconds(30)))
    #expect(machine.hear(breaker, heard(.opened(.zero), 3), while: .closed) == nil)
  }

  @Test mutating func `what a person has set aside neither tells nor hears`() {
    #expect(machine.look(at: breaker, .open(.seconds(5))) != nil)
    #expect(machine.look(at: breaker, .aside) == nil)
    #expect(machine.hear(breaker, heard(.opened(.seconds(3)), 1), while: .aside) == nil)
    #expect(machine.hear(breaker, heard(.closed, 2), while: .aside) == nil)
    #expect(machine.look(at: breaker, .closed) == nil)
  }

  @Test mutating func `what could not be told is told at the next look, if it still holds`() {
    let notice = machine.look(at: breaker, .open(.seconds(5)))
    #expect(notice == .opened(.seconds(5)))
    machine.forget(breaker, told: .opened(.seconds(5)))
    #expect(machine.look(at: breaker, .open(.seconds(4))) == .opened(.seconds(4)))
    #expect(machine.look(at: breaker, .closed) == .closed)
    machine.forget(breaker, told: .closed)
    #expect(machine.look(at: breaker, .closed) == .closed)
  }

  @Test mutating func `a break that was told to nobody and is over needs no other word`() {
    #expect(machine.look(at: breaker, .open(.seconds(5))) != nil)
    machine.forget(breaker, told: .opened(.seconds(5)))
    #expect(machine.look(at: breaker, .closed) == nil)
  }

  @Test mutating func `a break that is a little longer is the same one`() {
    let slight = Duration.seconds(5) + Machine.tolerance
    #expect(machine.look(at: breaker, .open(.seconds(5))) != nil)
    #expect(machine.look(at: breaker, .open(slight)) == nil)
    let (same, longer) = (heard(.opened(slight), 1), heard(.opened(.seconds(6)), 2))
    #expect(machine.hear(breaker, same, while: .open(.seconds(5))) == nil)
    #expect(machine.hear(breaker, longer, while: .open(.seconds(5))) == .open(.seconds(6)))
  }

  /// Processes over one exchange, by turns in any order: nobody tells on what it heard, so the news
  /// come to rest, and then all agree.
  @Test(arguments: 0..<200) func `news come to rest, and all processes agree`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var machines = (0..<3).map { _ in SharingStateMachine() }
    var conditions: [Machine.Condition] = [.closed, .closed, .closed]
    var row: (notice: Machine.Notice, version: Int64, owner: Int)?
    func turn(_ index: Int) -> Bool {
      let notice = machines[index].look(at: breaker, conditions[index])
      if let notice { row = (notice, (row?.version ?? 0) + 1, index) }
      guard let row else { return notice != nil }
      let heard = heard(row.notice, row.version, isOwn: row.owner == index)
      switch machines[index].hear(breaker, heard, while: conditions[index]) {
      case .open(let left): conditions[index] = .open(left)
      case .close: conditions[index] = .closed
      case nil: return notice != nil
      }
      return true
    }
    for _ in 0..<50 {
      let index = Int.random(in: 0..<3, using: &generator)
      if Bool.random(using: &generator) {
        let next: [Machine.Condition] = [.closed, .trying, .open(.seconds(5)), .open(.seconds(9))]
        conditions[index] = next.randomElement(using: &generator) ?? .closed
      }
      _ = turn(index)
    }
    // The last word is somebody's own change.
    conditions[0] = .trying
    _ = turn(0)
    conditions[0] = .closed
    var rounds = 0
    while (0..<3).map(turn).contains(true) { rounds += 1; if rounds > 10 { break } }
    #expect(rounds <= 3)
    #expect(Set(conditions).count == 1 || conditions.allSatisfy { $0 != .closed })
  }
}
