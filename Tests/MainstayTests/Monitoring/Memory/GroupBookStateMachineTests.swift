// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

@Suite(.requirement("B41")) struct GroupBookStateMachineTests {
  typealias Book = GroupBook<Int, String>

  private let date = Date(timeIntervalSince1970: 0)

  @Test func `the group seen longest ago makes room`() {
    var book = Book(capacity: 2)
    for key in [1, 2, 1, 3] { book.see(key, at: date) { $0.count += 1 } }
    #expect(book.newestFirst.map(\.key) == [3, 1])
    #expect(book.newestFirst.map(\.count) == [1, 2])
    #expect(book.evicted == 1 && book.entry(2) == nil && book.newestEntry?.key == 3)
  }

  @Test func `a change of a group that is not there changes nothing`() {
    var book = Book(capacity: 2)
    book.update(1) { $0.count += 1 }
    #expect(book.count == 0)
    book.see(1, at: date) { $0.count += 1 }
    book.see(2, at: date) { $0.count += 1 }
    book.update(1) { $0.count += 1 }
    #expect(book.newestFirst.map(\.key) == [2, 1], "changing is not seeing")
  }

  @Test(arguments: [-3, 0, 1]) func `a book for less than one group has one`(capacity: Int) {
    var book = Book(capacity: capacity)
    for key in 1...3 { book.see(key, at: date) { $0.count += 1 } }
    #expect(book.newestFirst.map(\.key) == [3] && book.evicted == 2)
  }

  @Test func `a new group has counted nothing`() {
    var book = Book(capacity: 2)
    #expect(book.newestEntry == nil && book.newestFirst.isEmpty && book.evicted == 0)
    book.see(1, at: date) { _ in }
    let entry = book.entry(1)
    #expect(entry?.count == 0 && entry?.otherOperations == 0 && entry?.operations.isEmpty == true)
    #expect(entry?.attempts == 0 && entry?.successes == 0 && entry?.sample == nil)
  }

  @Test func `eight operations are known by name, the others are counted`() {
    var book = Book(capacity: 1)
    book.see(1, at: date) { entry in
      for number in 0..<20 { entry.count(operation: "operation \(number)") }
      for _ in 0..<5 { #expect(entry.count(knownOperation: "operation 3") == true) }
      #expect(entry.operations.count == 8 && entry.operations[3].count == 6)
      #expect(entry.otherOperations == 12)
    }
  }

  @Test func `a random walk agrees with a list`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      let capacity = Int.random(in: 1...5, using: &random)
      var book = Book(capacity: capacity)
      var model: [(key: Int, count: Int)] = []
      for _ in 0..<40 {
        let key = Int.random(in: 0..<8, using: &random)
        let index = model.firstIndex { $0.key == key }
        if Bool.random(using: &random) {
          book.see(key, at: date) { $0.count += 1 }
          let known = index.map { model.remove(at: $0) } ?? (key, 0)
          model = Array(([(known.0, known.1 + 1)] + model).prefix(capacity))
        } else {
          book.update(key) { $0.count += 10 }
          if let index { model[index].count += 10 }
        }
        #expect(book.newestFirst.map(\.key) == model.map(\.key), "seed \(seed)")
        #expect(book.newestFirst.map(\.count) == model.map(\.count), "seed \(seed)")
        #expect(book.entry(key)?.count == model.first { $0.key == key }?.count, "seed \(seed)")
        #expect(book.count <= capacity, "seed \(seed)")
      }
    }
  }
}
