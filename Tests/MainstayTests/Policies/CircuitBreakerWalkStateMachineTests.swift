// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite struct CircuitBreakerWalkTests {
  private typealias Walk = CircuitBreakerWalk
  private typealias Settings = CircuitBreakerStateMachine.Settings

  @Test(.requirement("P1", "P2", "P3", "P4", "P5", "P6", "P8", "P9", "P12", "P37"))
  func `thousands of random schedules agree with a second opinion`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      var steps: [Walk.Action] = []
      do throws(Walk.Disagreement) {
        var walk = Walk(settings(&random))
        let isByHand = random.next().isMultiple(of: 4)
        for _ in 0..<60 {
          let action = action(&random, isByHand: isByHand)
          steps.append(action)
          try walk.perform(action, by: &random)
        }
        try walk.finish()
      } catch {
        Issue.record("seed \(seed): \(error.what), after \(steps)")
        return
      }
    }
  }

  @Test(
    .requirement("P1", "P2", "P3", "P5"), arguments: [(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 2, 2)])
  func `every short sequence of events agrees with a second opinion`(
    threshold: Int, permits: Int, required: Int
  ) throws {
    let walk = Walk(
      .init(
        failureThreshold: threshold, jitter: 0, permits: permits, required: required,
        lease: .seconds(15)))
    let alphabet: [Walk.Action] = [.admit, .succeed, .fail, .drop, .waitLong, .isolate]
    try explore(walk, alphabet, depth: RandomDose.isTorture ? 8 : 6)
  }

  /// Tries everything from here on; each action is about the call that has run the longest.
  private func explore(_ walk: Walk, _ alphabet: [Walk.Action], depth: Int) throws {
    guard depth > 0 else { return }
    for action in alphabet {
      var next = walk
      do throws(Walk.Disagreement) {
        try next.perform(
          action == .isolate && next.machine.isolations > 0 ? .endIsolation : action, pick: 0,
          fraction: 0)
      } catch {
        Issue.record("\(error.what), by \(action) at depth \(depth), from \(walk)")
        throw error
      }
      try explore(next, alphabet, depth: depth - 1)
    }
  }

  private func settings(_ random: inout SplitMix64) -> Settings {
    let isPlain = Bool.random(using: &random)
    let rates = (0..<Int.random(in: isPlain ? 0...0 : 1...3, using: &random)).map { _ in
      rate(&random)
    }
    let threshold: Int? =
      rates.isEmpty || Bool.random(using: &random) ? .random(in: 1...4, using: &random) : nil
    return Settings(
      mode: Int.random(in: 0..<10, using: &random) == 0 ? .metricsOnly : .enabled,
      failureThreshold: threshold,
      slowerThan: rates.contains { $0.counts == .slowCalls } ? .seconds(1) : nil, rates: rates,
      firstBreak: .milliseconds(Int.random(in: 1...8000, using: &random)),
      maximumBreak: .seconds(20), growth: .random(in: 1...3, using: &random),
      jitter: .random(in: 0...1, using: &random), permits: .random(in: 1...4, using: &random),
      required: .random(in: 1...4, using: &random),
      lease: Bool.random(using: &random) ? nil : .milliseconds(3000))
  }

  private func rate(_ random: inout SplitMix64) -> CircuitBreakerStateMachine.Rate {
    let spans: [CircuitBreaker.Window] = [
      .count(1), .count(3), .count(7), .time(.seconds(2)), .time(.seconds(10)),
      .time(.seconds(40)),
    ]
    return .init(
      counts: Bool.random(using: &random) ? .failures : .slowCalls,
      threshold: [0.1, 0.3, 0.5, 0.75, 1].randomElement(using: &random) ?? 1,
      span: spans.randomElement(using: &random) ?? .count(3),
      minimum: .random(in: 1...5, using: &random))
  }

  /// Mostly calls; what is done by hand only in some schedules, since it hides the rest.
  private func action(_ random: inout SplitMix64, isByHand: Bool) -> Walk.Action {
    let byHand: [Walk.Action] = [
      .isolate, .endIsolation, .endIsolation, .reset, .setMode(.enabled), .setMode(.disabled),
      .setMode(.metricsOnly), .setMode(.enabled), .update(settings(&random)), .relaunch,
      .open(nil), .open(.seconds(Int.random(in: 0...9, using: &random))), .halfOpen, .close,
    ]
    return switch Int.random(in: 0..<100, using: &random) {
    case 0..<43: .admit
    case 43..<54: .succeed
    case 54..<59: .succeedSlowly
    case 59..<74: .fail
    case 74..<78: .failSlowly
    case 78..<84: .drop
    case 84..<91: .wait
    case 91..<93: .waitLong
    case 93..<94: .goBack
    default: isByHand ? byHand.randomElement(using: &random) ?? .reset : .fail
    }
  }
}

