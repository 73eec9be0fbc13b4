// SPDX-License-Identifier: Apache-2.0

import MainstayOutboxPostgres
import Testing

/// When work is cancelled whose leases are not renewed.
@Suite struct LeaseTrustTests {
  @Test(arguments: [(1_200, 1_000), (6_000, 5_000), (30_000, 25_000), (3_600_000, 3_595_000)])
  func `it is cancelled a sixth of the lease before its end, at most 5 seconds`(
    lease: Int, end: Int
  ) {
    let trust = LeaseTrust(lease: .milliseconds(lease))
    #expect(trust.end(renewedAt: .seconds(10)) == .seconds(10) + .milliseconds(end))
  }

  @Test(arguments: [1, 6, 30, 3_600])
  func `leases that come after a loss are looked at before they are over`(lease: Int) {
    let trust = LeaseTrust(lease: .seconds(lease))
    let lost = Duration.seconds(100)
    #expect(trust.look(lostAt: lost) <= trust.end(renewedAt: lost))
  }
}
