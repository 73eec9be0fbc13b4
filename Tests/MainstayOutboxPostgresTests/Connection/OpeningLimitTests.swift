// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import MainstayOutboxPostgres

@Suite struct OpeningLimitTests {
  @Test func `each address has its own time, and a second more than the system gives it`() {
    var limit = OpeningLimit(.seconds(5))
    let start = ContinuousClock.now
    #expect(limit.deadline(at: "db 10.0.0.1 5432", now: start) == start + .seconds(6))
    // The same address goes on, and then the system gives it up.
    #expect(
      limit.deadline(at: "db 10.0.0.1 5432", now: start + .seconds(4)) == start + .seconds(6))
    let next = start + .seconds(5)
    #expect(limit.deadline(at: "db 10.0.0.2 5432", now: next) == next + .seconds(6))
  }
}
