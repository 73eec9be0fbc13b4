// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.requirement("A18"), .ends(withinMinutes: 2)) struct CapabilityFailureTests {
  @Test func `what may have happened is not done a second time by what stands in`() async throws {
    let (log, registry) = (Log(), CapabilityRegistry(clock: ManualClock()))
    let lost = AppError.timeout().with(disposition: .unknownOutcome)
    let pay = Capability<Int, String>("pay") {
    } execute: { amount in
      if amount == 10 { throw lost }
      throw AppError.offline()
    } fallback: { amount in
      log.add("paid \(amount) the other way")
      return "paid"
    }
    registry.register(pay)
    let error = await #expect(throws: AppError.self) { try await registry.execute(pay, 10) }
    #expect(error?.code == AppError.Capability.executionFailed(lost).appError.code)
    #expect(error?.disposition == .unknownOutcome)
    #expect(error?.cause(as: AppError.self)?.kind == .timeout && log.lines.isEmpty)
    // What has not happened for sure is done the other way.
    #expect(try await registry.execute(pay, 20) == "paid")
    #expect(log.lines == ["paid 20 the other way"])
  }
}
