// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayOutbox
import TestSupport
import Testing

extension OperationStateMachineTests {
  @Test(
    .requirement("O22"),
    arguments: [(300, false), (301, true), (302, true), (303, true), (304, false), (307, false)])
  func `an answer that sends a change elsewhere leaves its outcome unknown`(
    status: Int, isUnknown: Bool
  ) {
    var machine = Self.machine()
    let verdict = machine.failed(AppError.http(status: status, isRepeatable: true), fraction: 0)
    #expect(verdict.effect == (isUnknown ? .sentUnknown : .refused))
    #expect(machine.mustReconcile == isUnknown)
  }
}
