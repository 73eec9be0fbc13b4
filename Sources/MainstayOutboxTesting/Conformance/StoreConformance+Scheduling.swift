// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

extension StoreConformance {
  /// Priorities, delays, constraints and limits.
  static let scheduling: [Rule] = [
    Rule("a higher priority runs first, and equal ones in the order of arrival") { desk in
      let late = NewOperation.Wishes(priority: .low, handicap: .seconds(60))
      for text in ["low1", "low2"] { _ = try await desk.store.insert(.note(text, wishes: late)) }
      for text in ["high1", "high2"] { _ = try await desk.store.insert(.note(text)) }
      let first = try await desk.store.claim()
      desk.same(first.map(\.text), ["high1", "high2", "low1", "low2"])
      desk.same(first.map(\.operation.priority), [.normal, .normal, .low, .low])
    },
    Rule("what waited long enough is not overtaken any more") { desk in
      _ = try await desk.store.insert(
        .note("old", wishes: NewOperation.Wishes(handicap: .seconds(60))))
      desk.time.advance(by: .seconds(59))
      _ = try await desk.store.insert(.note("a"))
      desk.time.advance(by: .seconds(2))
      _ = try await desk.store.insert(.note("b"))
      desk.same(try await desk.store.claim().map(\.text), ["a", "old", "b"])
    },
    Rule("a delayed operation is kept until its time, and holds its place") { desk in
      for (text, delay) in [("a", 60), ("b", nil), ("c", 120)] {
        let delay = delay.map { Duration.seconds($0) }
        _ = try await desk.store.insert(
          .note(text, orderedBy: "k", wishes: NewOperation.Wishes(delay: delay)))
      }
      _ = try await desk.store.insert(.note("free", wishes: NewOperation.Wishes(delay: .zero)))
      desk.same(try await desk.store.claim().map(\.text), ["free"])
      desk.same(try await desk.store.promote(NewOperation.types), .seconds(60))
      desk.time.advance(by: .seconds(60))
      _ = try await desk.store.promote(NewOperation.types)
      for text in ["a", "b"] {
        let leased = try desk.some(try await desk.store.claim().first)
        desk.same(leased.text, text)
        _ = try await desk.store.settle(leased.lease, OperationVerdict(.done))
      }
      desk.hold(try await desk.store.claim().isEmpty, "c is delayed on its own account")
      desk.same(try await desk.store.promote(NewOperation.types), .seconds(60))
      desk.time.advance(by: .seconds(60))
      _ = try await desk.store.promote(NewOperation.types)
      desk.same(try await desk.store.claim().map(\.text), ["c"])
    },
    Rule("a constraint that does not hold keeps back only those that name it") { desk in
      let wishes = NewOperation.Wishes(constraints: [.unmetered, .power])
      _ = try await desk.store.insert(.note("photo", orderedBy: "k", wishes: wishes))
      _ = try await desk.store.insert(.note("next", orderedBy: "k"))
      _ = try await desk.store.insert(.note("text"))
      desk.same(try await desk.store.claim(unmet: [.unmetered]).map(\.text), ["text"])
      desk.same(try await desk.store.snapshot().waiting, 1)
      desk.hold(try await desk.store.claim(unmet: [.power]).isEmpty)
      try await desk.store.reconsider()
      let photo = try await desk.store.claim(unmet: ["signed-in:ann"])
      desk.same(photo.map(\.text), ["photo"])
      desk.same(photo.first?.operation.constraints, [.unmetered, .power])
    },
    Rule("what waits for a constraint where that does not hold is leased where it does") { desk in
      let wishes = NewOperation.Wishes(constraints: ["signed-in:ann"])
      for text in ["a", "b", "c"] { _ = try await desk.store.insert(.note(text, wishes: wishes)) }
      let id = try await desk.store.insert(.note("d", lane: "side", wishes: wishes))
      _ = try await desk.store.insert(.note("free"))
      let elsewhere: Set<OperationConstraint> = ["signed-in:ann", .power]
      desk.same(try await desk.store.claim(unmet: elsewhere).map(\.text), ["free"])
      try await desk.store.close("side", LaneClosure(.paused))
      desk.same(try await desk.store.claim(2, unmet: [.power]).map(\.text), ["a", "b"])
      desk.hold(try await desk.store.claim(unmet: elsewhere).isEmpty)
      desk.same(try await desk.store.snapshot().waiting, 2, "there was no room for them")
      desk.same(try await desk.store.claim().map(\.text), ["c"])
      desk.same(try await desk.store.obstacles(id), [.lane("side", .paused, until: nil)])
      try await desk.store.reopen("side", closedFor: nil)
      desk.same(try await desk.store.obstacles(id), [])
      desk.same(try await desk.store.claim().map(\.text), ["d"])
    },
    Rule("however much a constraint holds back, none of it is leased") { desk in
      let wishes = NewOperation.Wishes(constraints: [.power])
      _ = try await desk.store.insert(contentsOf: (0..<1201).map { .note("\($0)", wishes: wishes) })
      _ = try await desk.store.insert(.note("free"))
      var leased: [LeasedOperation] = []
      for _ in 0..<4 { leased += try await desk.store.claim(unmet: [.power]) }
      desk.same(leased.map(\.text), ["free"])
      for run in leased { _ = try await desk.store.settle(run.lease, OperationVerdict(.done)) }
      desk.same(try await desk.store.claim(2000).count, 1201)
      // Each of them is tried alone now, but no sooner than that.
      try await desk.crash()
      for _ in 0..<4 { desk.hold(try await desk.store.claim(unmet: [.power]).isEmpty) }
      desk.same(try await desk.store.claim().count, 1)
    },
    Rule("of many lanes the oldest go first, past what is held back") { desk in
      let held = NewOperation.Wishes(constraints: [.power])
      _ = try await desk.store.insert(
        contentsOf: (0..<120).map { number in
          .note(
            "\(number)", lane: Lane(rawValue: "lane \(number % 60)"),
            wishes: number % 3 == 0 ? held : NewOperation.Wishes())
        })
      try await desk.store.close("lane 1", LaneClosure(.paused))
      var found: [String] = []
      while true {
        let claim = try await desk.store.claim(4, unmet: [.power])
        if claim.isEmpty { break }
        for leased in claim {
          found.append(leased.text)
          desk.hold(try await desk.store.settle(leased.lease, OperationVerdict(.done)))
        }
      }
      desk.same(found, (0..<120).filter { $0 % 3 != 0 && $0 % 60 != 1 }.map { "\($0)" })
      try await desk.store.reopen("lane 1", closedFor: nil)
      desk.same(try await desk.store.claim(4, unmet: [.power]).map(\.text), ["1", "61"])
      desk.same(try await desk.store.claim(99).count, 40)
    },
    Rule("others let one pass that lost its run and waits for nothing") { desk in
      let pill = try await desk.store.insert(.note("pill"))
      desk.same(try await desk.store.claim().count, 1)
      try await desk.crash()
      let other = try await desk.store.insert(.note("other"))
      desk.same(try await desk.store.obstacles(other), [.letsPass(pill)])
      desk.same(try await desk.store.obstacles(other, unmet: [.power]), [.letsPass(pill)])
      desk.same(try await desk.store.obstacles(pill), [])
    },
    Rule("what lost its run and waits for a constraint is tried alone, and last") { desk in
      let wishes = NewOperation.Wishes(constraints: [.power])
      let pill = try await desk.store.insert(.note("pill", wishes: wishes))
      desk.same(try await desk.store.claim().count, 1)
      try await desk.crash()
      let free = try await desk.store.insert(.note("free"))
      desk.same(try await desk.store.obstacles(free), [.letsPass(pill)])
      desk.same(try await desk.store.obstacles(free, unmet: [.power]), [])
      desk.same(try await desk.store.claim(unmet: [.power]).map(\.text), ["free"])
      for isAlone in [false, true] {
        let claim = try await desk.store.claim(
          ClaimRequest(limit: 4, types: NewOperation.types, isAlone: isAlone))
        desk.hold(claim.isExclusive)
        desk.same(claim.operations.map(\.text), isAlone ? ["pill"] : [])
      }
    },
    Rule("however much has expired, none of it is leased") { desk in
      _ = try await desk.store.insert(
        contentsOf: (0..<1200).map { .note("\($0)", timeToLive: .seconds(60)) })
      _ = try await desk.store.insert(.note("good"))
      desk.time.advance(by: .seconds(60))
      desk.same(try await desk.store.promote(NewOperation.types), nil)
      desk.same(try await desk.store.claim().map(\.text), ["good"])
      desk.same(try await desk.store.ledger().count(.expired), 1200)
    },
    Rule("a claim takes nothing that has expired, unless it may have had its effect") { desk in
      let (minute, wishes) = (Duration.seconds(60), NewOperation.Wishes(constraints: [.power]))
      _ = try await desk.store.insert(.note("held", timeToLive: minute, wishes: wishes))
      desk.hold(try await desk.store.claim(unmet: [.power]).isEmpty)
      _ = try await desk.store.insert(.note("gone", orderedBy: "k", timeToLive: minute))
      _ = try await desk.store.insert(.note("next", orderedBy: "k"))
      _ = try await desk.store.insert(.note("sent", timeToLive: minute, effect: .sentUnknown))
      _ = try await desk.store.insert(.note("good", timeToLive: minute + minute))
      desk.time.advance(by: minute)
      desk.same(try await desk.store.claim().map(\.text), ["sent", "good"])
      desk.same(try await desk.store.ledger().count(.expired), 0, "a claim drops nothing")
      _ = try await desk.store.promote(NewOperation.types)
      desk.same(try await desk.store.ledger().count(.expired), 2)
      desk.same(try await desk.store.claim().map(\.text), ["next"])
    },
    Rule("one that only enqueues sets nothing aside") { desk in
      _ = try await desk.store.insert(.note("a"))
      let claim = try await desk.store.claim(ClaimRequest(limit: 5, types: [], isAlone: true))
      desk.hold(claim.operations.isEmpty && !claim.isExclusive)
      desk.same(try await desk.store.snapshot().ready, 1)
      desk.same(try await desk.store.claim().map(\.text), ["a"])
    },
    Rule("a type whose workers are busy is passed by others") { desk in
      let (note, other) = (
        PayloadType(kind: "note", version: 1), PayloadType(kind: "other", version: 1)
      )
      for text in ["n1", "n2", "n3"] { _ = try await desk.store.insert(.note(text)) }
      for text in ["o1", "o2"] { _ = try await desk.store.insert(.note(text, kind: "other")) }
      let claim = try await desk.store.claim(
        ClaimRequest(limit: 3, types: [note, other], isAlone: true, limits: [note: 1]))
      desk.same(claim.operations.map(\.text), ["n1", "o1", "o2"])
      let none = try await desk.store.claim(
        ClaimRequest(limit: 3, types: [note, other], isAlone: true, limits: [note: 0]))
      desk.hold(none.operations.isEmpty)
      desk.same(try await desk.store.snapshot().ready, 2)
    },
    Rule("followers of a dead letter are dropped where their worker says so") { desk in
      for text in ["a", "b", "c"] { _ = try await desk.store.insert(.note(text, orderedBy: "k")) }
      _ = try await desk.store.insert(.note("sent", orderedBy: "k", effect: .sentUnknown))
      let head = try desk.some(try await desk.store.claim().first)
      _ = try await desk.store.settle(
        head.lease, OperationVerdict(.dead(.refused, followers: .dropFollowers)))
      let ledger = try await desk.store.ledger()
      desk.same(ledger.count(.followed), 2)
      desk.hold(ledger.isBalanced)
      desk.same(try await desk.store.claim().map(\.text), ["sent"], "it may have been sent")
      desk.same(try await desk.store.snapshot().dead, 1)
    },
  ]
}
