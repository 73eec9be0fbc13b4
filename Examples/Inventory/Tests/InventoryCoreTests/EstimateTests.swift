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
@Suite(.ends(withinMinutes: 5)) struct EstimateTests {
  @Test func `the status has it while the queue gets shorter, and not else`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      var longest = Duration.zero
      for number in 0..<4 {
        let start = ContinuousClock.now
        let id = try await inventory.add(ItemDraft(title: "Item \(number)")).item.id
        _ = try await inventory.wait(for: id) { $0.sync == .synced }
        try await inventory.drained()
        longest = max(longest, ContinuousClock.now - start)
      }
      #expect(try await inventory.status().outbox.estimate == nil)
      await inventory.outbox.pause()
      for number in 0..<8 { _ = try await inventory.add(ItemDraft(title: "More \(number)")) }
      let estimate = try #require(try await inventory.status().outbox.estimate)
      // What it learnt from is how long these took, however busy the machine is.
      #expect(estimate > 0 && estimate <= Double(8 * longest.components.seconds + 9))
      await world.fail(.down)
      await #expect(throws: AppError.self) { try await inventory.pull() }
      #expect(try await inventory.status().outbox.estimate == nil)
      await inventory.shutDown()
    }
  }
}