/// A breaker machine and its second opinion, moved side by side.
private struct CircuitBreakerWalk {
  enum Action: Equatable {
    case admit, succeed, succeedSlowly, fail, failSlowly, drop
    case wait, waitLong, goBack
    case isolate, endIsolation, reset, relaunch, halfOpen, close
    case open(Duration?)
    case setMode(CircuitBreaker.Mode)
    case update(Machine.Settings)

    static func == (left: Self, right: Self) -> Bool { "\(left)" == "\(right)" }
  }

  typealias Machine = CircuitBreakerStateMachine

  /// Something on which the two do not agree, or an invariant that does not hold.
  struct Disagreement: Error { let what: String }

  private(set) var machine: Machine
  private var model: NaiveBreaker
  private var tokens: [Int: Machine.Token] = [:]
  private var now = 0

  init(_ settings: Machine.Settings) {
    machine = Machine(settings)
    model = NaiveBreaker(settings)
  }

  mutating func perform(
    _ action: Action, by random: inout SplitMix64
  ) throws(Disagreement) {
    try perform(action, pick: Int(random.next() >> 40), fraction: random.fraction())
  }

  /// Performs an action on both.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - pick: Which of the calls in flight it is about, and how far the clock moves.
  ///   - fraction: The chance that the machine is given.
  /// - Throws: What they do not agree on.
  mutating func perform(_ action: Action, pick: Int, fraction: Double) throws(Disagreement) {
    let before = machine
    switch action {
    case .admit: try admit(fraction)
    case .succeed: try settle(.success, isSlow: false, pick, fraction)
    case .succeedSlowly: try settle(.success, isSlow: true, pick, fraction)
    case .fail: try settle(.failure, isSlow: false, pick, fraction)
    case .failSlowly: try settle(.failure, isSlow: true, pick, fraction)
    case .drop: try settle(.neutral, isSlow: true, pick, fraction)
    case .wait: now += 1000 + pick % 3000
    case .waitLong: now += 20_000
    case .goBack: now -= 1500
    case .open(let length): try force(length, fraction)
    default: try control(action)
    }
    try check(after: before)
  }

  private mutating func control(_ action: Action) throws(Disagreement) {
    switch action {
    case .isolate:
      let event = machine.isolate()
      try expect((event == .isolated) == (model.holds == 0), "isolate told \(event, default: "-")")
      model.holds += 1
      if model.state != .isolated { model.change(to: .isolated) }
    case .endIsolation:
      guard model.holds > 0 else { return }
      model.holds -= 1
      let event = machine.endIsolation()
      try expect((event == .closed) == (model.holds == 0), "end told \(event, default: "-")")
      if model.holds == 0 { model.forget() }
    case .reset:
      try expect(machine.reset() == .reset, "reset told something else")
      model.forget()
      if model.holds > 0 { model.state = .isolated }
    case .halfOpen:
      let event = machine.forceHalfOpen()
      guard model.holds == 0, model.state != .halfOpen else {
        return try expect(event == nil, "half-opened twice")
      }
      try expect(event == .halfOpened, "half-opened, but \(event, default: "-")")
      model.change(to: .halfOpen)
    case .close:
      let event = machine.forceClosed()
      guard model.holds == 0, model.state != .closed else {
        return try expect(event == nil, "closed twice")
      }
      try expect(event == .closed, "closed, but \(event, default: "-")")
      model.forget()
    case .relaunch:
      guard model.holds == 0 else { return }
      var other = machine
      _ = machine.restore(other.memory(now: .milliseconds(now)), now: .milliseconds(now))
      model.time = max(model.time, now)
      model.relaunch()
    case .setMode(let mode):
      let event = machine.setMode(mode)
      let isOther = mode != model.settings.mode
      try expect((event == .settingsChanged) == isOther, "setMode told \(event, default: "-")")
      var settings = model.settings
      settings.mode = mode
      model.update(settings)
    case .update(let settings):
      try expect(machine.update(settings) == .settingsChanged, "update told something else")
      model.update(settings)
    default: break
    }
  }

