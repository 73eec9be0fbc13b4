// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Mainstay
import MainstayHTTP
import MainstayOutbox
import MainstayOutboxTesting
import MainstayServer
import NIOCore
import TestSupport
import Testing

/// What a service says of keys, as Mainstay's own client and outbox understand it.
@Suite(.ends(withinMinutes: 2)) struct IdempotencyClientTests {
  private static let types = ["urn:problem:", "https://shop.example/problems/"]

  private let arrived = Countdown(1)
  private let gate = Countdown(1)

  private func application(_ types: String, maximumAnswer: Int = 1000) -> some ApplicationProtocol {
    var options = IdempotencyOptions()
    options.maximumAnswer = maximumAnswer
    let router = Router()
    router.add(middleware: ProblemMiddleware(ProblemAnswers(types: types)))
    router.add(
      middleware: IdempotencyMiddleware(InMemoryIdempotencyStore(), options: options) { _, _ in
        "Anna"
      })
    router.post("orders") { [arrived, gate] _, _ -> String in
      arrived.count()
      await gate.passed()
      return "done"
    }
    return Application(router: router)
  }

  private func post(
    _ body: String, over client: any TestClientProtocol
  ) async throws -> TestResponse {
    try await client.execute(
      uri: "/orders", method: .post, headers: [.idempotencyKey: "k1"],
      body: ByteBuffer(string: body))
  }

  /// What the client makes of an answer.
  private func error(of response: TestResponse) -> AppError {
    let headers = response.headers.map { ($0.name.rawName, $0.value) }
    return MainstayHTTP.HTTPError(
      status: response.status.code, method: "POST", url: "https://shop.example/orders",
      headers: Dictionary(headers) { $1 }, body: Data(response.body.readableBytesView),
      hasIdempotencyKey: true
    ).appError
  }

  /// What the outbox does with an operation whose first run got no answer.
  private func verdict(on error: AppError) -> OperationVerdict {
    var machine = OperationStateMachine(
      attempts: 1, unreachable: 0, effect: .sentUnknown, rules: OperationStateMachine.Rules())
    return machine.failed(error, fraction: 0)
  }

  @Test(arguments: types) func `who repeats what still runs comes back after the wait`(
    _ types: String
  ) async throws {
    try await application(types).test(.router) { client in
      let first = await started { try await post("{}", over: client) }
      await arrived.reached()
      let second = try await post("{}", over: client)
      #expect(second.status == .conflict)
      #expect(second.headers[.retryAfter] == "1")
      let error = error(of: second)
      #expect(error.disposition == .transient(retryAfter: .seconds(1)))
      let verdict = verdict(on: error)
      guard case .scheduled(let wait) = verdict.next else {
        Issue.record("it is neither a conflict nor given up: \(verdict.next)")
        return
      }
      #expect(wait >= .seconds(1))
      #expect(verdict.effect == .sentUnknown)
      gate.count()
      #expect(try await first.value.status == .ok)
    }
  }

  @Test(arguments: types) func `a key of another request is given up as that`(
    _ types: String
  ) async throws {
    gate.count()
    try await application(types).test(.router) { client in
      _ = try await post("{}", over: client)
      let other = try await post("{ }", over: client)
      #expect(other.status.code == 422)
      let error = error(of: other)
      #expect(error.disposition == .permanent)
      #expect(verdict(on: error).next == .dead(.keyReused, followers: .holdKey))
    }
  }

  @Test(arguments: types) func `what was done and has lost its answer is asked about`(
    _ types: String
  ) async throws {
    gate.count()
    try await application(types, maximumAnswer: 3).test(.router) { client in
      _ = try await post("{}", over: client)
      let again = try await post("{}", over: client)
      #expect(again.status == .conflict)
      #expect(again.headers[.retryAfter] == nil)
      let error = error(of: again)
      #expect(error.disposition == .unknownOutcome)
      let verdict = verdict(on: error)
      guard case .scheduled = verdict.next else {
        Issue.record("it is neither a conflict nor given up: \(verdict.next)")
        return
      }
      #expect(verdict.effect == .sentUnknown)
    }
  }

  private struct Order: QueuedOperation {
    static let kind: OperationKind = "order"
    var book: String
  }

  /// A store whose first answer is lost: it has what it was handed, and its caller does not know.
  private final class Unsure: ForwardingStore {
    let inner = InMemoryStore()
    private let isSure = Locked(false)

    var store: any OutboxStore { inner }

    func insert(_ operation: NewOperation) async throws -> OperationID {
      let id = try await inner.insert(operation)
      let wasSure = isSure.withLock { isSure in
        defer { isSure = true }
        return isSure
      }
      guard wasSure else { throw OutboxError(.unavailable, details: "the connection is gone") }
      return id
    }
  }

  @Test func `a repetition of what may have been enqueued enqueues nothing more`() async throws {
    let outbox = try await Outbox(store: Unsure()) { Worker(for: Order.self) { _, _ in } }
    await outbox.pause()
    let router = Router()
    router.add(middleware: ProblemMiddleware())
    router.add(middleware: IdempotencyMiddleware(InMemoryIdempotencyStore()) { _, _ in "Anna" })
    router.post("orders") { _, _ in
      let options = EnqueueOptions(idempotencyKey: .current)
      try await outbox.enqueue(Order(book: "Emma"), options: options)
      return HTTPResponse.Status.accepted
    }
    try await Application(router: router).test(.router) { client in
      let (first, second) = (
        try await post("{}", over: client), try await post("{}", over: client)
      )
      #expect(first.status.code >= 500)
      #expect(second.status == .accepted)
    }
    let snapshot = try await outbox.snapshot()
    #expect(snapshot.pending == 1)
    await outbox.shutDown()
  }
}
