// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// A change of a note, of which the later one counts.
private struct Edit: CoalescingOperation, Equatable {
  static let kind: OperationKind = "edit"
  var text: String

  func coalesced(with later: Edit) -> Coalesced<Edit> { .replace(by: later) }
}

/// Something that a worker does in several steps, and something that was broken off.
@Suite(.requirement("C14", "O22"), .ends(withinMinutes: 5)) struct OutboxStepsTests {
  private let shop: Workshop

  init() throws { shop = try Workshop() }

  private var worker: Worker {
    Worker(for: Edit.self, backoff: .constant(.seconds(1), jitter: .none)) { _, context in
      // The first step is done, and the network is gone before the second one.
      try await context.checkpoint("uploaded")
      throw AppError.test(.transient(), kind: .offline)
    }
  }

  @Test func `what was done in part is not put together with what comes after it`() async throws {
    let outbox = try await shop.open(worker)
    let first = try await outbox.enqueue(Edit(text: "a"), orderedBy: "note")
    await outbox.wait { $0.scheduled == 1 }
    let second = try await outbox.enqueue(Edit(text: "b"), orderedBy: "note")
    #expect(first != second, "it goes on where it stopped, under its own key")
    let operation = try #require(try await outbox.operation(first))
    #expect(operation.effect == .sentUnknown && operation.checkpoint != nil)
    #expect(operation.attempts == 0, "a time without a network uses up no attempt")
    await outbox.shutDown()
  }

  @Test func `nobody says that nothing was sent of what was done in part`() async throws {
    let outbox = try await shop.open(worker)
    let id = try await outbox.enqueue(Edit(text: "a"))
    await outbox.wait { $0.scheduled == 1 }
    #expect(try await outbox.cancel(id) == .mayHaveHappened)
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test(arguments: [(true, EffectCertainty.sentUnknown), (false, .notSent)])
  func `a change that was made in a run counts, though its worker has noted nothing`(
    isMade: Bool, effect: EffectCertainty
  ) async throws {
    let outbox = try await shop.open(
      Worker(for: Edit.self, backoff: .constant(.seconds(1), jitter: .none)) { _, _ in
        if isMade { NetworkUse.begun() }
        throw AppError.test(.transient(), kind: .offline)
      })
    let id = try await outbox.enqueue(Edit(text: "a"), orderedBy: "note")
    await outbox.wait { $0.scheduled == 1 }
    #expect(try await outbox.operation(id)?.effect == effect)
    #expect(try await outbox.operation(id)?.attempts == 0)
    await outbox.shutDown()
  }

  @Test func `an error of its own for a cancelled run costs nothing, however often`() async throws {
    struct UploadFailed: Error {}
    let begun = (0..<5).map { _ in Gate() }
    let runs = Box(0)
    let outbox = try await shop.open(
      shop.worker { _, _ in
        let run = runs.change { runs in
          defer { runs += 1 }
          return runs
        }
        begun[run].open()
        do { try await untilCancelled() } catch { throw UploadFailed() }
      })
    let id = try await outbox.enqueue(Note(text: "a"))
    for run in 0..<4 {
      await begun[run].pass()
      await outbox.suspend(within: .zero)
      await outbox.resume()
    }
    await begun[4].pass()
    let operation = try #require(try await outbox.operation(id))
    #expect(operation.attempts == 0 && operation.failure == nil)
    #expect(operation.effect == .sentUnknown)
    await outbox.shutDown()
  }
}