  /// Opens both by hand.
  private mutating func force(_ length: Duration?, _ fraction: Double) throws(Disagreement) {
    let event = machine.forceOpen(for: length, now: .milliseconds(now), fraction: fraction)
    model.time = max(model.time, now)
    let goesOn = model.state == .open && model.openUntil > .milliseconds(model.time)
    guard model.holds == 0, length != nil || !goesOn else {
      return try expect(event == nil, "told \(event, default: "-")")
    }
    guard let length else { return try open(event, failures: 0, leaseExpired: false) }
    try expect(
      event == .opened(failures: 0, breakFor: length, leaseExpired: false),
      "opened, but \(event, default: "-")")
    (model.openUntil, model.lastBreak) = (.milliseconds(model.time) + length, length)
    model.change(to: .open)
  }

  /// Gives back whatever is on its way, and expects that no place stays taken.
  mutating func finish() throws(Disagreement) {
    while !tokens.isEmpty { try perform(.drop, pick: 0, fraction: 0) }
    try expect(machine.leases.allSatisfy { $0 == nil }, "a place is still taken")
  }

  private mutating func admit(_ fraction: Double) throws(Disagreement) {
    let openBefore = model.state == .open
    let (decision, event) = machine.admit(now: .milliseconds(now), fraction: fraction)
    model.time = max(model.time, now)
    if model.settings.mode == .disabled {
      return try accept(decision, model.begin(.outside), as: .outside)
    }
    if openBefore, Duration.milliseconds(model.time) >= model.openUntil {
      model.change(to: .halfOpen)
      try expect(event == .halfOpened, "half-opened, but told \(event, default: "-")")
    }
    switch model.state {
    case .closed:
      try accept(decision, model.begin(.regular), as: .regular)
      try expect(event == nil, "told \(event, default: "-")")
    case .isolated:
      try refuse(decision, .isolated)
    case .open:
      let left = model.openUntil - .milliseconds(model.time)
      try refuse(decision, .open(retryAfter: left))
      var later = machine
      let again = later.admit(now: .milliseconds(model.time) + left, fraction: 0).decision
      guard case .admitted = again else {
        throw Disagreement(what: "came back after \(left), but \(again)")
      }
    case .halfOpen where model.probes.count < model.settings.permits:
      let lease = model.settings.lease ?? max(model.lastBreak, .seconds(10))
      let leaseEnd = model.time + Int((lease.inSeconds * 1000).rounded(.up))
      try accept(decision, model.begin(.probe, leaseEnd: leaseEnd), as: nil)
    case .halfOpen where model.probes.contains { $0.leaseEnd <= model.time }:
      let failures = model.results.count { !$0 } + 1
      try open(event, failures: failures, leaseExpired: true)
      try refuse(decision, .open(retryAfter: model.lastBreak))
    case .halfOpen:
      try refuse(decision, .probing)
      try expect(event == nil, "told \(event, default: "-")")
    }
  }

  /// Expects an admission; a nil place is that of a probe.
  private mutating func accept(
    _ decision: Machine.Decision, _ id: Int, as place: Machine.Token.Place?
  ) throws(Disagreement) {
    guard case .admitted(let token) = decision, token.epoch == machine.epoch,
      place.map({ $0 == token.place }) ?? (token.slot != nil)
    else { throw Disagreement(what: "call \(id) was to be admitted, but \(decision)") }
    tokens[id] = token
  }

  private mutating func refuse(
    _ decision: Machine.Decision, _ refusal: Machine.Refusal
  ) throws(Disagreement) {
    guard model.settings.mode == .metricsOnly else {
      return try expect(decision == .refused(refusal), "not \(refusal), but \(decision)")
    }
    let token = Machine.Token(epoch: machine.epoch, place: .outside)
    try expect(
      decision == .admittedAnyway(token, insteadOf: refusal), "not \(refusal), but \(decision)")
    tokens[model.begin(.outside)] = token
  }

