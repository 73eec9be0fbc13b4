// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

extension HybridLogicalClock.Stamp {
  /// A stamp with a small time, for tests.
  static func at(_ milliseconds: UInt64, node: UInt64 = 1) -> Self {
    Self(milliseconds: milliseconds, counter: 0, node: .init(rawValue: node))
      ?? Self(discouragedUpdatedAt: .distantPast, node: .init(rawValue: node))
  }
}

@Suite(.requirement("C21")) struct RegisterTests {
  @Test func `the later write wins, on whichever side it is`() {
    let (early, late) = (Register("early", at: .at(1)), Register("late", at: .at(2)))
    #expect(early.joined(with: late).register == late)
    #expect(late.joined(with: early).register == late)
    #expect(!early.joined(with: late).isAnomaly)
  }

  @Test func `of two writes at one time the node decides`() {
    let (one, two) = (Register("one", at: .at(1, node: 1)), Register("two", at: .at(1, node: 2)))
    #expect(one.joined(with: two).register == two)
    #expect(two.joined(with: one).register == two)
    #expect(!two.joined(with: one).isAnomaly)
  }

  @Test func `the same write twice is no anomaly`() {
    let one = Register("one", at: .at(1))
    #expect(one.joined(with: one).register == one)
    #expect(!one.joined(with: one).isAnomaly)
  }

  @Test func `different values under one stamp are an anomaly, and all choose the same`() {
    // The SHA-256 of "a" in quotes begins with ac, that of "b" with c1, that of "d" with 48.
    let values = ["a", "b", "d"].map { Register($0, at: .at(1)) }
    for (one, other) in [(0, 1), (1, 0), (2, 1), (1, 2)] {
      let joined = values[one].joined(with: values[other])
      #expect(joined.isAnomaly)
      #expect(joined.register == values[1])
    }
    #expect(values[0].joined(with: values[2]).register == values[0])
  }

  @Test func `a number that JSON does not know has a form too`() {
    let (nan, one) = (Register(Double.nan, at: .at(1)), Register(1.0, at: .at(1)))
    let left = nan.joined(with: one).register.value.isNaN
    #expect(one.joined(with: nan).register.value.isNaN == left)
  }

  /// Law 1, on three replicas and more.
  @Test func `replicas that hear of the same writes end the same`() {
    for seed in 0..<UInt64(RandomDose.cases) {
      var generator = SeededGenerator(seed: seed)
      // Few stamps, so that some are the same for different values.
      let writes = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
        Register(
          Int.random(in: 0...3, using: &generator),
          at: .at(
            UInt64.random(in: 1...3, using: &generator),
            node: UInt64.random(in: 1...2, using: &generator)))
      }
      let ends = (0..<4).map { _ in
        var heard = writes + writes.filter { _ in Bool.random(using: &generator) }
        heard.shuffle(using: &generator)
        return heard.dropFirst().reduce(heard[0]) { $0.joined(with: $1).register }
      }
      #expect(Set(ends).count == 1, "seed \(seed): \(writes) end as \(ends)")
      let (a, b, c) = (writes[0], writes[writes.count / 2], writes[writes.count - 1])
      #expect(a.joined(with: a).register == a, "seed \(seed)")
      #expect(a.joined(with: b).register == b.joined(with: a).register, "seed \(seed)")
      #expect(
        a.joined(with: b).register.joined(with: c).register
          == a.joined(with: b.joined(with: c).register).register, "seed \(seed)")
    }
  }

  @Test func `a register comes from JSON, and goes back to it`() throws {
    let register = Register(["a": 1], at: .at(7))
    let back = try JSONDecoder().decode(
      Register<[String: Int]>.self, from: JSONEncoder().encode(register))
    #expect(back == register)
  }
}
