// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import TestSupport
import Testing

/// The power goes at a random call to the disk, again and again, also while the file recovers.
@Suite(.requirement("A54", "C13", "O9"), .ends(withinMinutes: 10)) struct PowerCutTests {
  /// Each of them is cut twenty times.
  private static let walks: UInt64 = RandomDose.isTorture ? 1000 : 6

  @Test func `what was accepted survives every cut, and the order of each key`() async throws {
    var accepted = 0
    for seed in 0..<Self.walks {
      var walk = try CutWalk(seed: seed)
      await walk.run(cuts: 20)
      #expect(walk.violations == [], "seed \(seed)")
      #expect(walk.forgotten == 0, "seed \(seed)")
      accepted += walk.accepted
    }
    #expect(accepted > Int(Self.walks) * 40, "\(accepted)")
  }

  @Test func `what the app's connection does not sync may be lost, and only the newest`()
    async throws
  {
    var forgotten = 0
    for seed in 0..<(Self.walks / 2) {
      var walk = try CutWalk(seed: seed, isSafe: false)
      await walk.run(cuts: 20)
      #expect(walk.violations == [], "seed \(seed)")
      forgotten += walk.forgotten
    }
    #expect(forgotten > 0, "the cuts are too kind")
  }

  @Test func `an outbox does what it accepted, once and in order, whenever the power goes`()
    async throws
  {
    var accepted = 0
    for seed in 0..<max(Self.walks / 2, 1) {
      var walk = try OutboxCutWalk(seed: seed)
      accepted += try await walk.run(cuts: 10)
      #expect(walk.violations == [], "seed \(seed)")
    }
    #expect(accepted > Int(Self.walks) * 5, "\(accepted)")
  }

  @Test func `a disk whose syncs do nothing loses something, and that is seen`() async throws {
    var seen = 0
    for seed in 0..<6 as Range<UInt64> {
      var walk = try CutWalk(seed: seed, isLying: true)
      await walk.run(cuts: 20)
      if !walk.violations.isEmpty { seen += 1 }
    }
    #expect(seen >= 5)
  }
}
