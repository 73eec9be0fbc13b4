// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 2), .requirement("A17")) struct NetworkRecoveryTests {
  private let clock = ManualClock()
  // The monitor's own: what it waits for is not counted among those who look for the network.
  private let network = ManualClock()
  private let source = ScriptedConnectivitySource(.offline)

  /// A step that looks for the network, and sleeps until its first look.
  private func begun(
    _ error: any Error = AppError.Network.offline
  ) async -> (ConnectivityMonitor, Task<RecoveryPlan.Outcome, Never>) {
    let monitor = ConnectivityMonitor(source: source, clock: network)
    let plan = RecoveryPlan([.awaitingNetwork(monitor, clock: clock)])
    let run = Task { await plan.recover(from: error) }
    // The limit of the step has a sleeper, too.
    await clock.sleepers(atLeast: 2)
    return (monitor, run)
  }

  @Test func `after three looks the app is offline`() async {
    let (monitor, run) = await begun()
    for wait in [Duration.seconds(2), .seconds(4), .seconds(6)] {
      await clock.sleepers(atLeast: 2)
      clock.advance(by: wait - .milliseconds(1))
      #expect(clock.sleeperCount == 2, "it looks too early")
      clock.advance(by: .milliseconds(1))
    }
    guard case .failed("wait for the network", let error) = await run.value else {
      return _ = #expect(Bool(false), "it did not fail")
    }
    #expect(error.kind == .offline)
    monitor.shutDown()
  }

  @Test func `it goes on as soon as there is a network`() async {
    let (monitor, run) = await begun()
    source.say(.online)
    // So long it has to last; the next look is not waited for.
    network.advance(by: .seconds(1))
    guard case .mended = await run.value else {
      return _ = #expect(Bool(false), "it was not mended")
    }
    monitor.shutDown()
  }

  @Test(arguments: [(ErrorKind.network, true), (.offline, false)])
  func `a connection that nobody knows of is tried, unless the error says offline`(
    kind: ErrorKind, isTried: Bool
  ) async {
    source.say(Connectivity.Observation())
    let error = AppError(
      code: "lost", kind: kind, disposition: .transient(), title: "T", message: "M.")
    let (monitor, run) = await begun(error)
    #expect(monitor.current.standing == .unknown)
    clock.advance(by: .seconds(2))
    if !isTried {
      for wait in [Duration.seconds(4), .seconds(6)] {
        await clock.sleepers(atLeast: 2)
        clock.advance(by: wait)
      }
    }
    let outcome = await run.value
    if case .mended = outcome { #expect(isTried) } else { #expect(!isTried) }
    monitor.shutDown()
  }

  @Test func `whoever is cancelled stops waiting`() async {
    let (monitor, run) = await begun()
    run.cancel()
    guard case .failed = await run.value else {
      return _ = #expect(Bool(false), "it did not end")
    }
    monitor.shutDown()
  }
}
