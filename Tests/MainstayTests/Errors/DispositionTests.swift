// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

private let hint = Duration.seconds(7)

/// The table of the design, written out again: one line per disposition, one column per reader.
private struct Row: Sendable, CustomTestStringConvertible {
  let disposition: Disposition
  let retry: Disposition.RetryRule
  let breaker: Disposition.BreakerVerdict
  let budget: Disposition.BudgetCharge
  let outbox: Disposition.OutboxRule
  let span: Disposition.SpanStatus

  var testDescription: String { disposition.description }

  init(
    _ disposition: Disposition, _ retry: Disposition.RetryRule,
    _ breaker: Disposition.BreakerVerdict, _ budget: Disposition.BudgetCharge,
    _ outbox: Disposition.OutboxRule, _ span: Disposition.SpanStatus
  ) {
    self.disposition = disposition
    self.retry = retry
    self.breaker = breaker
    self.budget = budget
    self.outbox = outbox
    self.span = span
  }

  static let table: [Row] = [
    Row(
      .transient(retryAfter: hint), .afterBackoff(hint: hint), .failure, .spends,
      .backoff(hint: hint), .error),
    Row(
      .throttled(retryAfter: hint), .afterHint(hint), .cooldown(hint), .spends,
      .laneWaits(hint), .error),
    Row(.permanent, .never, .success, .nothing, .deadLetter, .error),
    Row(.needsUser, .never, .success, .nothing, .lanePaused, .error),
    Row(.unknownOutcome, .onlyWithIdempotencyKey, .failure, .spends, .reconcile, .error),
    Row(.cancelled, .never, .neutral, .nothing, .released, .ok),
    Row(
      .rejected(retryAfter: hint), .onlyIfFitsDeadline(hint), .neutral, .nothing,
      .waits(hint), .ok),
    Row(.unclassified, .never, .failure, .nothing, .limitedAttempts(3), .error),
  ]
}

@Suite struct DispositionTests {
  @Test(arguments: Row.table)
  private func `the retry column holds`(_ row: Row) {
    #expect(row.disposition.retry == row.retry)
  }

  @Test(arguments: Row.table)
  private func `the breaker column holds`(_ row: Row) {
    #expect(row.disposition.breaker == row.breaker)
  }

  @Test(arguments: Row.table)
  private func `the budget column holds`(_ row: Row) {
    #expect(row.disposition.budget == row.budget)
  }

  @Test(arguments: Row.table)
  private func `the outbox column holds`(_ row: Row) {
    #expect(row.disposition.outbox == row.outbox)
  }

  @Test(arguments: Row.table)
  private func `the span column holds`(_ row: Row) {
    #expect(row.disposition.span == row.span)
  }

  @Test func `the table names every disposition once`() {
    #expect(Set(Row.table.map(\.disposition.description)).count == 8)
  }

  @Test(arguments: [
    Disposition.transient(retryAfter: .seconds(-1)), .throttled(retryAfter: .nanoseconds(-1)),
    .rejected(retryAfter: .seconds(Int64.min / 2)),
  ])
  func `a negative wait counts as not said`(_ disposition: Disposition) {
    #expect(disposition.retryAfter == nil)
  }

  @Test func `a wait beyond a year is cut to a year in every column`() {
    let disposition = Disposition.transient(retryAfter: .seconds(Int64.max))
    let year = Duration.seconds(365 * 86_400)
    #expect(disposition.retryAfter == year)
    #expect(disposition.retry == .afterBackoff(hint: year))
    #expect(disposition.outbox == .backoff(hint: year))
    #expect(Disposition.throttled(retryAfter: .seconds(Int64.max)).breaker == .cooldown(year))
  }

  @Test func `no wait at all is a wait that was said`() {
    #expect(Disposition.throttled(retryAfter: .zero).retryAfter == .zero)
  }

  @Test(arguments: Row.table.map(\.disposition) + [.transient(), .throttled(), .rejected()])
  func `comes back from JSON as it went in`(_ disposition: Disposition) throws {
    #expect(try throughJSON(disposition) == disposition)
  }

  @Test func `one that this build does not know promises nothing`() throws {
    #expect(try decode(Disposition.self, #"{"name": "healing", "retryAfter": 3}"#) == .unclassified)
  }

  @Test(arguments: [
    (#"{"name": "transient", "retryAfter": -1}"#, Disposition.transient()),
    (#"{"name": "transient", "retryAfter": 0}"#, .transient(retryAfter: .zero)),
    (#"{"name": "throttled", "retryAfter": 1e300}"#, .throttled(retryAfter: .seconds(31_536_000))),
    (#"{"name": "permanent", "retryAfter": 3}"#, .permanent),
  ])
  func `a stored wait is clamped`(_ json: String, _ expected: Disposition) throws {
    #expect(try decode(Disposition.self, json) == expected)
  }

  @Test(arguments: ["{}", "[]", "3", #"{"name": 3}"#, #"{"name": "transient", "retryAfter": "x"}"#])
  func `nonsense is a decoding error`(_ json: String) {
    #expect(throws: DecodingError.self) { try decode(Disposition.self, json) }
  }
}
