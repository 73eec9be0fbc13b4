// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// How long calls take is not learned from a device that slept meanwhile.
@Suite(.requirement("P13")) struct DeviceSleepTests {
  private let clock = ManualClock()

  @Test func `a hedge does not wait longer because the device slept`() async throws {
    let hedge = Hedge(
      after: .percentile(0.5, initially: .seconds(9_999), minimumSamples: 1),
      safety: .safeToRepeat, budget: .unlimited, clock: clock)
    try await hedge.runSendable { [clock] in clock.sleepDevice(for: .seconds(3_600)) }
    #expect(hedge.currentDelay == .seconds(9_999))
    try await hedge.runSendable { [clock] in clock.advance(by: .seconds(2)) }
    #expect(hedge.currentDelay == .seconds(2))
    for _ in 0..<5 {
      try await hedge.runSendable { [clock] in clock.sleepDevice(for: .seconds(3_600)) }
    }
    #expect(hedge.currentDelay == .seconds(2))
  }

  @Test func `an adaptive limit does not shrink because the device slept`() async throws {
    let limit = AdaptiveLimit("catalog", .aimd(), clock: clock, seed: 1)
    try await limit.run { clock.sleepDevice(for: .seconds(3_600)) }
    #expect(limit.limit == 20)
    try await limit.run { clock.advance(by: .seconds(3_600)) }
    #expect(limit.limit == 18)
  }

  @Test(.requirement("P34")) func `a drop counts, however long the device slept`() async {
    let limit = AdaptiveLimit("catalog", .aimd(), clock: clock, seed: 1)
    await #expect(throws: AppError.self) {
      try await limit.run {
        clock.sleepDevice(for: .seconds(3_600))
        throw AppError.http(status: 503, isRepeatable: true)
      }
    }
    #expect(limit.limit == 18)
  }
}
