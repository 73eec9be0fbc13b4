// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

extension StoreConformance {
  private typealias Wishes = NewOperation.Wishes

  private static let year = Duration.seconds(365 * 86_400)

  /// What a time of day that is set changes, for stores that read it from the device that they are
  /// on.
  ///
  /// ``rules`` do not hold them: a store that goes by the clock of a database alone, as that on
  /// PostgreSQL does, leaves it to whoever runs the server that its clock is not set back.
  public static let clockRules: [Rule] = [
    Rule("a clock that is set back makes nothing wait longer than it was meant to") { desk in
      _ = try await desk.store.insert(.note("late", wishes: Wishes(delay: .seconds(60))))
      _ = try await desk.store.insert(.note("now"))
      _ = try await desk.store.insert(.note("aside", lane: "side"))
      for leased in try await desk.store.claim() {
        var verdict = OperationVerdict(.scheduled(after: .seconds(5)))
        if leased.text == "aside" {
          verdict = OperationVerdict(.ready)
          verdict.closesLane = LaneClosure(.throttled, for: .seconds(30))
        }
        _ = try await desk.store.settle(leased.lease, verdict)
      }
      desk.same(try await desk.store.promote(NewOperation.types), .seconds(5))
      desk.time.advance(by: .zero - year)
      desk.same(try await desk.store.promote(NewOperation.types), .seconds(5))
      for (wait, text, next) in [(5, "now", 25), (25, "aside", 30), (30, "late", nil)] {
        desk.time.advance(by: .seconds(wait))
        let due = try await desk.store.promote(NewOperation.types)
        desk.same(due, next.map { .seconds($0) }, "after \(text)")
        let leased = try desk.some(try await desk.store.claim().first)
        desk.same(leased.text, text)
        _ = try await desk.store.settle(leased.lease, OperationVerdict(.done))
      }
    },
    Rule("what was put off while the clock was wrong waits no longer for that") { desk in
      _ = try await desk.store.promote(NewOperation.types)
      _ = try await desk.store.insert(.note("failed"))
      let lease = try desk.some(try await desk.store.claim().first).lease
      desk.time.advance(by: year)
      // Nothing looks for what is due before the clock is right again.
      _ = try await desk.store.insert(.note("late", wishes: Wishes(delay: .seconds(60))))
      var verdict = OperationVerdict(.waiting(after: .seconds(90)))
      verdict.closesLane = LaneClosure(.throttled, for: .seconds(5))
      _ = try await desk.store.settle(lease, verdict)
      desk.time.advance(by: .zero - year)
      desk.same(try await desk.store.promote(NewOperation.types), .seconds(5))
      desk.time.advance(by: .seconds(60))
      _ = try await desk.store.promote(NewOperation.types)
      desk.same(try await desk.store.claim().map(\.text), ["late"])
      desk.time.advance(by: .seconds(30))
      _ = try await desk.store.promote(NewOperation.types)
      desk.same(try await desk.store.claim().map(\.text), ["failed"])
    },
    Rule("a process that finds the clock set back lets nothing wait or starve for it") { desk in
      _ = try await desk.store.insert(.note("old"))
      for (text, delay) in [("head", 60), ("next", 90)] {
        _ = try await desk.store.insert(
          .note(text, orderedBy: "k", wishes: Wishes(delay: .seconds(delay))))
      }
      desk.time.advance(by: .zero - year)
      try await desk.crash()
      _ = try await desk.store.insert(.note("new", wishes: Wishes(handicap: .seconds(1))))
      desk.same(try await desk.store.claim().map(\.text), ["old", "new"])
      desk.time.advance(by: .seconds(61))
      _ = try await desk.store.promote(NewOperation.types)
      let head = try desk.some(try await desk.store.claim().first)
      desk.same(head.text, "head")
      desk.time.advance(by: .seconds(30))
      _ = try await desk.store.settle(head.lease, OperationVerdict(.done))
      desk.same(try await desk.store.claim().map(\.text), ["next"])
    },
    Rule("a dead letter from before the clock was set back takes its turn as others do") { desk in
      let id = try await desk.store.insert(.note("dead"))
      let lease = try desk.some(try await desk.store.claim().first).lease
      _ = try await desk.store.settle(
        lease, OperationVerdict(.dead(.refused, followers: .holdKey)))
      desk.time.advance(by: .zero - year)
      _ = try await desk.store.promote(NewOperation.types)
      desk.hold(try await desk.store.redrive(id))
      desk.time.advance(by: .seconds(1))
      _ = try await desk.store.insert(.note("new"))
      desk.same(try await desk.store.claim(1).map(\.text), ["dead"])
    },
    Rule("what has a time to live lives no longer for a clock that is set back") { desk in
      _ = try await desk.store.insert(.note("brief", timeToLive: .seconds(60)))
      _ = try await desk.store.promote(NewOperation.types)
      desk.time.advance(by: .zero - year)
      desk.same(try await desk.store.promote(NewOperation.types), .seconds(60))
      desk.time.advance(by: .seconds(60))
      _ = try await desk.store.promote(NewOperation.types)
      let ledger = try await desk.store.ledger()
      desk.same(ledger.count(.expired), 1)
      desk.hold(ledger.isBalanced)
    },
    Rule("a clock that is set ahead makes due what waits, in order and once") { desk in
      for (text, delay) in [("a", 60), ("b", nil)] {
        let delay = delay.map { Duration.seconds($0) }
        _ = try await desk.store.insert(
          .note(text, orderedBy: "k", wishes: Wishes(delay: delay)))
      }
      desk.time.advance(by: year)
      desk.same(try await desk.store.promote(NewOperation.types), nil)
      for text in ["a", "b"] {
        let leased = try await desk.store.claim()
        desk.same(leased.map(\.text), [text])
        _ = try await desk.store.settle(try desk.some(leased.first).lease, OperationVerdict(.done))
      }
      desk.hold(try await desk.store.ledger().isBalanced)
    },
  ]
}
