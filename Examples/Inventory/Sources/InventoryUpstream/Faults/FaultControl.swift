// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The faults that are on, and the clock that they wait by.
package final class FaultControl: Sendable {
  private let machine = Mutex(FaultStateMachine())
  private let uptime: @Sendable () -> Duration
  private let sleep: @Sendable (Duration) async throws -> Void

  /// No fault is on.
  package init(clock: some Clock<Duration>) {
    let start = clock.now
    uptime = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(for: $0) }
  }

  /// Switches to other faults, at once.
  package func set(_ settings: FaultSettings) { machine.withLock { $0.set(settings) } }

  func plan(isWrite: Bool) -> FaultPlan {
    let time = uptime()
    return machine.withLock { $0.plan(isWrite: isWrite, at: time) }
  }

  func wait(_ plan: FaultPlan) async throws {
    if plan.delay > .zero { try await sleep(plan.delay) }
  }
}
