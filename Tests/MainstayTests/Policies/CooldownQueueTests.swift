// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// How many wait for the end of a ``Cooldown``.
@Suite struct CooldownQueueTests {
  private let clock = ManualClock()

  @Test func `a call that finds the queue full is refused at once, with the time to come back`()
    async throws
  {
    let cooldown = Cooldown("origin", spread: .zero, queue: 3, clock: clock)
    cooldown.begin(for: .seconds(5))
    let calls = await started(3) { _ in try await cooldown.run {} }
    #expect(cooldown.waiting == 3)
    let refused = await #expect(throws: Rejection.self) { try await cooldown.run {} }
    #expect(
      refused == Rejection(policy: "origin", reason: .coolingDown, retryAfter: .seconds(5)))
    calls[0].cancel()
    await #expect(throws: CancellationError.self) { try await calls[0].value }
    let next = await started { try await cooldown.run {} }
    #expect(cooldown.waiting == 3)
    await clock.waiters(atLeast: 3)
    clock.advance(by: .seconds(5))
    for call in [calls[1], calls[2], next] { try await call.value }
  }

  @Test func `who has waited keeps the place when the service asks for longer`() async throws {
    let cooldown = Cooldown("origin", spread: .zero, queue: 1, clock: clock)
    cooldown.begin(for: .seconds(2))
    let call = await started { try await cooldown.run {} }
    cooldown.begin(for: .seconds(4))
    await clock.waiters(atLeast: 1)
    clock.advance(by: .seconds(2))
    // It waits again, for the two seconds that were added.
    await clock.waiters(atLeast: 1, within: .seconds(2))
    clock.advance(by: .seconds(2))
    try await call.value
  }

  @Test func `a thousand wait by default, and none where the queue has no place`() async throws {
    #expect(Cooldown("origin", clock: clock).configuration.queue == 1_000)
    let cooldown = Cooldown("origin", queue: 0, clock: clock)
    try await cooldown.run {}
    cooldown.begin(for: .seconds(1))
    await #expect(throws: Rejection.self) { try await cooldown.run {} }
    var settings = cooldown.configuration
    settings.queue = 7
    try cooldown.update(settings)
    #expect(cooldown.configuration == settings)
    let data = try JSONEncoder().encode(settings)
    #expect(try JSONDecoder().decode(Cooldown.Configuration.self, from: data) == settings)
    for queue in [-1, 1_000_001] {
      let error = #expect(throws: ConfigurationError.self) {
        try Cooldown("origin", validating: .init(queue: queue), clock: clock)
      }
      #expect(error?.violations.map(\.option) == ["queue"])
    }
  }
}
