// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import TestSupport
import Testing

/// Random schedules with fixed seeds; a failure names its seed.
@Suite(.requirement("A54", "O2", "O9", "O22", "O25")) struct StoreWalkTests {
  private static let isTorture = ProcessInfo.processInfo.environment["MAINSTAY_DOSE"] == "torture"

  /// A schedule on a disk waits for it at each step, so it gets fewer of them.
  @Test(arguments: [(StoreUnderTest.Kind.memory, 1_900), (.sqlite, 100)])
  func `random lives with crashes lose nothing, and keep the order`(
    kind: StoreUnderTest.Kind, count: Int
  ) async throws {
    let count = Self.isTorture ? count * 50 : count
    for seed in 0..<UInt64(count) {
      var walk = try await StoreWalk(kind, seed: seed)
      do {
        try await walk.run(steps: 40)
      } catch {
        Issue.record(error, "seed \(seed)")
      }
    }
  }
}
