// SPDX-License-Identifier: Apache-2.0

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
    let error = AppError.http(status: status).adding(metadata: ["http.sent": "maybe"])
    #expect(machine.failed(error, fraction: 0).effect == .sentUnknown)
    #expect(machine.mustReconcile)
    var answered = Self.machine()
    #expect(answered.failed(.http(status: status), fraction: 0).effect == .refused)
  }
}
