// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

@Suite struct LedgerStateMachineTests {
  typealias Ledger = ErrorMonitor.Ledger

  private func ledger(kept: Int, sent: Int, dropped: Int = 0) -> Ledger {
    var ledger = Ledger()
    ledger.kept = kept
    ledger.sinks["a"] = .init()
    ledger.sinks["a"]?.sent = sent
    if dropped > 0 { ledger.sinks["a"]?.dropped[.overflow] = dropped }
    return ledger
  }

  @Test func `what was neither sent nor dropped is stored`() {
    var ledger = ledger(kept: 9, sent: 4, dropped: 2)
    ledger.dropped = [.suppressed: 5]
    #expect(ledger.captured == 14 && ledger.stored(for: "a") == 3 && ledger.sent(to: "a") == 4)
    #expect(ledger.dropped(for: "a") == [.suppressed: 5, .overflow: 2])
    #expect(ledger.isBalanced)
    ledger.sinks["a"]?.sent = 8
    #expect(!ledger.isBalanced)
  }

  @Test func `it survives JSON, reasons as keys`() throws {
    var ledger = ledger(kept: 9, sent: 4, dropped: 2)
    ledger.dropped = [.suppressed: 5, .init("of my own"): 1]
    let data = try JSONEncoder().encode(ledger)
    #expect(String(decoding: data, as: UTF8.self).contains(#""overflow":2"#))
    #expect(try JSONDecoder().decode(Ledger.self, from: data) == ledger)
  }

  @Test(.requirement("B42")) func `a new process inherits what is on disk, the rest is lost`() {
    let next = ledger(kept: 9, sent: 4).continued(inheriting: ["a": 3])
    #expect(next.stored(for: "a") == 3 && next.dropped(for: "a") == [.lost: 2])
    #expect(next.captured == 9 && next.isBalanced)
  }

  @Test func `what is on disk and not in the ledger was captured`() {
    let next = ledger(kept: 9, sent: 8).continued(inheriting: ["a": 3])
    #expect(next.captured == 11 && next.stored(for: "a") == 3 && next.isBalanced)
    let new = Ledger().continued(inheriting: ["a": 7, "b": 0])
    #expect(new.captured == 7 && new.stored(for: "a") == 7)
    #expect(new.stored(for: "b") == 0 && new.dropped(for: "b") == [.lost: 7])
  }

  @Test func `a sink that was not there before missed what was kept`() {
    var other = Ledger()
    other.kept = 2
    other.sinks["b"] = .init()
    let sum = ledger(kept: 9, sent: 9).adding(other)
    #expect(sum.dropped(for: "a") == [.noSink: 2] && sum.dropped(for: "b") == [.noSink: 9])
    #expect(sum.stored(for: "b") == 2 && sum.stored(for: "a") == 0 && sum.isBalanced)
  }

  @Test func `nothing is known of a sink that is not there, and an empty ledger balances`() {
    let empty = Ledger()
    #expect(empty.isBalanced && empty.captured == 0 && empty.continued() == empty)
    #expect(empty.sent(to: "a") == 0 && empty.stored(for: "a") == 0)
    #expect(empty.dropped(for: "a").isEmpty && empty.adding(empty) == empty)
    #expect(Ledger.Books().inherited == 0 && Ledger.Books().delivery == Ledger.Delivery())
    #expect(ledger(kept: 3, sent: 3).isBalanced, "nothing is stored")
  }

  @Test func `no count is negative in a ledger that balances`() {
    var (kept, lost, sent, dropped) = (Ledger(), Ledger(), Ledger(), Ledger())
    kept.kept = -1
    lost.dropped = [.suppressed: -1]
    sent.sinks["a"] = .init()
    sent.sinks["a"]?.sent = -1
    dropped.sinks["a"] = .init()
    dropped.sinks["a"]?.dropped[.overflow] = -1
    #expect([kept, lost, sent, dropped].map(\.isBalanced) == [false, false, false, false])
  }

  @Test func `what waited in memory is lost, to the last one`() {
    let all = ledger(kept: 5, sent: 4).continued()
    #expect(all.dropped(for: "a") == [.lost: 1] && all.stored(for: "a") == 0)
    let none = ledger(kept: 5, sent: 5).continued(inheriting: ["a": 0])
    #expect(none == ledger(kept: 5, sent: 5))
    let more = ledger(kept: 5, sent: 1).continued(inheriting: ["a": -3]).continued()
    #expect(more.dropped(for: "a") == [.lost: 4] && more.captured == 5)
    var known = ledger(kept: 9, sent: 4)
    known.sinks["a"]?.dropped[.lost] = 2
    #expect(known.continued().dropped(for: "a") == [.lost: 5])
  }

