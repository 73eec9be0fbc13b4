// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import TestSupport
import Testing

/// How many more operations may begin.
@Suite(.requirement("O11")) struct DrainPlacesTests {
  private func free(_ limit: Int, leased: Int, settling: Int = 0) -> Int {
    DrainPlaces(limit: limit, leased: leased, settling: settling).free
  }

  @Test func `whatever works has a place, and what is on its way to the store has none`() {
    #expect(free(4, leased: 0) == 4 && free(4, leased: 3) == 1 && free(4, leased: 4) == 0)
    #expect(free(4, leased: 4, settling: 1) == 1 && free(4, leased: 6, settling: 3) == 1)
  }

  @Test func `as many ends as may run at once keep all others out`() {
    #expect(free(4, leased: 4, settling: 4) == 0 && free(4, leased: 7, settling: 3) == 0)
    #expect(free(1, leased: 1, settling: 1) == 0 && free(1, leased: 0) == 1)
    for limit in 1...5 {
      // Whatever ends next, what is leased stays less than two sets.
      for leased in 0..<2 * limit {
        for settling in 0...leased where leased - settling <= limit {
          #expect(leased + free(limit, leased: leased, settling: settling) < 2 * limit)
        }
      }
    }
  }

  @Test func `a limit that was lowered meanwhile takes nothing away`() {
    #expect(free(2, leased: 4) == 0 && free(2, leased: 4, settling: 1) == 0)
    #expect(free(.max, leased: 3, settling: 1) == .max - 2)
  }

  @Test func `what has been running for a while takes no place from those that begin`() {
    func places(leased: Int, settling: Int = 0, lasting: Int) -> DrainPlaces {
      DrainPlaces(limit: 1, leased: leased, settling: settling, lasting: lasting, maximum: 4)
    }
    #expect(places(leased: 1, lasting: 0).free == 0 && places(leased: 1, lasting: 1).free == 1)
    #expect(places(leased: 3, lasting: 2).free == 0 && places(leased: 3, lasting: 3).free == 1)
    #expect(places(leased: 4, lasting: 4).free == 0, "no more than may run at all")
    #expect(places(leased: 4, lasting: 4).most == 4 && places(leased: 1, lasting: 1).most == 2)
    #expect(places(leased: 2, settling: 1, lasting: 1).free == 0)
  }
}
