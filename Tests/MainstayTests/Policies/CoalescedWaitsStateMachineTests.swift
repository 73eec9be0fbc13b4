// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

@testable import Mainstay

@Suite struct CoalescedWaitsTests {
  private final class Place: Sendable {}

  private let place = Place()

  private func name(_ number: UInt64) -> CoalescedWaits.Name {
    .init(place: ObjectIdentifier(place), number: number)
  }

  @Test func `a circle is never closed, and nothing is left`() {
    var waits = CoalescedWaits()
    #expect(waits.begin(name(101), inside: [name(1)], for: name(1)) == false)
    #expect(waits.begin(name(102), inside: [name(1)], for: name(2)) == true)
    #expect(waits.begin(name(103), inside: [name(2), name(9)], for: name(3)) == true)
    #expect(waits.begin(name(104), inside: [name(3)], for: name(1)) == false)
    #expect(waits.begin(name(105), inside: [name(3), name(4)], for: name(9)) == false)
    waits.end(name(105))
    waits.end(name(104))
    waits.end(name(102))
    #expect(
      waits.begin(name(106), inside: [name(3)], for: name(1)) == true, "nobody waits for 2 any more"
    )
    for caller in [UInt64(103), 106, 106] { waits.end(name(caller)) }
    #expect(waits.isEmpty)
  }

  @Test func `a run waits as long as one of its callers does`() {
    var waits = CoalescedWaits()
    for caller in [UInt64(101), 102] {
      #expect(waits.begin(name(caller), inside: [name(1)], for: name(2)) == true)
    }
    waits.end(name(101))
    #expect(waits.begin(name(103), inside: [name(2)], for: name(1)) == false)
    waits.end(name(102))
    #expect(waits.begin(name(103), inside: [name(2)], for: name(1)) == true)
    waits.end(name(103))
    #expect(waits.isEmpty)
  }

  @Test func `a random walk closes no circle`() {
    for seed in 0..<RandomDose.schedules / 4 {
      var generator = SeededGenerator(seed: seed)
      var waits = CoalescedWaits()
      var held: [(caller: UInt64, inside: UInt64, run: UInt64)] = []
      for caller in 100..<160 as Range<UInt64> {
        if Bool.random(using: &generator), let index = held.indices.randomElement(using: &generator)
        {
          waits.end(name(held.remove(at: index).caller))
        }
        let inside = UInt64.random(in: 1...6, using: &generator)
        let run = UInt64.random(in: 1...6, using: &generator)
        let closes = reaches(inside, from: run, held.map { ($0.inside, $0.run) })
        #expect(
          waits.begin(name(caller), inside: [name(inside)], for: name(run)) == !closes,
          "seed \(seed)")
        if !closes { held.append((caller, inside, run)) }
      }
      for (caller, _, _) in held { waits.end(name(caller)) }
      #expect(waits.isEmpty, "seed \(seed)")
    }
  }

  /// Whether a run waits for another one by any way, found by walking all ways.
  private func reaches(
    _ goal: UInt64, from start: UInt64, _ edges: [(from: UInt64, to: UInt64)]
  ) -> Bool {
    var found: Set<UInt64> = [start]
    for _ in 0..<6 { for edge in edges where found.contains(edge.from) { found.insert(edge.to) } }
    return found.contains(goal)
  }
}
