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

  private struct Broken: Error {}

  /// What stands in fails with these, after a capability without a network.
  private static let failures: [(error: any Error, disposition: Disposition)] = [
    (AppError.timeout(), .transient()),
    (AppError.timeout().with(disposition: .unknownOutcome), .unknownOutcome),
    // The way around is closed, and the first one opens by itself.
    (AppError.http(status: 404), .transient()),
    (Broken(), .transient()),
  ]

  @Test(.requirement("B26"), arguments: failures.indices)
  func `what passes by itself does so too where what stands in fails`(index: Int) async throws {
    let registry = CapabilityRegistry(clock: ManualClock())
    let (failure, disposition) = Self.failures[index]
    let sync = Capability<Int, String>("sync") {
      throw AppError.offline()
    } execute: { _ in
      "synced"
    } fallback: { _ in
      throw failure
    }
    registry.register(sync)
    let error = await #expect(throws: AppError.self) { try await registry.execute(sync, 1) }
    #expect(error?.code == AppError.Capability.fallbackUnavailable("").appError.code)
    #expect(error?.disposition == disposition)
    #expect(error?.underlying.count == 2)
  }

  @Test(.requirement("A10")) func `a plan finds out again where what stands in failed too`()
    async throws
  {
    let (works, registry) = (Flag(), CapabilityRegistry(clock: ManualClock()))
    let sync = Capability<Int, String>("sync") {
      guard works.isRaised else { throw AppError.offline() }
    } execute: { _ in
      "synced"
    } fallback: { _ in
      works.raise()
      throw AppError.timeout()
    }
    registry.register(sync)
    let retry = Retry(backoff: .constant(.zero, jitter: .none))
      .recovering(by: RecoveryPlan([.revalidating(registry)]))
    #expect(try await retry.run { try await registry.execute(sync, 1) } == "synced")
  }

  @Test(.requirement("B26")) func `a requirement that is not met says why`() async throws {
    let registry = CapabilityRegistry(clock: ManualClock())
    let sync = Capability("sync", requires: [.network]) {}
    registry.register(sync)
    registry.register(Capability(.network) { throw AppError.offline() })
    let error = await #expect(throws: AppError.self) { try await registry.execute(sync, ()) }
    let failure = try #require(error)
    #expect(failure.code == AppError.Capability.requirementNotMet("").appError.code)
    #expect(failure.kind == .offline && failure.disposition == .transient())
    #expect(failure.cause(as: AppError.self)?.code == AppError.offline().code)
  }
}
