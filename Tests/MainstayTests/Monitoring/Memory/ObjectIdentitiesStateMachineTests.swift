// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

@Suite struct ObjectIdentitiesStateMachineTests {
  private final class Failure: Error {}

  @Test(.requirement("B41")) func `an object keeps its first identity until others have come`() {
    var book = ObjectIdentities(capacity: 2)
    let (ids, failures) = ((0..<4).map { _ in UUID() }, (0..<3).map { _ in Failure() })
    #expect(book.identity(of: failures[0], new: ids[0]) == ids[0])
    #expect(book.identity(of: failures[0], new: ids[3]) == ids[0])
    #expect(book.identity(of: failures[1], new: ids[1]) == ids[1])
    #expect(book.identity(of: failures[0], new: ids[3]) == ids[0])
    #expect(book.identity(of: failures[2], new: ids[2]) == ids[2])
    #expect(book.identity(of: failures[1], new: ids[3]) == ids[1])
    #expect(book.identity(of: failures[0], new: ids[3]) == ids[3], "two others have come")
    #expect(book.count == 2)
  }

  @Test func `it keeps no object alive`() {
    var book = ObjectIdentities(capacity: 4)
    weak var seen: Failure?
    do {
      let failure = Failure()
      seen = failure
      _ = book.identity(of: failure, new: UUID())
      #expect(seen != nil)
    }
    #expect(seen == nil && book.count == 1)
  }

  @Test func `an object in the place of another one is another failure`() {
    var book = ObjectIdentities(capacity: 100)
    var (ids, places): (Set<UUID>, Set<ObjectIdentifier>) = ([], [])
    for _ in 0..<100 {
      let failure = Failure()
      places.insert(ObjectIdentifier(failure))
      ids.insert(book.identity(of: failure, new: UUID()))
    }
    #expect(ids.count == 100 && book.count == places.count)
  }

  @Test(arguments: [-3, 0, 1]) func `a capacity below one becomes one`(capacity: Int) {
    var book = ObjectIdentities(capacity: capacity)
    let (failure, id) = (Failure(), UUID())
    #expect(book.identity(of: failure, new: id) == id)
    #expect(book.identity(of: failure, new: UUID()) == id)
    _ = book.identity(of: Failure(), new: UUID())
    #expect(book.identity(of: failure, new: UUID()) != id && book.count == 1)
  }

  @Test func `a random walk of objects that come and go agrees with a list`() {
    for seed in 0..<RandomDose.schedules / 4 {
      var random = SplitMix64(seed: seed)
      let capacity = Int.random(in: 1...6, using: &random)
      var book = ObjectIdentities(capacity: capacity)
      var living = (0..<6).map { _ in Failure() }
      // By the number of the object, which no place in memory has.
      var numbers = Array(0..<6)
      var known: [(number: Int, id: UUID)] = []
      for step in 6..<60 {
        let index = Int.random(in: 0..<living.count, using: &random)
        if Int.random(in: 0..<4, using: &random) == 0 {
          (living[index], numbers[index]) = (Failure(), step)
        }
        let id = UUID()
        let expected = known.first { $0.number == numbers[index] }?.id
        #expect(book.identity(of: living[index], new: id) == expected ?? id, "seed \(seed)")
        if expected == nil {
          known = Array(([(numbers[index], id)] + known).prefix(capacity))
        }
        #expect(book.count <= capacity, "seed \(seed)")
      }
    }
  }
}
