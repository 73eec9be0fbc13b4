// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// How many begin after trouble, where some take long.
@Suite(.requirement("O11"), .ends(withinMinutes: 5)) struct OutboxPaceTests {
  @Test func `one long run keeps nobody waiting after another one found no network`()
    async throws
  {
    let shop = try Workshop()
    let (gate, hasFailed) = (Gate(), Box(false))
    let outbox = try await shop.open(
      shop.worker { note, _ in
        switch note.text {
        case "long": await gate.pass()
        case "bad":
          let isFirst = hasFailed.change { hasFailed in
            defer { hasFailed = true }
            return !hasFailed
          }
          if isFirst { throw AppError.test(.transient(), kind: .offline) }
        default: break
        }
      })
    try await outbox.enqueue(Note(text: "long"))
    await shop.log.wait(for: "started")
    try await outbox.enqueue(Note(text: "bad"))
    await shop.log.wait(for: "failed")
    await outbox.wait { $0.scheduled == 1 }
    let third = try await outbox.enqueue(Note(text: "third"))
    await outbox.wait { $0.ready == 1 && $0.running == 1 }
    #expect(try await outbox.explain(third)?.obstacles == [.outboxIsBusy(1)])
    // The long run is no stampede any more.
    shop.clock.advance(by: .seconds(5))
    await outbox.wait { $0.pending == 1 && $0.running == 1 }
    gate.open()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }
}
