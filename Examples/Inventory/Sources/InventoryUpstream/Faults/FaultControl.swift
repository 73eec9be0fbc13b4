// SPDX-License-Identifier: Apache-2.0

/// The faults that are on, and the clock that they wait by.
package actor FaultControl {
  private var machine = FaultStateMachine()
  private let uptime: @Sendable () -> Duration
  private let sleep: @Sendable (Duration) async throws -> Void

  /// No fault is on.
  package init(clock: some Clock<Duration>) {
    let start = clock.now
    uptime = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(for: $0) }
  }

  /// Switches to other faults, at once.
  package func set(_ settings: FaultSettings) { machine.set(settings) }

  func plan(isWrite: Bool) -> FaultPlan {
    machine.plan(isWrite: isWrite, at: uptime())
  }

  nonisolated func wait(_ plan: FaultPlan) async throws {
    if plan.delay > .zero { try await sleep(plan.delay) }
  }
}
