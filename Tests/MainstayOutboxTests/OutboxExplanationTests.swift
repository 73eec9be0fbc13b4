// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What an outbox says of what waits after a failure.
@Suite(.requirement("C13"), .ends(withinMinutes: 5)) struct OutboxExplanationTests {
  @Test func `it says what went wrong where an operation waits for its next attempt`()
    async throws
  {
    let shop = try Workshop()
    let outbox = try await shop.open(shop.worker { _, _ in throw AppError.test(.transient()) })
    let id = try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.scheduled == 1 }
    let obstacles = try #require(try await outbox.explain(id)?.obstacles)
    #expect(
      obstacles.map(\.description) == [
        """
        It runs at 2027-01-15T08:00:01Z at the earliest, since this went wrong: It failed. \
        The test says so.
        """
      ])
    await outbox.shutDown()
  }
}
