// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// Whatever an app hands over, an operation has a state, and a reason that a person can read.
@Suite(.requirement("C13", "O4", "O34"), .ends(withinMinutes: 5)) struct OutboxBadInputTests {
  private let shop: Workshop

  init() throws { shop = try Workshop() }

  /// A worker that ends when a gate opens, and does not heed its cancellation.
  private func deaf(_ gate: Gate, _ answers: Box<[Reconciliation]> = Box([])) -> Worker {
    shop.worker(
      reconcile: { _, _ in
        answers.change { $0.append(.applied) }
        return .applied
      },
      { _, _ in await gate.pass() })
  }

  @Test func `a worker that never ends is given up on when the app is suspended`() async throws {
    let (gate, asked) = (Gate(), Box<[Reconciliation]>([]))
    let outbox = try await shop.open(deaf(gate, asked))
    let id = try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "started")
    #expect(try await outbox.explain(id)?.obstacles == [.running])
    async let end: Void = outbox.suspend(within: .seconds(4))
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(4))
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .milliseconds(500))
    await end
    let left = try #require(try await outbox.operation(id))
    #expect(left.state == .ready && left.effect == .sentUnknown && left.attempts == 0)
    // What it says now is not heard, and the other side is asked before anything is sent again.
    gate.open()
    await shop.log.wait(for: "leaseLost")
    #expect(try await outbox.snapshot().pending == 1)
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    #expect(asked.value.count == 1 && shop.log.count("started") == 1)
    await outbox.shutDown()
  }

  @Test func `a worker that never ends does not keep the app from ending`() async throws {
    let gate = Gate()
    let first = try await shop.open(deaf(gate))
    let id = try await first.enqueue(Note(text: "a"))
    await shop.log.wait(for: "started")
    async let end: Void = first.shutDown()
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(5))
    await end
    let second = try await shop.open(deaf(gate))
    await second.wait { $0.pending == 0 }
    #expect(try await second.handle(id, for: Note.self).status().isDone)
    gate.open()
    await second.shutDown()
  }

  @Test func `a payload of 100 MB is refused with its size, or kept where that is allowed`()
    async throws
  {
    var shop = shop
    let text = String(repeating: "x", count: 100_000_000)
    let small = try await shop.open(shop.worker { _, _ in })
    let error = await #expect(throws: OutboxError.self) {
      try await small.enqueue(Note(text: text))
    }
    #expect(error?.code == .tooLarge && error?.details.contains("100000011 of") == true)
    await small.shutDown()
    shop.configuration.maximumPayloadBytes = 200_000_000
    let seen = Box(0)
    let large = try await shop.open(shop.worker { note, _ in seen.value = note.text.utf8.count })
    try await large.enqueue(Note(text: text))
    await large.wait { $0.pending == 0 }
    #expect(seen.value == text.utf8.count)
    await large.shutDown()
  }

  @Test func `keys are any text, and equal only where their bytes are`() async throws {
    var shop = shop
    shop.configuration.startsPaused = true
    let outbox = try await shop.open(shop.worker { _, _ in })
    let keys = [
      "", " ", "\0", "a\0", "a\0b", "e\u{301}", "\u{e9}", "'; DROP TABLE mainstay_op; --",
      "\u{feff}",
      "\u{10ffff}", String(repeating: "k", count: 100_000), "%", "_", "NULL", "1", "1.0",
    ]
    for key in keys {
      try await outbox.enqueue(Note(text: "first"), orderedBy: key)
      try await outbox.enqueue(Note(text: "second"), orderedBy: key)
    }
    let snapshot = try await outbox.snapshot()
    #expect(snapshot.ready == keys.count && snapshot.blocked == keys.count)
    for key in keys {
      let found = try await outbox.operations(orderedBy: key)
      #expect(found.map(\.orderingKey?.utf8.count) == [key.utf8.count, key.utf8.count])
    }
    await outbox.shutDown()
  }

  @Test func `a crowd behind one key waits for its turn, one after the other`() async throws {
    var shop = shop
    shop.configuration.maximumPending = nil
    let gate = Gate()
    let done = Box(0)
    let outbox = try await shop.open(
      shop.worker { _, _ in
        if done.change({
          $0 += 1; return $0
        }) > 3 {
          await gate.pass()
        }
      })
    await outbox.pause()
    let count = RandomDose.isTorture ? 1_000_000 : 20_000
    let notes = Array(repeating: Note(text: "n"), count: 1_000)
    var last: OperationID?
    for _ in 0..<count / 1_000 {
      last = try await outbox.enqueue(contentsOf: notes) { _ in
        EnqueueOptions(orderedBy: "k")
      }.last
    }
    await outbox.resume()
    await outbox.wait { $0.pending == count - 3 && $0.running == 1 }
    let snapshot = try await outbox.snapshot()
    #expect(snapshot.blocked == count - 4 && snapshot.ready == 0)
    let newest = try #require(last)
    let explanation = try #require(try await outbox.explain(newest))
    guard case .follows = explanation.obstacles.first else {
      Issue.record("\(explanation.obstacles)")
      return
    }
    gate.open()
    await outbox.pause()
    await outbox.shutDown()
  }

  @Test func `a clock that jumps a year ahead runs what waits, and expires what was to expire`()
    async throws
  {
    var shop = shop
    shop.configuration.startsPaused = true
    let done = Box<[String]>([])
    let worker = shop.worker { note, _ in done.change { $0.append(note.text) } }
    let first = try await shop.open(worker)
    try await first.enqueue(
      Note(text: "later"), options: EnqueueOptions(delay: .seconds(86_400)))
    try await first.enqueue(
      Note(text: "short"), options: EnqueueOptions(timeToLive: .seconds(86_400)))
    try await first.enqueue(Note(text: "plain"))
    await first.shutDown()
    shop.day.advance(by: .seconds(365 * 86_400))
    let second = try await shop.open(worker)
    await second.resume()
    await second.wait { $0.pending == 0 }
    #expect(done.value.sorted() == ["later", "plain"])
    #expect(try await second.ledger().count(.expired) == 1)
    // And back again: nothing waits for the year that has not come.
    shop.day.advance(by: .seconds(-365 * 86_400))
    try await second.enqueue(Note(text: "back"))
    await second.wait { $0.pending == 0 }
    #expect(try await second.ledger().isBalanced)
    await second.shutDown()
  }
}

extension OperationHandle.Status {
  fileprivate var isDone: Bool {
    if case .ended(.done, _, _) = self { return true }
    return false
  }
}
