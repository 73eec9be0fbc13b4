// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What an answer of the other side becomes, row by row, through a worker and an outbox.
@Suite(.requirement("O14", "O17"), .ends(withinMinutes: 5)) struct OutboxContractTests {
  enum Ending: String, Sendable {
    case done, scheduled, lanePaused, laneThrottled, conflicted, refused, keyReused, reconciles
    case doubtful
  }

  struct Line: Sendable, CustomTestStringConvertible {
    let answer: String
    let error: AppError?
    let ending: Ending
    var attempts = 0
    /// What the other side has, where the worker says so.
    var document: Data?

    var testDescription: String { "\(answer) → \(ending)" }
  }

  static let lines: [Line] =
    [
      Line(answer: "2xx with the expected content type", error: nil, ending: .done),
      Line(answer: "404 on DELETE, for which the worker returns", error: nil, ending: .done),
      Line(
        answer: "2xx with HTML", error: .test(.transient(), kind: .portal), ending: .scheduled),
      Line(answer: "3xx of a portal", error: .portal(), ending: .scheduled),
      Line(answer: "401", error: .http(status: 401), ending: .lanePaused),
      Line(
        answer: "409 in progress",
        error: .http(
          status: 409, retryAfter: .seconds(2),
          problemType: "https://example.com/idempotency-in-progress"),
        ending: .scheduled, attempts: 1),
      Line(
        answer: "409 in progress of MainstayServer",
        error: .http(
          status: 409, retryAfter: .seconds(1),
          problemType: "urn:problem:server.idempotency-running"),
        ending: .scheduled, attempts: 1),
      Line(
        answer: "409 with the other side's version", error: .http(status: 409),
        ending: .conflicted, document: Data("theirs".utf8)),
      Line(
        answer: "412 with the other side's version", error: .http(status: 412),
        ending: .conflicted, document: Data("theirs".utf8)),
      Line(
        answer: "a permanent conflict with the other side's version",
        error: .test(.permanent, kind: .conflict), ending: .conflicted,
        document: Data("theirs".utf8)),
      Line(
        answer: "a permanent conflict", error: .test(.permanent, kind: .conflict),
        ending: .refused),
      Line(
        answer: "429", error: .http(status: 429, retryAfter: .seconds(9)),
        ending: .laneThrottled),
      Line(
        answer: "422 on a reused key",
        error: .http(status: 422, problemType: "https://example.com/idempotency-key-reused"),
        ending: .keyReused),
      Line(
        answer: "422 on a reused key of MainstayServer",
        error: .http(
          status: 422, problemType: "urn:problem:server.idempotency-key-reused"),
        ending: .keyReused),
      Line(
        answer: "no answer before the bytes left", error: .test(.transient(), kind: .network),
        ending: .scheduled),
      Line(
        answer: "no answer after the bytes left", error: .test(.unknownOutcome, kind: .timeout),
        ending: .reconciles, attempts: 1),
    ]
    + [301, 302, 303].map {
      Line(
        answer: "\($0), which sends the change elsewhere",
        error: .http(status: $0, isRepeatable: true),
        ending: .doubtful)
    }
    + [300, 304, 305, 307, 308, 399].map {
      Line(
        answer: "\($0), which nobody followed", error: .http(status: $0, isRepeatable: true),
        ending: .refused)
    }
    + [408, 425, 500, 502, 503, 504].map {
      Line(
        answer: "\($0)", error: .http(status: $0, isRepeatable: true), ending: .scheduled,
        attempts: 1)
    }
    + [400, 403, 404, 405, 409, 410, 412, 413, 414, 422, 451, 501, 505].map {
      Line(answer: "\($0)", error: .http(status: $0, isRepeatable: true), ending: .refused)
    }

  @Test(arguments: lines) func `each answer has its ending`(line: Line) async throws {
    let shop = try Workshop()
    let store = InMemoryStore(now: { shop.day.now })
    let runs = Box(0)
    let outbox = try await Outbox(
      store: store, configuration: shop.configuration, clock: shop.clock
    ) {
      shop.worker(reconcile: { _, _ in .applied }) { _, _ in
        runs.change { $0 += 1 }
        guard let error = line.error else { return }
        guard let document = line.document else { throw error }
        throw RemoteConflict(remote: document, error: error)
      }
    }
    try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: line.ending == .done ? "succeeded" : Self.event(line.ending))
    let operation = try await outbox.operations().first
    if operation != nil { #expect(operation?.attempts == line.attempts) }
    #expect(try await Self.ending(of: outbox, operation) == line.ending)
    if line.ending == .reconciles {
      shop.day.advance(by: .seconds(1))
      shop.clock.advance(by: .seconds(1))
      await outbox.wait { $0.pending == 0 }
    }
    #expect(runs.value == 1)
    await outbox.shutDown()
  }

  private static func event(_ ending: Ending) -> String {
    [.refused, .keyReused, .doubtful].contains(ending) ? "gaveUp" : "failed"
  }

  private static func ending(
    of outbox: Outbox, _ operation: StoredOperation?
  ) async throws -> Ending {
    if let letter = try await outbox.deadLetters().first {
      switch letter.reason {
      case .keyReused: return .keyReused
      case .outcomeUnknown: return .doubtful
      default: return .refused
      }
    }
    guard let operation else { return .done }
    switch operation.state {
    case .conflicted: return .conflicted
    case .ready: return operation.failure?.code == "http.401" ? .lanePaused : .laneThrottled
    default: return operation.effect == .sentUnknown ? .reconciles : .scheduled
    }
  }
}
