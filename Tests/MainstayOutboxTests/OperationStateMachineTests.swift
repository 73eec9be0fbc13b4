// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// The column "outbox" of the table of dispositions, cell by cell.
@Suite(.requirement("C13")) struct OperationStateMachineTests {
  static func machine(
    attempts: Int = 0, unreachable: Int = 0, effect: EffectCertainty = .notSent,
    maximumAttempts: Int = 25, followers: Worker.AfterDeadLetter = .holdKey
  ) -> OperationStateMachine {
    var rules = OperationStateMachine.Rules()
    rules.maximumAttempts = maximumAttempts
    rules.backoff = .exponential(from: .seconds(1), to: .seconds(60), jitter: .none)
    rules.followers = followers
    return OperationStateMachine(
      attempts: attempts, unreachable: unreachable, effect: effect, rules: rules)
  }

  private static func error(
    _ disposition: Disposition, kind: ErrorKind = .server
  ) -> AppError {
    AppError(
      code: "test.error", kind: kind, disposition: disposition, title: "It failed",
      message: "The test says so.")
  }

  struct Cell: Sendable, CustomTestStringConvertible {
    let disposition: Disposition
    var kind = ErrorKind.server
    var isRunCancelled = false
    let next: OperationVerdict.Next
    var attempts = 0
    var unreachable = 0
    var effect = EffectCertainty.notSent
    var closesLane: LaneClosure?

    var testDescription: String {
      "\(disposition), \(kind)" + (isRunCancelled ? ", and the run was cancelled" : "")
    }
  }

  static let cells = [
    Cell(disposition: .transient(), next: .scheduled(after: .seconds(1)), attempts: 1),
    Cell(
      disposition: .transient(retryAfter: .seconds(30)), next: .scheduled(after: .seconds(30)),
      attempts: 1),
    Cell(
      disposition: .transient(retryAfter: .milliseconds(1)), next: .scheduled(after: .seconds(1)),
      attempts: 1),
    Cell(
      disposition: .transient(), kind: .offline, next: .scheduled(after: .seconds(1)),
      unreachable: 1),
    Cell(
      disposition: .transient(), kind: .network, next: .scheduled(after: .seconds(1)),
      unreachable: 1),
    Cell(
      disposition: .transient(), kind: .portal, next: .scheduled(after: .seconds(1)),
      unreachable: 1),
    Cell(
      disposition: .throttled(retryAfter: .seconds(7)), next: .ready, effect: .refused,
      closesLane: LaneClosure(.throttled, for: .seconds(7))),
    Cell(
      disposition: .throttled(), next: .ready, effect: .refused,
      closesLane: LaneClosure(.throttled, for: .seconds(5))),
    // It counts no attempt, so "at once" would go on for ever.
    Cell(
      disposition: .throttled(retryAfter: .zero), next: .ready, effect: .refused,
      closesLane: LaneClosure(.throttled, for: .milliseconds(1500))),
    Cell(
      disposition: .throttled(retryAfter: .seconds(1)), next: .ready, effect: .refused,
      closesLane: LaneClosure(.throttled, for: .seconds(1))),
    Cell(
      disposition: .permanent, next: .dead(.refused, followers: .holdKey), effect: .refused),
    Cell(
      disposition: .needsUser, next: .ready, effect: .refused,
      closesLane: LaneClosure(.needsUser)),
    Cell(
      disposition: .needsUser, kind: .conflict, next: .conflicted(remote: Data([7])),
      effect: .refused),
    Cell(
      disposition: .permanent, kind: .conflict, next: .conflicted(remote: Data([7])),
      effect: .refused),
    Cell(
      disposition: .transient(), kind: .conflict, next: .scheduled(after: .seconds(1)),
      attempts: 1),
    Cell(
      disposition: .unknownOutcome, next: .scheduled(after: .seconds(1)), attempts: 1,
      effect: .sentUnknown),
    Cell(disposition: .cancelled, isRunCancelled: true, next: .ready, effect: .sentUnknown),
    Cell(
      disposition: .cancelled, next: .scheduled(after: .seconds(1)), attempts: 1,
      effect: .sentUnknown),
    Cell(disposition: .rejected(retryAfter: .seconds(9)), next: .waiting(after: .seconds(9))),
    Cell(
      disposition: .rejected(retryAfter: .zero), next: .waiting(after: .milliseconds(1500))),
    Cell(
      disposition: .rejected(retryAfter: .milliseconds(9)),
      next: .waiting(after: .milliseconds(9))),
    Cell(disposition: .rejected(), next: .waiting(after: .seconds(1))),
    Cell(
      disposition: .unclassified, next: .scheduled(after: .seconds(1)), attempts: 1,
      effect: .sentUnknown),
  ]

  @Test(.requirement("O17"), arguments: cells)
  func `each disposition has its next state`(cell: Cell) {
    var machine = Self.machine()
    let verdict = machine.failed(
      Self.error(cell.disposition, kind: cell.kind), remote: Data([7]),
      isResolvable: true, isRunCancelled: cell.isRunCancelled, fraction: 0.5)
    #expect(verdict.next == cell.next)
    #expect(verdict.attempts == cell.attempts)
    #expect(verdict.unreachable == cell.unreachable)
    #expect(verdict.effect == cell.effect)
    #expect(verdict.closesLane == cell.closesLane)
    #expect((verdict.failure == nil) == cell.isRunCancelled)
  }

  @Test func `success ends it`() {
    let verdict = Self.machine(attempts: 3).succeeded()
    #expect(verdict.next == .done && verdict.effect == .applied)
    #expect(Self.machine().cancelled().next == .cancelled)
  }

  @Test(.requirement("T5", "T7")) func `three attempts are at most three runs`() {
    var machine = Self.machine(maximumAttempts: 3)
    var nexts: [OperationVerdict.Next] = []
    for _ in 0..<3 { nexts.append(machine.failed(Self.error(.transient()), fraction: 0).next) }
    #expect(
      nexts == [
        .scheduled(after: .seconds(1)), .scheduled(after: .seconds(2)),
        .dead(.attemptsUsedUp, followers: .holdKey),
      ])
  }

  @Test func `one attempt is one run`() {
    var machine = Self.machine(maximumAttempts: 1, followers: .goOn)
    let verdict = machine.failed(Self.error(.transient()), fraction: 0)
    #expect(verdict.next == .dead(.attemptsUsedUp, followers: .goOn))
  }

  @Test func `an unclassified error is given up after three attempts`() {
    var machine = Self.machine()
    _ = machine.failed(Self.error(.unclassified), fraction: 0)
    _ = machine.failed(Self.error(.unclassified), fraction: 0)
    let verdict = machine.failed(Self.error(.unclassified), fraction: 0)
    #expect(verdict.next == .dead(.unclassified, followers: .holdKey))
  }

  @Test(.requirement("O12")) func `days without a network use up no attempt`() {
    var machine = Self.machine(maximumAttempts: 2)
    for _ in 0..<10_000 {
      let verdict = machine.failed(Self.error(.transient(), kind: .offline), fraction: 0)
      guard case .scheduled(let delay) = verdict.next else {
        Issue.record("given up as \(verdict.next)")
        return
      }
      #expect(delay <= .seconds(60))
    }
    #expect(machine.attempts == 0)
    let answered = machine.failed(Self.error(.transient()), fraction: 0)
    #expect(answered.next == .scheduled(after: .seconds(1)))
    #expect(answered.unreachable == 0)
  }

  @Test(.requirement("T8")) func `counts and hints at the limit do not trap`() {
    var machine = Self.machine(attempts: .max, unreachable: .max, maximumAttempts: .max)
    #expect(
      machine.failed(Self.error(.transient(), kind: .offline), fraction: .nan).next
        == .scheduled(after: .seconds(60)))
    var other = Self.machine()
    let hint = Duration.seconds(Int64.max)
    #expect(
      other.failed(Self.error(.transient(retryAfter: hint)), fraction: 2).next
        == .scheduled(after: .seconds(365 * 86_400)))
  }

  @Test(.requirement("O22")) func `an unknown outcome is asked about before it is sent again`() {
    var machine = Self.machine(effect: .sentUnknown)
    #expect(machine.mustReconcile)
    let applied = machine.reconciled(.applied, fraction: 0)
    #expect(applied?.next == .done)
    machine = Self.machine(effect: .sentUnknown)
    let notApplied = machine.reconciled(.notApplied, fraction: 0)
    #expect(notApplied == nil)
    #expect(!machine.mustReconcile && machine.effect == .refused)
    machine = Self.machine(effect: .sentUnknown)
    let unknown = machine.reconciled(.unknown, fraction: 0)
    #expect(unknown?.next == .scheduled(after: .seconds(1)))
    #expect(unknown?.effect == .sentUnknown)
  }

  struct Unanswered: Sendable {
    let disposition: Disposition
    let sent: String?
    let effect: EffectCertainty
  }

  @Test(
    .requirement("O22"),
    arguments: [
      Unanswered(disposition: .transient(), sent: "maybe", effect: .sentUnknown),
      Unanswered(disposition: .transient(), sent: "no", effect: .notSent),
      Unanswered(disposition: .transient(), sent: nil, effect: .notSent),
      Unanswered(disposition: .throttled(), sent: "maybe", effect: .sentUnknown),
      Unanswered(disposition: .throttled(), sent: "no", effect: .notSent),
      Unanswered(disposition: .permanent, sent: "maybe", effect: .sentUnknown),
      Unanswered(disposition: .permanent, sent: nil, effect: .refused),
    ])
  func `what may have been sent and was not answered is unknown, whatever is done about it`(
    row: Unanswered
  ) {
    let (disposition, sent, effect) = (row.disposition, row.sent, row.effect)
    let error = Self.error(disposition, kind: .network)
      .adding(metadata: sent.map { ["http.sent": $0] } ?? [:])
    var machine = Self.machine()
    let verdict = machine.failed(error, fraction: 0)
    #expect(verdict.effect == effect && machine.mustReconcile == (effect == .sentUnknown))
    var plain = Self.machine()
    let known = plain.failed(Self.error(disposition, kind: .network), fraction: 0).next
    // What is given up says that nobody knows, and not that it was refused.
    let isDoubtful = disposition == .permanent && sent == "maybe"
    #expect(
      verdict.next == (isDoubtful ? .dead(.outcomeUnknown, followers: .holdKey) : known))
    // An answer leaves nothing in doubt, and what was unknown before stays so.
    var answered = Self.machine()
    #expect(answered.failed(.http(status: 503, isRepeatable: true), fraction: 0).effect == .refused)
    var unknown = Self.machine(effect: .sentUnknown)
    #expect(unknown.failed(error, fraction: 0).effect == .sentUnknown)
  }

  @Test(.requirement("O22"))
  func `a refusal does not hide that an earlier run may have had its effect`() {
    let refusal = AppError.http(status: 403)
    var doubtful = Self.machine(attempts: 1, effect: .sentUnknown)
    let verdict = doubtful.failed(refusal, fraction: 0)
    #expect(verdict.next == .dead(.outcomeUnknown, followers: .holdKey))
    #expect(verdict.effect == .sentUnknown)
    // Once the other side has said that nothing was done, a refusal is one.
    _ = doubtful.reconciled(.notApplied, fraction: 0)
    let known = doubtful.failed(refusal, fraction: 0)
    #expect(known.next == .dead(.refused, followers: .holdKey) && known.effect == .refused)
  }

  @Test(.requirement("O22")) func `a time limit leaves it unknown, unless nothing was sent`() {
    for (sent, effect) in [(nil, .sentUnknown), ("no", .notSent)]
      as [(String?, EffectCertainty)]
    {
      var machine = Self.machine()
      let error = Self.error(.transient(), kind: .timeout)
        .adding(metadata: sent.map { ["http.sent": $0] } ?? [:])
      #expect(machine.failed(error, fraction: 0).effect == effect)
    }
    var answered = Self.machine()
    let error = AppError.http(status: 408)
    #expect(answered.failed(error, fraction: 0).effect == .refused)
  }

  @Test func `an outcome that stays unknown ends as a dead letter that says so`() {
    var machine = Self.machine(attempts: 24, effect: .sentUnknown)
    let verdict = machine.reconciled(.unknown, fraction: 0)
    #expect(verdict?.next == .dead(.outcomeUnknown, followers: .holdKey))
    #expect(verdict?.effect == .sentUnknown)
  }

  @Test(arguments: [
    (Disposition.transient(), OperationVerdict.Next.scheduled(after: .seconds(1))),
    (.throttled(retryAfter: .seconds(2)), .ready), (.needsUser, .ready),
    (.cancelled, .scheduled(after: .seconds(1))),
    (.permanent, .dead(.outcomeUnknown, followers: .holdKey)),
    (.rejected(), .waiting(after: .seconds(1))),
    (.unclassified, .scheduled(after: .seconds(1))),
  ])
  func `a failure to ask leaves the outcome unknown`(
    disposition: Disposition, next: OperationVerdict.Next
  ) {
    var machine = Self.machine(effect: .sentUnknown)
    let verdict = machine.reconcilingFailed(Self.error(disposition), fraction: 0)
    #expect(verdict.next == next)
    #expect(verdict.effect == .sentUnknown)
  }

  @Test func `a key that was reused is told from other refusals`() {
    var machine = Self.machine()
    let problems = "https://example.com/problems/"
    for type in [
      problems + "idempotency-key-reused", "urn:problem:server.idempotency-key-reused",
      problems + "idempotency",
    ] {
      let next = machine.failed(.http(status: 422, problemType: type), fraction: 0).next
      #expect(next == .dead(.keyReused, followers: .holdKey), "\(type)")
    }
    let other = AppError.http(status: 422, problemType: "https://example.com/problems/barcode")
    #expect(machine.failed(other, fraction: 0).next == .dead(.refused, followers: .holdKey))
  }

  @Test func `a run that had not begun leaves nothing in doubt`() {
    let verdict = Self.machine(attempts: 2).notBegun()
    #expect(verdict.next == .ready)
    #expect(verdict.effect == .notSent && verdict.isUnbegun)
    #expect(verdict.attempts == 2)
  }

  @Test func `without other rules there are 25 attempts, up to five minutes apart`() {
    let rules = OperationStateMachine.Rules()
    #expect(rules.maximumAttempts == 25 && rules.followers == .holdKey)
    #expect(rules.maximumMerges == 5)
    #expect(rules.backoff == .exponential(from: .seconds(1), to: .seconds(300)))
    #expect(OperationStateMachine.maximumLostRuns == 3)
  }

  @Test func `what cannot be paid for yet is ready, and its lane waits`() {
    let verdict = Self.machine(attempts: 2).heldBack(for: .seconds(9))
    #expect(verdict.next == .ready && verdict.failure == nil && verdict.attempts == 2)
    #expect(verdict.closesLane == LaneClosure(.throttled, for: .seconds(9)))
  }

  @Test func `what no worker can read is parked, with the reason`() {
    var machine = Self.machine()
    let verdict = machine.unreadable(Self.error(.permanent))
    #expect(verdict.next == .parked && verdict.failure != nil && verdict.closesLane == nil)
  }

  @Test(.requirement("O22")) func `what was applied leaves nothing in doubt`() {
    var machine = Self.machine(effect: .sentUnknown)
    let verdict = machine.reconciled(.applied, fraction: 0)
    #expect(verdict?.effect == .applied && !machine.mustReconcile)
  }

  @Test(.requirement("O22")) func `after a failure to ask it is asked again`() {
    for disposition in [Disposition.transient(), .needsUser, .rejected(), .unclassified] {
      var machine = Self.machine(effect: .sentUnknown)
      _ = machine.reconcilingFailed(Self.error(disposition), fraction: 0)
      #expect(machine.mustReconcile, "\(disposition)")
    }
  }

  @Test(.requirement("O22"), arguments: [Disposition.permanent, .needsUser])
  func `a conflict about the question is no conflict of the operation`(disposition: Disposition) {
    var machine = Self.machine(effect: .sentUnknown)
    let verdict = machine.reconcilingFailed(
      Self.error(disposition, kind: .conflict), fraction: 0)
    #expect(verdict.next == .scheduled(after: .seconds(1)) && verdict.attempts == 1)
    #expect(verdict.effect == .sentUnknown && machine.mustReconcile)
  }

  @Test(.requirement("T8")) func `counts at the limit stay there`() {
    var machine = Self.machine(attempts: .max, unreachable: .max, maximumAttempts: .max)
    #expect(machine.failed(Self.error(.transient(), kind: .offline), fraction: 0).attempts == .max)
    #expect(machine.unreachable == .max)
    let last = machine.failed(Self.error(.transient()), fraction: 0)
    #expect(last.next == .dead(.attemptsUsedUp, followers: .holdKey))
    #expect(last.attempts == .max && last.unreachable == 0)
  }

  @Test func `only where it cannot be processed is a problem about the key one`() {
    let type = "https://example.com/problems/idempotency-key-reused"
    for (status, reason) in [(422, DeadLetter.Reason.keyReused), (400, .refused)] {
      var machine = Self.machine()
      let error = AppError.http(status: status, isRepeatable: true, problemType: type)
      let verdict = machine.failed(error, fraction: 0)
      #expect(verdict.next == .dead(reason, followers: .holdKey), "\(status)")
    }
  }

  @Test func `random ends keep the invariants`() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      var machine = Self.machine(maximumAttempts: Int.random(in: 1...5, using: &generator))
      for _ in 0..<20 {
        let cell = Self.cells.randomElement(using: &generator) ?? Self.cells[0]
        let before = machine.attempts
        let verdict = machine.failed(
          Self.error(cell.disposition, kind: cell.kind), isRunCancelled: cell.isRunCancelled,
          fraction: 0.3)
        #expect((before...(before + 1)).contains(verdict.attempts))
        if cell.disposition == .unknownOutcome { #expect(verdict.effect == .sentUnknown) }
        if case .dead = verdict.next { break }
        #expect(verdict.attempts < 5)
      }
    }
  }
}
