// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayTesting
import TestSupport
import Testing

@testable import Mainstay

/// Random schedules against what must hold whatever happens.
@Suite struct ConnectivityWalkTests {
  private enum Action: CaseIterable {
    case observe, repeatObservation, deliver, fail, answer, suspect, demand, wait, waitLong, wake
  }

  private static let observations: [Connectivity.Observation] = [
    .online, .offline, Connectivity.Observation(), .online(by: .cellular, identity: "mobile"),
    .init(link: .up, route: .missing, interfaces: [.wifi]), .online(by: .wifi, identity: "train"),
  ]
  private static let kinds: [ErrorKind] = [
    .offline, .network, .timeout, .portal, .insecure, .server, .cancelled,
  ]
  private static let verdicts: [ConnectivityProbe.Verdict?] = [
    .validated, .portal(nil), .notDelivered(.timeout), nil,
  ]

  @Test(.requirement("O13", "O15", "O16", "C17", "T15"))
  func `whatever happens, the rules hold`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      var bench = ConnectivityBench(probing: random.next().isMultiple(of: 2), nil)
      var steps: [Action] = []
      for _ in 0..<60 {
        let action = Action.allCases.randomElement(using: &random) ?? .wait
        steps.append(action)
        let before = bench
        perform(action, on: &bench, by: &random)
        if let broken = violation(before, bench, action) {
          Issue.record("seed \(seed): \(broken), after \(steps)")
          return
        }
      }
      if let broken = endsCalmly(&bench) {
        Issue.record("seed \(seed): \(broken), after \(steps)")
        return
      }
    }
  }

  private func perform(
    _ action: Action, on bench: inout ConnectivityBench, by random: inout SplitMix64
  ) {
    let peer = [nil, "a", "b"].randomElement(using: &random) ?? nil
    switch action {
    case .observe:
      bench.observe(Self.observations.randomElement(using: &random) ?? .online)
    case .repeatObservation: bench.observe(bench.machine.network)
    case .deliver: bench.delivered(peer)
    case .fail: bench.failed(Self.kinds.randomElement(using: &random) ?? .network, peer)
    case .answer: bench.answered(Self.verdicts.randomElement(using: &random) ?? nil)
    case .suspect: bench.suspect()
    case .demand: bench.demand()
    case .wait: bench.now += .milliseconds(Int.random(in: -50...200, using: &random))
    case .waitLong: bench.now += .seconds(Int.random(in: 1...90, using: &random))
    case .wake: bench.pass(.milliseconds(Int.random(in: 0...5_000, using: &random)))
    }
  }

  /// What does not hold after a step; nil where all does.
  private func violation(
    _ before: ConnectivityBench, _ after: ConnectivityBench, _ action: Action
  ) -> String? {
    let machine = after.machine
    let window = machine.settings.window
    if let wake = machine.nextWake, wake <= machine.latest, ![.wait, .waitLong].contains(action) {
      return "it would be woken without end"
    }
    if action == .deliver, machine.actual.standing != .online {
      let isLate =
        machine.network.isNegative
        && machine.latest - machine.networkSince < ConnectivityStateMachine.grace
      guard isLate || machine.actual.standing == .portal else { return "a success is not believed" }
    }
    if action == .repeatObservation, machine.actual != before.machine.actual,
      machine.actual.network != before.machine.actual.network
    {
      return "the same said again changed something"
    }
    if action != .wake, after.told.count > before.told.count,
      machine.published == before.machine.published
    {
      return "told the same again"
    }
    if zip(after.toldAt, after.toldAt.dropFirst()).contains(where: { $1 - $0 < window }) {
      return "told twice within a window"
    }
    if after.improvements > before.improvements, action != .wake,
      !machine.actual.standing.isWorthTrying
    {
      return "an improvement that is none"
    }
    if after.probes.count > before.probes.count, action != .demand, action != .wake,
      machine.network.isNegative, before.machine.probeDue == nil
    {
      return "a probe without a network"
    }
    if after.probes != after.probes.sorted() || Set(after.probes).count != after.probes.count {
      return "a probe was sent twice"
    }
    if machine.caution > machine.falseClaims { return "caution without a reason" }
    let confidence = machine.confidence
    guard (0...1).contains(confidence) else { return "a confidence of \(confidence)" }
    return nil
  }

  /// When nothing happens any more, it comes to rest, and shows how things stand.
  private func endsCalmly(_ bench: inout ConnectivityBench) -> String? {
    bench.observe(.online(by: .wired, identity: "office"))
    bench.delivered("a")
    if bench.machine.probeRunning != nil { bench.answered(.validated) }
    bench.pass(.seconds(70))
    if bench.machine.probeRunning != nil { bench.answered(.validated) }
    bench.pass(.seconds(700))
    let machine = bench.machine
    if machine.nextWake != nil { return "it does not come to rest" }
    if machine.actual.standing != .online { return "it ends as \(machine.actual.standing)" }
    if machine.published != machine.actual || machine.shown != machine.actual {
      return "not everything was told"
    }
    return machine.status == .connected ? nil : "the status ends as \(machine.status)"
  }
}
