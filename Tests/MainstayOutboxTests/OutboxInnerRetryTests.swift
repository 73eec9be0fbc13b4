// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// A worker that tries its call again by itself: what an earlier attempt of the same run may have
/// done is not forgotten for the answer to a later one.
@Suite(.ends(withinMinutes: 5)) struct OutboxInnerRetryTests {
  private let shop: Workshop

  init() throws { shop = try Workshop() }

  /// An app's own word for an answer that will not change.
  private struct SoldOut: AppErrorConvertible {
    var appError: AppError { .test(.permanent, kind: .validation) }
  }

  /// A worker whose own retry meets these errors, one after the other.
  private func worker(_ errors: [any Error]) -> Worker {
    let retry = Retry(maximumAttempts: 2, backoff: .none, budget: .unlimited)
    let left = Box(errors)
    return shop.worker { _, _ in
      try await retry.run { throw left.change { $0.removeFirst() } }
    }
  }

  @Test(
    arguments: [AppError.timeout(), .http(status: 500, isRepeatable: false)],
    [AppError.http(status: 422), SoldOut()] as [any Error])
  func `what is refused after an attempt that nobody answered has an unknown outcome`(
    first: AppError, answer: any Error
  ) async throws {
    let outbox = try await shop.open(worker([first, answer]))
    _ = try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.dead == 1 }
    let letter = try #require(try await outbox.deadLetters().first)
    #expect(letter.reason == .outcomeUnknown)
    #expect(letter.operation.effect == .sentUnknown)
    await outbox.shutDown()
  }

  @Test func `a sign-in that is wanted after such an attempt leaves its outcome unknown`()
    async throws
  {
    let outbox = try await shop.open(worker([AppError.timeout(), AppError.http(status: 401)]))
    let id = try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "failed")
    let operation = try #require(try await outbox.operation(id))
    #expect(operation.effect == .sentUnknown)
    await outbox.shutDown()
  }

  @Test func `what is refused after attempts that were answered, or not sent, is refused`()
    async throws
  {
    let unsent = AppError.offline().adding(metadata: ["http.sent": "no"])
    for first in [unsent, .http(status: 503, isRepeatable: true)] {
      let shop = try Workshop()
      let outbox = try await shop.open(worker([first, AppError.http(status: 422)]))
      _ = try await outbox.enqueue(Note(text: "a"))
      await outbox.wait { $0.dead == 1 }
      let letter = try #require(try await outbox.deadLetters().first)
      #expect(letter.reason == .refused && letter.operation.effect == .refused)
      await outbox.shutDown()
    }
  }
}
