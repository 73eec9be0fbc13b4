// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

@Suite struct RecentRingStateMachineTests {
  @Test(.requirement("D16", "T15")) func `it holds the newest, the newest first`() {
    var ring = RecentRing<Int>(capacity: 3)
    #expect(ring.newest == nil && ring.newestFirst.isEmpty)
    for number in 1...5 { ring.insert(number) }
    #expect(ring.newestFirst == [5, 4, 3])
    #expect(ring.oldestFirst == [3, 4, 5])
    #expect(ring.newest == 5 && ring.count == 3)
    ring.removeAll()
    #expect(ring.newest == nil && ring.count == 0)
    ring.insert(6)
    #expect(ring.newestFirst == [6])
  }

  @Test func `a capacity below one becomes one`() {
    var ring = RecentRing<Int>(capacity: -4)
    ring.insert(1)
    ring.insert(2)
    #expect(ring.newestFirst == [2])
  }

  @Test func `the newest that fits is changed, and no other`() {
    var ring = RecentRing<Int>(capacity: 3)
    for number in [10, 21, 30, 41] { ring.insert(number) }
    #expect(ring.updateNewest(where: { $0 % 10 == 1 }) { $0 += 100 } == 141)
    #expect(ring.newestFirst == [141, 30, 21])
    #expect(ring.updateNewest(where: { $0 == 10 }) { $0 += 100 } == nil)
  }

  @Test(.requirement("D16")) func `a random walk agrees with an array`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      let capacity = Int.random(in: 1...7, using: &random)
      var ring = RecentRing<Int>(capacity: capacity)
      var model: [Int] = []
      for step in 0..<40 {
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
          ring.removeAll()
          model = []
        case 1:
          let rest = Int.random(in: 0..<3, using: &random)
          let changed = ring.updateNewest(where: { $0 % 3 == rest }) { $0 += 300 }
          let index = model.firstIndex { $0 % 3 == rest }
          if let index { model[index] += 300 }
          #expect(changed == index.map { model[$0] }, "seed \(seed)")
        default:
          ring.insert(step)
          model = Array(([step] + model).prefix(capacity))
        }
        #expect(ring.newestFirst == model && ring.newest == model.first, "seed \(seed)")
      }
    }
  }
}

@Suite struct DuplicateFilterStateMachineTests {
  @Test func `what was seen is known until so many others have come`() {
    var filter = DuplicateFilter<Int>(capacity: 2)
    let answers = [1, 1, 2, 3, 3, 2, 1].map { filter.isNew($0) }
    #expect(answers == [true, false, true, true, false, false, true])
  }

  @Test(arguments: [-3, 0, 1]) func `a filter for less than one knows one`(capacity: Int) {
    var filter = DuplicateFilter<Int>(capacity: capacity)
    #expect([1, 1, 2, 1].map { filter.isNew($0) } == [true, false, true, true])
    #expect(filter.count == 1)
  }

  @Test func `what it was only told to remember is known, and not counted`() {
    var filter = DuplicateFilter<Int>(capacity: 2)
    #expect([1, 1, 2].map { filter.remember($0) } == [true, false, true])
    #expect(filter.duplicates == 0 && !filter.isNew(2) && filter.duplicates == 1)
  }

  @Test func `it counts what came again`() {
    var filter = DuplicateFilter<Int>(capacity: 9)
    #expect(filter.duplicates == 0)
    for id in [1, 2, 1, 1, 2] { _ = filter.isNew(id) }
    #expect(filter.duplicates == 3)
  }

  @Test func `a random walk agrees with the newest so many`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      let capacity = Int.random(in: 1...6, using: &random)
      var filter = DuplicateFilter<Int>(capacity: capacity)
      var model: [Int] = []
      for _ in 0..<40 {
        let id = Int.random(in: 0..<9, using: &random)
        #expect(filter.isNew(id) == !model.contains(id), "seed \(seed)")
        if !model.contains(id) { model = Array(([id] + model).prefix(capacity)) }
        #expect(filter.count == model.count, "seed \(seed)")
      }
    }
  }
}