  private mutating func settle(
    _ verdict: Machine.Verdict, isSlow: Bool, _ pick: Int, _ fraction: Double
  ) throws(Disagreement) {
    let ids = tokens.keys.sorted()
    guard !ids.isEmpty else { return }
    let id = ids[pick % ids.count]
    guard let token = tokens.removeValue(forKey: id), let call = model.end(id) else { return }
    let took: Duration = isSlow ? .milliseconds(1001) : .seconds(1)
    let event = settleAsTheShell(token, verdict, took, fraction)
    guard call.kind != .outside else { return try expect(event == nil, "an outsider counted") }
    guard call.generation == model.generation else {
      let late = Machine.Event.stale(
        succeeded: verdict == .success, admittedIn: UInt64(call.generation),
        endedIn: UInt64(model.generation))
      return try expect(
        event == (verdict == .neutral ? nil : late), "late, but \(event, default: "-")")
    }
    guard verdict != .neutral else { return try expect(event == nil, "no verdict, but an event") }
    let isSlow = isSlow && model.settings.slowerThan != nil
    if model.state == .closed {
      let causes = model.record(isFailure: verdict == .failure, isSlow: isSlow)
      guard let causes else { return try expect(event == nil, "told \(event, default: "-")") }
      return try open(event, failures: causes, leaseExpired: false)
    }
    model.results.append(verdict == .success && !isSlow)
    try settleProbe(event)
  }

  /// First without the clock, as the breaker does it; this must make no difference.
  private mutating func settleAsTheShell(
    _ token: Machine.Token, _ verdict: Machine.Verdict, _ took: Duration, _ fraction: Double
  ) -> Machine.Event? {
    model.time = max(model.time, now)
    if fraction < 0.5, machine.settleWithoutClock(token, verdict, took: took) {
      // What needs no clock does not tell the machine what time it is.
      _ = machine.retryAfter(now: .milliseconds(now))
      return nil
    }
    return machine.settle(
      token, verdict, took: took, now: .milliseconds(now), fraction: fraction)
  }

  private mutating func settleProbe(_ event: Machine.Event?) throws(Disagreement) {
    let failures = model.results.count { !$0 }
    let isSuccess = model.results.last == true
    if isSuccess, model.results.count - failures >= model.settings.required {
      try expect(event == .closed, "closed, but \(event, default: "-")")
      return model.forget()
    }
    let tolerated = max(0, model.settings.permits - model.settings.required)
    if !isSuccess, failures > tolerated {
      return try open(event, failures: failures, leaseExpired: false)
    }
    try expect(event == nil, "told \(event, default: "-")")
  }

  private mutating func open(
    _ event: Machine.Event?, failures: Int, leaseExpired: Bool
  ) throws(Disagreement) {
    guard case .opened(failures, let breakFor, leaseExpired) = event else {
      throw Disagreement(what: "opened after \(failures), but \(event, default: "-")")
    }
    try expect(model.breakBounds.contains(breakFor), "\(breakFor) is not in \(model.breakBounds)")
    model.open(until: .milliseconds(model.time) + breakFor, after: breakFor)
  }

  private func check(after before: Machine) throws(Disagreement) {
    let state: NaiveBreaker.State =
      switch machine.state {
      case .closed: .closed
      case .open: .open
      case .halfOpen: .halfOpen
      case .isolated: .isolated
      }
    try expect(state == model.state, "is \(state), should be \(model.state)")
    try expect(machine.epoch == UInt64(model.generation), "the epoch is wrong")
    let taken = machine.leases.count { $0 != nil }
    try expect(taken == model.probes.count, "\(taken) places are taken")
    try expect(taken <= model.mostPermits, "\(taken) places are taken")
    try expect(machine.state == .halfOpen || taken == 0, "a place is taken while \(state)")
    try expect(machine.isolations == model.holds, "the holds are wrong")
    for (window, list) in zip(machine.windows, model.windows) {
      try expect(window.totals.calls == list.held.count, "the window \(window.span) is wrong")
    }
    if machine.state != before.state {
      try expect(machine.epoch == before.epoch + 1, "the epoch did not grow by one")
    }
  }

  private func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws(Disagreement) {
    guard holds else { throw Disagreement(what: what()) }
  }
}
