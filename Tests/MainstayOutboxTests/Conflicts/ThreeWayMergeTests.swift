// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

@Suite(.requirement("C21")) struct ThreeWayMergeTests {
  @Test(
    arguments: [
      (1, 1, 1, .none), (1, 2, 2, .none), (nil, 2, 2, .none), (1, 1, 2, .remote), (1, 2, 1, .local),
      (1, 2, 3, .both), (nil, 2, 3, .both),
    ] as [(Int?, Int, Int, ThreeWayMerge.Change)])
  func `who changed a value is told by what both had`(
    base: Int?, local: Int, remote: Int, change: ThreeWayMerge.Change
  ) {
    #expect(
      ThreeWayMerge.change(base: base, local: local, remote: remote, by: ==) == change)
  }

  @Test(arguments: [
    (10, 12, 9, 11, false), (10, 10, 9, 9, false), (10, 12, 10, 12, false),
    (10, 15, 15, 20, false), (10, 60, 60, 100, true), (10, 0, 0, 0, true), (50, 0, 51, 1, false),
    (50, 100, 50, 100, false), (50, 99, 51, 100, false),
    // What one side alone did is left as it is, even outside of the range.
    (200, 200, 300, 300, false), (200, 300, 200, 300, false),
  ])
  func `a counter adds both changes up, within its range`(
    base: Int, local: Int, remote: Int, value: Int, isCut: Bool
  ) {
    let result = ThreeWayMerge.counter(base: base, local: local, remote: remote, in: 0...100)
    #expect(result.value == value && result.isCut == isCut)
  }

  @Test func `a counter at the ends of its type is cut, and does not trap`() {
    #expect(
      ThreeWayMerge.counter(base: Int64.min, local: .max, remote: .max) == (.max, true))
    #expect(
      ThreeWayMerge.counter(base: Int64.max, local: .min, remote: .min) == (.min, true))
    #expect(ThreeWayMerge.counter(base: UInt64.max, local: 0, remote: 5) == (0, true))
    #expect(ThreeWayMerge.counter(base: UInt8(3), local: 1, remote: 200) == (198, false))
    #expect(
      ThreeWayMerge.counter(base: Int128.min, local: .max, remote: .max).isCut)
    #expect(
      ThreeWayMerge.counter(base: UInt128(0), local: .max, remote: .max, in: 0...9) == (9, true))
  }

  /// Law 8: the sum of all changes, in whatever order devices hear of them.
  @Test func `a counter loses no change, in whatever order they arrive`() {
    for seed in 0..<UInt64(RandomDose.cases) {
      var generator = SeededGenerator(seed: seed)
      let changes = (0..<5).map { _ in Int.random(in: -100...100, using: &generator) }
      for order in [changes, changes.shuffled(using: &generator)] {
        // Each device began with 1000, and made its own change.
        let result = order.reduce(1000) { server, change in
          ThreeWayMerge.counter(base: 1000, local: 1000 + change, remote: server).value
        }
        #expect(result == 1000 + changes.reduce(0, +), "seed \(seed)")
      }
    }
  }

  @Test func `a set keeps what either side added, and nothing that either removed`() {
    for seed in 0..<UInt64(RandomDose.cases) {
      var generator = SeededGenerator(seed: seed)
      func set() -> Set<Int> { Set((0..<8).filter { _ in Bool.random(using: &generator) }) }
      let (base, local, remote) = (set(), set(), set())
      let merged = ThreeWayMerge.set(base: base, local: local, remote: remote)
      for element in 0..<8 {
        let (was, here, there) = (
          base.contains(element), local.contains(element), remote.contains(element)
        )
        let expected = was ? here && there : here || there
        #expect(merged.contains(element) == expected, "\(element), seed \(seed)")
      }
    }
  }
}
