// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite(.requirement("A25")) struct HealthGateStateMachineTests {
  @Test func `counters that went back, and another group, say nothing`() {
    let first = ProcessorSample(source: "a", used: 5, available: 10)
    #expect(ProcessorSample(source: "a", used: 4, available: 11).use(since: first) == nil)
    #expect(ProcessorSample(source: "a", used: 6, available: 10).use(since: first) == nil)
    #expect(ProcessorSample(source: "b", used: 6, available: 11).use(since: first) == nil)
    #expect(ProcessorSample(source: "a", used: 9, available: 11).use(since: first) == 1)
  }

  @Test func `where nobody says how much is free, nobody says how much is in use`() {
    #expect(MemoryShare.used(1e8, free: 0) == nil)
    #expect(MemoryShare.used(1, free: 3) == 0.25)
    var gate = HealthGate()
    #expect(gate.take(SystemHealth(memoryUse: MemoryShare.used(1e8, free: 0)))[.memory] != false)
  }

  @Test func `it is too much above a limit, and well again clearly below`() {
    var gate = HealthGate()
    func memory(_ use: Double?) -> Bool? { gate.take(SystemHealth(memoryUse: use))[.memory] }
    #expect(
      [0.9, 0.91, 0.86, nil, 0.849, 0.89].map(memory) == [
        true, false, false, false, true, true,
      ])
    func processor(_ use: Double) -> Bool? {
      gate.take(SystemHealth(processorUse: use))[.processor]
    }
    #expect(processor(0.95) == true && processor(0.96) == false && processor(0.92) == false)
    #expect(processor(0.89) == true && processor(.nan) == true)
  }

  @Test func `a hot device is not called busy`() {
    var gate = HealthGate()
    let hot = gate.take(SystemHealth(processorUse: 0.1, isHot: true))
    #expect(hot[.heat] == false && hot[.processor] == true)
    #expect(gate.take(SystemHealth(processorUse: 0.1))[.heat] == true)
    // A plan of before has no other word for it, and is to notice it all the same.
    #expect(gate.take(SystemHealth(isHot: true), knowsHeat: false)[.processor] == false)
    #expect(gate.take(SystemHealth(), knowsHeat: false)[.processor] == true)
  }
}
