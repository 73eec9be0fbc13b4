// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

extension OperationStateMachineTests {
  private static let conflict = AppError.test(.needsUser, kind: .conflict)
  /// A conflict that was met by a later attempt of the same run.
  private static let doubtful = conflict.adding(metadata: ["http.sent": "maybe"])

  @Test func `a conflict says that nothing was done`() {
    var machine = Self.machine()
    let verdict = machine.failed(Self.conflict, isResolvable: true, fraction: 0)
    #expect(verdict.next == .conflicted(remote: nil))
    #expect(verdict.effect == .refused && !machine.mustReconcile)
  }

  @Test func `it says nothing about an earlier run that nobody answered`() {
    var machine = Self.machine(effect: .sentUnknown)
    let verdict = machine.failed(
      Self.conflict, remote: Data([7]), isResolvable: true, fraction: 0)
    #expect(verdict.next == .conflicted(remote: Data([7]), fields: [.outcomeUnknown]))
    #expect(verdict.effect == .sentUnknown && machine.mustReconcile)
  }

  @Test func `nor about an earlier attempt of its own run`() {
    var machine = Self.machine()
    let verdict = machine.failed(Self.doubtful, isResolvable: true, fraction: 0)
    #expect(verdict.next == .conflicted(remote: nil, fields: [.outcomeUnknown]))
    #expect(verdict.effect == .sentUnknown)
  }

  @Test func `where the other side can be asked, the next run asks`() {
    var machine = Self.machine()
    let verdict = machine.failed(
      Self.doubtful, isResolvable: true, canAsk: true, fraction: 0)
    #expect(verdict.next == .scheduled(after: .seconds(1)) && verdict.attempts == 1)
    #expect(verdict.effect == .sentUnknown && machine.mustReconcile)
    #expect(machine.reconciled(.notApplied, fraction: 0) == nil)
    let known = machine.failed(Self.conflict, isResolvable: true, canAsk: true, fraction: 0)
    #expect(known.next == .conflicted(remote: nil) && known.effect == .refused)
  }
  @Test func `so it does where a call of the run left the doubt, before the conflict`() {
    var machine = Self.machine()
    machine.leftInDoubt()
    let verdict = machine.failed(
      Self.conflict, isResolvable: true, canAsk: true, fraction: 0)
    #expect(verdict.next == .scheduled(after: .seconds(1)) && verdict.effect == .sentUnknown)
    var asked = Self.machine(effect: .sentUnknown)
    asked.leftInDoubt()
    let known = asked.failed(Self.conflict, isResolvable: true, canAsk: true, fraction: 0)
    #expect(known.next == .conflicted(remote: nil, fields: [.outcomeUnknown]))
  }
}
