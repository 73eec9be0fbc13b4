// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A store in a file does what a simple one in memory does; a failure names its seed.
@Suite(.requirement("A54", "O10", "O24")) struct TwinStoresTests {
  private static let isTorture = ProcessInfo.processInfo.environment["MAINSTAY_DOSE"] == "torture"

  @Test func `two stores that are asked for the same do the same`() async throws {
    // Those beyond the first have found something.
    let seeds: [UInt64] = Self.isTorture ? Array(0..<2_000) : Array(0..<40) + [139, 229, 755]
    for seed in seeds {
      var twins = try await TwinStores(seed: seed)
      do {
        try await twins.run(steps: 60)
      } catch {
        Issue.record(error, "seed \(seed)")
      }
    }
  }
}
