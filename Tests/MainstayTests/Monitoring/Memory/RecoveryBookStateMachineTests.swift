// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite struct RecoveryBookStateMachineTests {
  @Test(.requirement("A49")) func `codes beyond the first ones share a row`() {
    var book = RecoveryBook<Int>(capacity: 2)
    for code in [1, 2, 1, 3, 4, 3] { book.add(code, succeeded: code.isMultiple(of: 2)) }
    #expect(book[1] == .init(attempts: 2, successes: 0) && book[1].rate == 0)
    #expect(book[2].rate == 1)
    #expect(book[3] == .init() && book[3].rate == nil)
    #expect(book.others == .init(attempts: 3, successes: 1))
  }

  @Test func `there is room for 500 codes, and for one at least`() {
    for (capacity, room) in [(nil, 500), (-1, 1), (0, 1), (1, 1), (2, 2)] as [(Int?, Int)] {
      var book = capacity.map { RecoveryBook<Int>(capacity: $0) } ?? RecoveryBook<Int>()
      for code in 0...room { book.add(code, succeeded: true) }
      #expect(book[room - 1].attempts == 1 && book[room].attempts == 0, "\(room)")
      #expect(book.others.attempts == 1, "\(room)")
    }
  }

  @Test func `the rate is the part of the attempts that worked`() {
    var book = RecoveryBook<Int>()
    for succeeded in [true, false, false, true, false] { book.add(1, succeeded: succeeded) }
    #expect(book[1].rate == 0.4)
  }

  @Test func `a random walk counts each attempt once`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      var book = RecoveryBook<Int>(capacity: Int.random(in: -1...5, using: &random))
      for step in 1...60 {
        let succeeded = Bool.random(using: &random)
        book.add(Int.random(in: 0..<9, using: &random), succeeded: succeeded)
        let rows = (0..<9).map { book[$0] } + [book.others]
        #expect(rows.reduce(0) { $0 + $1.attempts } == step, "seed \(seed)")
        #expect(rows.allSatisfy { (0...$0.attempts).contains($0.successes) }, "seed \(seed)")
        #expect(rows.dropLast().count { $0.attempts > 0 } <= 5, "seed \(seed)")
      }
    }
  }
}
