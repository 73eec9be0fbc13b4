// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// What an outbox says of what it has given up.
@Suite(.requirement("C13"), .ends(withinMinutes: 5)) struct DeadLetterTests {
  @Test func `a dead letter says that it is one, and when and why it was given up`() async throws {
    let shop = try Workshop()
    let outbox = try await shop.open(shop.worker { _, _ in throw AppError.test(.permanent) })
    let id = try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "gaveUp")
    let letter = try #require(try await outbox.deadLetter(id))
    #expect(letter.operation.state == .dead)
    let explained = try #require(try await outbox.explain(id))
    #expect(explained.state == .dead && explained.earliest == nil)
    #expect(
      explained.obstacles.map(\.description) == [
        """
        It was given up at 2027-01-15T08:00:00Z. It failed. The test says so. \
        Redrive or discard it.
        """
      ])
    #expect(try await outbox.discard(id))
    #expect(try await outbox.explain(id) == nil)
    await outbox.shutDown()
  }
}
