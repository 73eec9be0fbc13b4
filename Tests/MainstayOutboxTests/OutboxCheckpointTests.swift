// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What a run has noted is never taken for nothing.
@Suite(.ends(withinMinutes: 5)) struct OutboxCheckpointTests {
  private struct Older: Codable { var step: Int }
  private struct Newer: Codable { var done: Int }

  @Test func `a note that a build cannot read begins no step anew`() async throws {
    let shop = try Workshop()
    let steps = Box<[Int]>([])
    let first = try await shop.open(
      shop.worker { _, context in
        #expect(try context.lastCheckpoint(as: Older.self) == nil)
        steps.change { $0.append(1) }
        try await context.checkpoint(Older(step: 1))
        throw AppError.test(.transient())
      })
    let id = try await first.enqueue(Note(text: "a"))
    await first.wait { $0.scheduled == 1 }
    await first.shutDown()
    let second = try await shop.open(
      shop.worker { _, context in
        guard try context.lastCheckpoint(as: Newer.self) == nil else { return }
        steps.change { $0.append(1) }
      })
    try await second.retry(id)
    await second.wait { $0.parked == 1 }
    #expect(steps.value == [1])
    let kept = try #require(try await second.operation(id))
    #expect(kept.failure?.code == "outbox.unreadable-payload" && kept.effect == .sentUnknown)
    await second.shutDown()
    let third = try await shop.open(
      shop.worker { _, context in
        let step = try context.lastCheckpoint(as: Older.self)?.step
        steps.change { $0.append((step ?? 0) + 1) }
      })
    await third.wait { $0.pending == 0 }
    #expect(steps.value == [1, 2])
    await third.shutDown()
  }

  @Test func `who may do all steps again asks with a try that may fail`() async throws {
    let shop = try Workshop()
    let seen = Box<[Int?]>([])
    let outbox = try await shop.open(
      shop.worker { _, context in
        let last = try? context.lastCheckpoint(as: Newer.self)
        seen.change { $0.append(last?.done) }
        guard context.attempt == 1 else { return }
        try await context.checkpoint(Older(step: 1))
        throw AppError.test(.transient())
      })
    let id = try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.scheduled == 1 }
    try await outbox.retry(id)
    await outbox.wait { $0.pending == 0 }
    #expect(seen.value == [nil, nil])
    await outbox.shutDown()
  }
}
