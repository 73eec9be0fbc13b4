// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What lost its run with its process is tried alone, and that is no reason to stand still.
@Suite(.ends(withinMinutes: 5)) struct OutboxSuspectsTests {
  private let shop: Workshop
  private let gate = Gate()

  init() throws { shop = try Workshop() }

  /// Does some operations in a process that dies meanwhile.
  private func lose(_ texts: String...) async throws -> [OperationID] {
    let store = SQLiteStore(at: shop.folder.database, now: { [day = shop.day] in day.now })
    _ = try await store.open()
    var ids: [OperationID] = []
    for text in texts { ids.append(try await store.insert(.note(text))) }
    #expect(try await store.claim(texts.count).map(\.text) == texts)
    store.abandon()
    return ids
  }

  /// An outbox in which some notes take until the gate opens.
  private func opened(hanging text: String) async throws -> Outbox {
    try await shop.open(
      shop.worker { [gate] note, _ in
        if note.text == text { await gate.pass() }
      })
  }

  @Test func `one that hangs keeps others from beginning for 30 seconds only`() async throws {
    let hang = try await lose("hang")[0]
    let outbox = try await opened(hanging: "hang")
    await shop.log.wait(for: "started")
    let other = try await outbox.enqueue(Note(text: "other"))
    #expect(try await outbox.explain(other)?.obstacles == [.letsPass(hang)])
    shop.clock.advance(by: .seconds(29))
    #expect(try await outbox.explain(other)?.obstacles == [.letsPass(hang)])
    shop.clock.advance(by: .seconds(1))
    await outbox.wait { $0.pending == 1 }
    #expect(try await outbox.operation(hang)?.state == .leased)
    gate.open()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test func `a long run beside what another process has lost keeps nobody waiting either`()
    async throws
  {
    let outbox = try await opened(hanging: "long")
    try await outbox.enqueue(Note(text: "long"))
    await shop.log.wait(for: "started")
    await outbox.pause()
    let lost = try await lose("lost")[0]
    await outbox.resume()
    let other = try await outbox.enqueue(Note(text: "other"))
    await outbox.wait { $0.running == 1 && $0.ready == 2 }
    #expect(try await outbox.explain(other)?.obstacles == [.letsPass(lost)])
    shop.clock.advance(by: .seconds(30))
    await outbox.wait { $0.pending == 2 }
    #expect(try await outbox.operation(lost)?.state == .ready)
    #expect(try await outbox.operation(lost)?.lostRuns == 1)
    let next = try await outbox.enqueue(Note(text: "next"))
    await outbox.wait { $0.pending == 2 }
    #expect(try await outbox.operation(next) == nil)
    // Nothing runs any more: it is tried.
    gate.open()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test func `one that hangs keeps what was lost with it waiting for ten minutes only`()
    async throws
  {
    let ids = try await lose("hang", "innocent")
    let outbox = try await opened(hanging: "hang")
    await shop.log.wait(for: "started")
    try await outbox.enqueue(Note(text: "other"))
    shop.clock.advance(by: .seconds(30))
    await outbox.wait { $0.pending == 2 }
    #expect(try await outbox.operation(ids[1])?.state == .ready)
    shop.clock.advance(by: .seconds(570))
    await outbox.wait { $0.pending == 1 }
    #expect(try await outbox.operation(ids[0])?.state == .leased)
    gate.open()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }
}
