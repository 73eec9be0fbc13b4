// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite struct VerdictQueueTests {
  @Test(.requirement("P32")) func `a random walk agrees with a list of those who wait`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      var queue = VerdictQueue()
      var waiting: [UInt64] = []
      var woken: [UInt64] = []
      for _ in 0..<40 {
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
          let place = queue.join(atMost: 5)
          #expect((place == nil) == (waiting.count >= 5), "seed \(seed)")
          if let place { waiting.append(place) }
        case 2:
          let count = Int.random(in: 0...3, using: &random)
          let expected = Array(waiting.prefix(count))
          #expect(queue.wake(count) == expected, "seed \(seed)")
          waiting.removeFirst(expected.count)
          woken += expected
        case 3:
          guard let place = woken.randomElement(using: &random) else { continue }
          queue.rejoin(place)
          woken.removeAll { $0 == place }
          waiting = (waiting + [place]).sorted()
        default:
          guard let place = (waiting + woken).randomElement(using: &random) else { continue }
          queue.leave(place)
          waiting.removeAll { $0 == place }
          woken.removeAll { $0 == place }
        }
        #expect(queue.places == waiting, "seed \(seed)")
        if queue.places != waiting { return }
      }
    }
  }

  @Test func `who joins twice at the same place stands there once`() {
    var queue = VerdictQueue()
    let place = queue.join(atMost: 1)
    queue.rejoin(place ?? 9)
    #expect(queue.places == [0])
    #expect(queue.join(atMost: 1) == nil)
    #expect(queue.wake(.max) == [0])
    #expect(queue.join(atMost: 1) == 1)
  }
}
