// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryUpstream
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// When nothing is left, as far as that can be said.
@Suite(.ends(withinMinutes: 5)) struct DrainRateTests {
  private func rate(_ seconds: Double...) -> DrainRate {
    var rate = DrainRate()
    for time in seconds { rate.finish(at: .seconds(time)) }
    return rate
  }

  @Test func `it follows from what was finished lately`() {
    // Four in three seconds, so one in a second.
    #expect(rate(10, 11, 12, 13).estimate(for: 5, at: .seconds(13)) == .seconds(5))
    // What is older than the window does not count.
    #expect(rate(1, 2, 3, 60, 61, 62).estimate(for: 10, at: .seconds(62)) == .seconds(10))
    // A queue that stands still gets slower.
    #expect(rate(10, 11, 12).estimate(for: 2, at: .seconds(20)) == .seconds(10))
  }

  @Test func `it is not said where it cannot be known`() {
    #expect(rate().estimate(for: 5, at: .seconds(1)) == nil)
    #expect(rate(1, 2).estimate(for: 5, at: .seconds(2)) == nil)
    #expect(rate(1, 2, 3).estimate(for: 0, at: .seconds(3)) == nil)
    #expect(rate(1, 1, 1).estimate(for: 5, at: .seconds(1)) == nil)
    #expect(rate(1, 2, 3).estimate(for: 5, at: .seconds(33.5)) == nil)
    #expect(rate(1, 15, 29).estimate(for: 100_000, at: .seconds(29)) == nil)
    // A clock that is not the same one.
    #expect(rate(100, 101, 102).estimate(for: 5, at: .seconds(3)) == nil)
  }

  @Test func `a fast queue is measured over a shorter time`() throws {
    var rate = DrainRate()
    for number in 0..<100_000 { rate.finish(at: .milliseconds(number / 10)) }
    let estimate = try #require(rate.estimate(for: 10_000, at: .milliseconds(10_000)))
    #expect(estimate > .milliseconds(900) && estimate < .milliseconds(1100))
  }

  @Test func `the status has it while the queue gets shorter, and not else`() async throws {
    try await inWorld { world in
      let clock = ManualClock()
      let inventory = try await world.open { $0.timeline = Timeline(clock) }
      for number in 0..<4 {
        let id = try await inventory.add(ItemDraft(title: "Item \(number)")).item.id
        _ = try await inventory.wait(for: id) { $0.sync == .synced }
        try await inventory.drained()
        clock.advance(by: .seconds(1))
      }
      #expect(try await inventory.status().outbox.estimate == nil)
      await inventory.outbox.pause()
      for number in 0..<8 { _ = try await inventory.add(ItemDraft(title: "More \(number)")) }
      // Four in four seconds, the first of which only starts the time.
      let estimate = try #require(try await inventory.status().outbox.estimate)
      #expect(abs(estimate - 8 * 4 / 3) < 0.002)
      await world.fail(.down)
      await #expect(throws: AppError.self) { try await inventory.pull() }
      #expect(try await inventory.status().outbox.estimate == nil)
      await inventory.shutDown()
    }
  }
}
