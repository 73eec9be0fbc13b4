// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 2), .requirement("A17")) struct NetworkRecoveryTests {
  private let clock = ManualClock()
  private let source = ScriptedConnectivitySource(.offline)

  private func begun() async -> (ConnectivityMonitor, Task<RecoveryPlan.Outcome, Never>) {
    let monitor = ConnectivityMonitor(source: source, clock: clock)
    let plan = RecoveryPlan([.awaitingNetwork(monitor, clock: clock)])
    let run = Task { await plan.recover(from: AppError.Network.offline) }
    return (monitor, run)
  }

  @Test func `after three looks the app is offline`() async {
    let (monitor, run) = await begun()
    let ended = Flag()
    let watcher = Task {
      let outcome = await run.value
      ended.raise()
      return outcome
    }
    var waited = Duration.zero
    while !ended.isRaised {
      await clock.sleepers(atLeast: 1)
      if ended.isRaised { break }
      clock.advance(by: .seconds(1))
      waited += .seconds(1)
      for _ in 0..<100 { await Task.yield() }
    }
    guard case .failed("wait for the network", let error) = await watcher.value else {
      return _ = #expect(Bool(false), "it did not fail")
    }
    #expect(error.kind == .offline && waited >= .seconds(12))
    monitor.shutDown()
  }

  @Test func `it goes on as soon as there is a network`() async {
    let (monitor, run) = await begun()
    await clock.sleepers(atLeast: 1)
    source.say(.online)
    let ended = Flag()
    let watcher = Task {
      let outcome = await run.value
      ended.raise()
      return outcome
    }
    while !ended.isRaised {
      clock.advance(by: .milliseconds(500))
      for _ in 0..<100 { await Task.yield() }
    }
    guard case .mended = await watcher.value else {
      return _ = #expect(Bool(false), "it was not mended")
    }
    monitor.shutDown()
  }

  @Test func `whoever is cancelled stops waiting`() async {
    let (monitor, run) = await begun()
    await clock.sleepers(atLeast: 1)
    run.cancel()
    guard case .failed = await run.value else {
      return _ = #expect(Bool(false), "it did not end")
    }
    monitor.shutDown()
  }
}
