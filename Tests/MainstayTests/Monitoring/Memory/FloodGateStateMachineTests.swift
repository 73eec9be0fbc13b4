// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

@Suite struct FloodGateStateMachineTests {
  private let limit = FloodGate.Limit(count: 2, window: .seconds(60))

  private func date(_ second: Int) -> Date { Date(timeIntervalSince1970: Double(second)) }

  @Test func `the first of a window go out, and the next window tells of the others`() {
    var gate = FloodGate()
    var answers: [FloodGate.Answer] = []
    for second in [0, 1, 2, 59, 60, 61] {
      answers.append(gate.ask(limit, now: .seconds(second), date: date(second)))
    }
    let suppressed = ErrorReport.Suppressed(count: 2, first: date(2), last: date(59))
    #expect(
      answers == [
        .passes(after: nil), .passes(after: nil), .suppressed, .suppressed,
        .passes(after: suppressed), .passes(after: nil),
      ])
    #expect(gate.suppressed == nil)
  }

  @Test func `what was not told lies between its earliest and its latest date`() {
    var gate = FloodGate()
    for second in [0, 1] { _ = gate.ask(limit, now: .zero, date: date(second)) }
    for second in [50, 90, 20] { _ = gate.ask(limit, now: .zero, date: date(second)) }
    #expect(gate.suppressed == .init(count: 3, first: date(20), last: date(90)))
  }

  @Test(arguments: [
    (-7, 0), (0, 0), (1, 1), (2_147_483_647, 2_147_483_647), (2_147_483_648, 2_147_483_647),
  ]) func `a count from a file is cut`(count: Int, cut: Int) throws {
    let text = #"{"count": \#(count), "first": 1, "last": 2}"#
    let read = try JSONDecoder().decode(ErrorReport.Suppressed.self, from: Data(text.utf8))
    #expect(read.count == cut && read.first < read.last)
  }

  @Test func `as many go out in each window as the limit says`() {
    for count in 1...5 {
      let limit = FloodGate.Limit(count: count, window: .seconds(60))
      var gate = FloodGate()
      for second in [0, 60] {
        let answers = (0..<9).map { _ in
          gate.ask(limit, now: .seconds(second), date: date(second)) != .suppressed
        }
        #expect(answers.count(where: \.self) == count && answers.prefix(count).allSatisfy(\.self))
      }
    }
  }

  @Test func `without a limit all go out`() {
    var gate = FloodGate()
    for _ in 0..<9 { #expect(gate.ask(nil, now: .zero, date: date(0)) == .passes(after: nil)) }
  }

  @Test(.requirement("P12")) func `a clock that goes back opens no new window`() {
    var gate = FloodGate()
    _ = gate.ask(limit, now: .seconds(10), date: date(10))
    _ = gate.ask(limit, now: .seconds(10), date: date(10))
    #expect(gate.ask(limit, now: .seconds(-5_000), date: date(-5)) == .suppressed)
    #expect(gate.ask(limit, now: .seconds(Int64.max), date: date(5)) != .suppressed)
    #expect(gate.ask(limit, now: .seconds(Int64.min), date: date(5)) != .suppressed)
    #expect(gate.ask(limit, now: .zero, date: date(5)) == .suppressed)
  }

  @Test func `a random walk tells every error once and never more than the limit`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      let limit = FloodGate.Limit(
        count: Int.random(in: 1...3, using: &random),
        window: .seconds(Int.random(in: 1...9, using: &random)))
      var gate = FloodGate()
      var (now, asked, told, passes) = (0, 0, 0, [Int]())
      for _ in 0..<50 {
        now += Int.random(in: 0...3, using: &random)
        asked += 1
        guard case .passes(let before) = gate.ask(limit, now: .seconds(now), date: date(now))
        else { continue }
        told += 1 + (before?.count ?? 0)
        #expect(told == asked, "seed \(seed)")
        if let before { #expect(before.count > 0 && before.first <= before.last, "seed \(seed)") }
        passes.append(now)
      }
      #expect(told + (gate.suppressed?.count ?? 0) == asked, "seed \(seed)")
      // Windows begin with a report that goes out, so any two windows touch at most two of them.
      let window = Int(limit.window.components.seconds)
      for start in passes {
        let inside = passes.filter { (start..<start + window).contains($0) }
        #expect(inside.count <= 2 * limit.count, "seed \(seed)")
      }
    }
  }
}
