// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Capabilities that are found out about again by themselves.
@Suite(.ends(withinMinutes: 2)) struct CapabilityRecheckingTests {
  private let clock = ManualClock()
  private let log = Log()
  private let works = Flag()

  private func registry() -> CapabilityRegistry {
    let registry = CapabilityRegistry(clock: clock)
    registry.register(
      Capability<Void, Void>(.camera) { [log, works] in
        // Whoever waits for the line raises the flag for the next one.
        let isWell = works.isRaised
        log.add("checked")
        guard isWell else { throw AppError.http(status: 503) }
      })
    return registry
  }

  private static let backoff = Backoff.exponential(
    from: .seconds(5), to: .seconds(20), jitter: .none)

  /// Lets time pass, step by step, until it works.
  private func wait(for registry: CapabilityRegistry) async {
    let updates = registry.updates
    let moving = Task { [clock] in
      while !Task.isCancelled {
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
        await Task.yield()
      }
    }
    for await all in updates where all[.camera] == .available { break }
    moving.cancel()
  }

  @Test func `what does not work at the start works later without anybody's doing`() async {
    let registry = registry()
    #expect(await !registry.validate(.camera).isAvailable)
    let keeping = Task { await registry.keepRevalidating(backoff: Self.backoff) }
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(5))
    await log.lines(atLeast: 2)
    works.raise()
    await wait(for: registry)
    #expect(log.lines.count >= 3)
    keeping.cancel()
    await keeping.value
  }

  @Test func `a better network is worth a look at once`() async {
    let registry = registry()
    let source = ScriptedConnectivitySource(.offline)
    let monitor = ConnectivityMonitor(source: source, clock: clock)
    #expect(await !registry.validate(.camera).isAvailable)
    let year = Backoff.constant(.seconds(31_536_000), jitter: .none)
    let keeping = Task { await registry.keepRevalidating(backoff: year, on: monitor) }
    // The alarm of the monitor, and the wait of the capability.
    await clock.sleepers(atLeast: 2)
    works.raise()
    source.say(.online)
    // Some seconds, and far less than the year that it would wait by itself.
    await wait(for: registry)
    #expect(clock.now.offset < .seconds(3_600))
    keeping.cancel()
    await keeping.value
    monitor.shutDown()
  }
}
