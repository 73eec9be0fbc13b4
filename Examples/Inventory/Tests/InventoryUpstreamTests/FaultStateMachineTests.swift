// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import InventoryUpstream

@Suite struct FaultStateMachineTests {
  private func plans(_ settings: FaultSettings, count: Int = 1000) -> [FaultPlan] {
    var machine = FaultStateMachine()
    machine.set(settings)
    return (0..<count).map { machine.plan(isWrite: $0.isMultiple(of: 2), at: .zero) }
  }

  private func settings(_ mode: FaultMode, rate: Double, seed: UInt64 = 5) -> FaultSettings {
    var settings = FaultSettings(mode: mode)
    (settings.rate, settings.seed) = (rate, seed)
    return settings
  }

  @Test func `a new service has no fault`() {
    var machine = FaultStateMachine()
    #expect(machine.plan(isWrite: true, at: .zero) == FaultPlan())
  }

  @Test(arguments: FaultMode.allCases)
  func `a rate of 0 hits nothing, in any mode`(mode: FaultMode) {
    #expect(plans(settings(mode, rate: 0)).allSatisfy { $0 == FaultPlan() })
  }

  @Test(arguments: [FaultMode.down, .slow, .flaky, .rateLimited, .serverError, .portal, .reorder])
  func `a rate of 1 hits everything`(mode: FaultMode) {
    #expect(plans(settings(mode, rate: 1)).allSatisfy { $0 != FaultPlan() })
  }

  @Test func `a rate between hits its share, the same with the same seed`() {
    let hits = plans(settings(.serverError, rate: 0.3))
    #expect((250...350).contains(hits.filter { $0.refusal == .serverError }.count))
    #expect(hits == plans(settings(.serverError, rate: 0.3)))
    #expect(hits != plans(settings(.serverError, rate: 0.3, seed: 6)))
  }

  @Test func `only writes are dropped after they are made`() {
    let cut = plans(settings(.dropAfterCommit, rate: 1), count: 4).map(\.isCutAfterwards)
    #expect(cut == [true, false, true, false])
  }

  @Test func `delays for reordering spread over their range`() {
    let delays = plans(settings(.reorder, rate: 1)).map(\.delay)
    #expect(delays.allSatisfy { $0 >= .zero && $0 <= .milliseconds(500) })
    #expect((delays.min() ?? .zero) < .milliseconds(50))
    #expect((delays.max() ?? .zero) > .milliseconds(450))
  }

  @Test func `deduplication holds or not whatever else goes wrong`() {
    var off = settings(.flaky, rate: 0.5)
    off.dedupe = false
    #expect(plans(off).allSatisfy { !$0.isDeduped })
    #expect(plans(settings(.flaky, rate: 0.5)).allSatisfy { $0.isDeduped })
  }

  @Test func `a limit counts each second anew`() {
    var limited = settings(.rateLimited, rate: 1)
    limited.limit = 3
    var machine = FaultStateMachine()
    machine.set(limited)
    let passed = (0..<20).map { index in
      machine.plan(isWrite: false, at: .milliseconds(index * 100)).refusal == nil
    }
    #expect(passed.prefix(10).filter { $0 }.count == 3)
    #expect(passed.suffix(10).filter { $0 }.count == 3)
  }
}
