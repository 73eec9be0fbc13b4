// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

extension OperationStateMachineTests {
  @Test(arguments: [503, 429, 422, 401])
  func `an answer does not hide that an earlier attempt of the run may have had its effect`(
    status: Int
  ) {
    var machine = Self.machine()
    let error = AppError.http(status: status, isRepeatable: true).adding(metadata: [
      "http.sent": "maybe"
    ])
    #expect(machine.failed(error, fraction: 0).effect == .sentUnknown)
    #expect(machine.mustReconcile)
    var answered = Self.machine()
    #expect(
      answered.failed(.http(status: status, isRepeatable: true), fraction: 0).effect == .refused)
  }

  @Test(
    arguments: [
      (.transient(), "maybe"), (.rejected(), "maybe"), (.throttled(), "maybe"),
      (.needsUser, "maybe"), (.transient(), "no"), (.rejected(), nil), (.needsUser, "no"),
    ] as [(Disposition, String?)])
  func `what could not be sent again after a service had failed may have had its effect`(
    disposition: Disposition, sent: String?
  ) {
    var machine = Self.machine()
    let error = AppError.test(disposition, kind: .rejected)
      .adding(metadata: sent.map { ["http.sent": $0] } ?? [:])
    let isDoubtful = sent == "maybe"
    #expect(machine.failed(error, fraction: 0).effect == (isDoubtful ? .sentUnknown : .notSent))
    #expect(machine.mustReconcile == isDoubtful, "what was not sent may be put together")
  }

  @Test func `a change that was made before it was repeated is no conflict`() {
    var machine = Self.machine()
    let error = AppError.http(status: 412).ofOwnChange.adding(metadata: ["http.sent": "maybe"])
    let verdict = machine.failed(error, remote: Data(), isResolvable: true, fraction: 0)
    #expect(verdict.effect == .sentUnknown && machine.mustReconcile)
    #expect(verdict.next == .scheduled(after: .seconds(1)))
  }

  @Test(arguments: [("no", 0), ("maybe", 1), (nil, 1)])
  func `a time limit before anything was sent uses up no attempt`(_ sent: String?, counted: Int) {
    var machine = Self.machine()
    let error = AppError.timeout().adding(metadata: sent.map { ["http.sent": $0] } ?? [:])
    let verdict = machine.failed(error, fraction: 0)
    #expect(verdict.attempts == counted && verdict.unreachable == 1 - counted)
    #expect(verdict.effect == (counted == 0 ? .notSent : .sentUnknown))
  }

  @Test(arguments: [
    (Rejection.Reason.circuitOpen, 3), (.circuitProbing, 3), (.circuitIsolated, 0),
    (.bulkheadFull, 0), (.rateLimited, 0),
  ])
  func `a circuit that refuses since nobody was reached says nothing else of the network`(
    reason: Rejection.Reason, unreachable: Int
  ) {
    var machine = Self.machine(unreachable: 3)
    let verdict = machine.failed(Rejection(policy: "client", reason: reason).appError, fraction: 0)
    #expect(verdict.unreachable == unreachable && verdict.attempts == 0)
  }
}
