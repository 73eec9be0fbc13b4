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
        guard isWell else { throw AppError.http(status: 503, isRepeatable: true) }
      })
    return registry
  }

  private static let backoff = Backoff.exponential(
    from: .seconds(5), to: .seconds(20), jitter: .none)

  /// Lets time pass, second by second, until the task is cancelled.
  ///
  /// Whoever sleeps may be the one that kept the time of an earlier check: nobody can wait for the
  /// sleep that is meant.
  private func passing(_ each: @escaping @Sendable (Int) -> Void = { _ in }) -> Task<Void, Never> {
    Task { [clock] in
      var second = 0
      while !Task.isCancelled {
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
        second += 1
        each(second)
        await Task.yield()
      }
    }
  }

  @Test func `what does not work at the start works later without anybody's doing`() async {
    let registry = registry()
    #expect(await !registry.validate(.camera).isAvailable)
    let updates = registry.updates
    let keeping = Task { await registry.keepRevalidating(backoff: Self.backoff) }
    let passing = passing()
    await log.lines(atLeast: 2)
    works.raise()
    for await all in updates where all[.camera] == .available { break }
    #expect(log.lines.count >= 3)
    passing.cancel()
    keeping.cancel()
    await keeping.value
  }

  @Test func `a better network is worth a look at once`() async {
    let registry = registry()
    let source = ScriptedConnectivitySource(.offline)
    let monitor = ConnectivityMonitor(source: source, clock: clock)
    #expect(await !registry.validate(.camera).isAvailable)
    works.raise()
    let updates = registry.updates
    let year = Backoff.constant(.seconds(31_536_000), jitter: .none)
    let keeping = Task { await registry.keepRevalidating(backoff: year, on: monitor) }
    // It comes and goes: the first time, nobody may listen yet.
    let passing = passing { second in
      if second % 60 == 0 { source.say(second % 120 == 0 ? .offline : .online) }
    }
    for await all in updates where all[.camera] == .available { break }
    // Some minutes where nobody stands still, and less than the year that it would wait by itself.
    #expect(clock.now.offset < .seconds(31_536_000))
    passing.cancel()
    keeping.cancel()
    await keeping.value
    monitor.shutDown()
  }
}