  @Test func `a new sink missed what was kept before it, be it one`() {
    for kept in [0, 1, 9] {
      let next = ledger(kept: kept, sent: kept).continued(inheriting: ["b": 2])
      #expect(next.captured == kept + 2 && next.stored(for: "b") == 2)
      #expect(next.dropped(for: "b") == (kept == 0 ? [:] : [.noSink: kept]))
      #expect(next.dropped(for: "a") == [.lost: 2] && next.isBalanced)
      var other = Ledger()
      other.sinks["b"] = .init()
      let sum = ledger(kept: kept, sent: kept).adding(other)
      #expect(sum.dropped(for: "b") == (kept == 0 ? [:] : [.noSink: kept]))
      #expect(sum.dropped(for: "a").isEmpty)
    }
  }

  @Test func `a sink that keeps reports speaks for those that it accepted`() {
    var own = Ledger.Delivery()
    own.sent = 7
    own.dropped = [.overflow: 2]
    #expect(own.applying(nil) == own)
    var said = Ledger.Delivery()
    said.sent = 4
    said.dropped = [.overflow: 1, .rejected: 1]
    let told = own.applying(.init(inherited: 3, delivery: said))
    #expect(told.sent == 4 && told.dropped == [.overflow: 3, .rejected: 1] && told.total == 8)
  }

  @Test(.requirement("B42"))
  func `what a store did after the ledger was written is made up for, to the last one`() {
    // Nine were kept; by what the store said then it had sent four of the five that it accepted.
    let written = ledger(kept: 9, sent: 4)
    func account(_ accepted: Int, sent: Int, expired: Int = 0) -> [String: Ledger.Account] {
      var account = Ledger.Account(accepted: accepted)
      account.delivery.sent = sent
      if expired > 0 { account.delivery.dropped = [.init("expired"): expired] }
      return ["a": account]
    }
    let then = account(5, sent: 4)
    // Three more came to it, of which the ledger knows; then two that it does not know.
    let later = written.settled(from: then, to: account(8, sent: 6, expired: 1))
    #expect(later.sent(to: "a") == 6 && later.dropped(for: "a")[.init("expired")] == 1)
    // The file of one that was sent is still there: the store had not written that down.
    let again = written.settled(from: then, to: account(5, sent: 3)).continued(
      inheriting: ["a": 2])
    #expect(again.sent(to: "a") == 3 && again.stored(for: "a") == 2 && again.captured == 9)
    // A store whose folder somebody took away knows of nothing, and takes nothing back.
    let other = written.settled(from: then, to: account(0, sent: 0))
    #expect(other == written && written.settled(from: then, to: [:]) == written)
    #expect(written.settled(from: [:], to: then) == written)
    let new = written.settled(from: then, to: account(2, sent: 6))
    #expect(new.sent(to: "a") == 6)
  }

  @Test func `a reason is cut, a hostile one too`() {
    #expect(ErrorReport.DropReason(String(repeating: "ä", count: 99)).rawValue.utf8.count == 64)
  }

  @Test(.requirement("B42")) func `a random walk of processes balances`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      var ledger = Ledger()
      // What went out, by a count of the test's own.
      var sent: [String: Int] = [:]
      for _ in 0..<6 {
        let names = ["a", "b", "c"].filter { _ in Bool.random(using: &random) }
        let inherited = Dictionary(
          uniqueKeysWithValues: names.map { ($0, Int.random(in: 0...5, using: &random)) })
        ledger = ledger.continued(inheriting: inherited)
        for name in ledger.sinks.keys {
          #expect(ledger.stored(for: name) == inherited[name] ?? 0, "seed \(seed)")
        }
        var run = Ledger()
        run.kept = Int.random(in: 0...9, using: &random)
        run.dropped = [.suppressed: Int.random(in: 0...9, using: &random)]
        for name in names {
          var delivery = Ledger.Delivery()
          delivery.sent = Int.random(in: 0...run.kept, using: &random)
          let rest = run.kept - delivery.sent
          delivery.dropped[.overflow] = Int.random(in: 0...rest, using: &random)
          run.sinks[name] = delivery
          sent[name, default: 0] += delivery.sent
        }
        let before = ledger
        ledger = ledger.adding(run)
        #expect(ledger.captured == before.captured + run.captured, "seed \(seed)")
        #expect(ledger.isBalanced, "seed \(seed)")
        for name in ledger.sinks.keys {
          #expect(ledger.sent(to: name) == sent[name] ?? 0, "seed \(seed)")
          // A sink that is not there now, or was not there before, has nothing that waits.
          let now = run.sinks[name].map { run.kept - $0.sent - ($0.dropped[.overflow] ?? 0) } ?? 0
          let waited = before.sinks[name] == nil ? 0 : before.stored(for: name)
          #expect(ledger.stored(for: name) == waited + now, "seed \(seed)")
        }
      }
    }
  }
}
