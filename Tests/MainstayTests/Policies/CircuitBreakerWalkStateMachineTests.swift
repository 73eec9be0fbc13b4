// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

@Suite struct CircuitBreakerWalkTests {
  private typealias Walk = CircuitBreakerWalk

  @Test(.requirement("P1", "P2", "P3", "P4", "P5", "P6", "P12"))
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
          try walk.perform(
            action, pick: Int(random.next() >> 40), fraction: random.fraction())
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

  private func settings(_ random: inout SplitMix64) -> CircuitBreakerStateMachine.Settings {
    let permits = Int.random(in: 1...4, using: &random)
    return CircuitBreakerStateMachine.Settings(
      failureThreshold: .random(in: 1...4, using: &random),
      firstBreak: .milliseconds(Int.random(in: 1...8000, using: &random)),
      maximumBreak: .seconds(20), growth: .random(in: 1...3, using: &random),
      jitter: .random(in: 0...1, using: &random), permits: permits,
      required: .random(in: 1...4, using: &random),
      lease: Bool.random(using: &random) ? nil : .milliseconds(3000))
  }

  /// Mostly calls; what is done by hand only in some schedules, since it hides the rest.
  private func action(_ random: inout SplitMix64, isByHand: Bool) -> Walk.Action {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<45: .admit
    case 45..<58: .succeed
    case 58..<78: .fail
    case 78..<84: .drop
    case 84..<91: .wait
    case 91..<93: .waitLong
    case 93..<94: .goBack
    default:
      isByHand ? [.isolate, .endIsolation, .reset].randomElement(using: &random) ?? .reset : .fail
    }
  }
}

/// A second opinion about breakers, which keeps lists instead of counters.
///
/// It looks everything up in the results of the current generation. Time is a whole number of
/// milliseconds.
private struct NaiveBreaker {
  enum Mode: Equatable { case closed, open, halfOpen, isolated }

  struct Call {
    let generation: Int
    let isProbe: Bool
    let leaseEnd: Int
  }

  let settings: CircuitBreakerStateMachine.Settings
  var mode = Mode.closed
  var generation = 0
  var results: [Bool] = []
  var calls: [Int: Call] = [:]
  var nextID = 0
  var holds = 0
  var failedCycles = 0
  var openUntil = Duration.zero
  var lastBreak = Duration.zero
  var time = Int.min

  init(_ settings: CircuitBreakerStateMachine.Settings) { self.settings = settings }

  var probes: [Call] { calls.values.filter { $0.isProbe && $0.generation == generation } }

  /// How long the next break is at least and at most.
  var breakBounds: ClosedRange<Duration> {
    var base = settings.firstBreak.inSeconds
    for _ in 0..<failedCycles {
      base = min(base * settings.growth, settings.maximumBreak.inSeconds)
    }
    return .seconds(base - 1e-6)...(.seconds(base * (1 + settings.jitter) + 1e-6))
  }

  mutating func change(to mode: Mode) {
    self.mode = mode
    generation += 1
    results = []
  }

  mutating func begin(isProbe: Bool, leaseEnd: Int = 0) -> Int {
    calls[nextID] = Call(generation: generation, isProbe: isProbe, leaseEnd: leaseEnd)
    nextID += 1
    return nextID - 1
  }
}

/// A breaker machine and its second opinion, moved side by side.
private struct CircuitBreakerWalk {
  enum Action: CaseIterable {
    case admit, succeed, fail, drop, wait, waitLong, goBack, isolate, endIsolation, reset
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
    case .succeed, .fail, .drop: try settle(action, pick, fraction)
    case .wait: now += 1000 + pick % 3000
    case .waitLong: now += 20_000
    case .goBack: now -= 1500
    case .isolate:
      let event = machine.isolate()
      try expect((event == .isolated) == (model.holds == 0), "isolate told \(event, default: "-")")
      model.holds += 1
      if model.mode != .isolated { model.change(to: .isolated) }
    case .endIsolation:
      guard model.holds > 0 else { return }
      model.holds -= 1
      let event = machine.endIsolation()
      try expect((event == .closed) == (model.holds == 0), "end told \(event, default: "-")")
      if model.holds == 0 { forget() }
    case .reset:
      try expect(machine.reset() == .reset, "reset told something else")
      forget()
      if model.holds > 0 { model.mode = .isolated }
    }
    try check(after: before)
  }

  /// Gives back whatever is on its way, and expects that no place stays taken.
  mutating func finish() throws(Disagreement) {
    while !tokens.isEmpty { try perform(.drop, pick: 0, fraction: 0) }
    try expect(machine.leases.allSatisfy { $0 == nil }, "a place is still taken")
  }

  private mutating func admit(_ fraction: Double) throws(Disagreement) {
    let openBefore = model.mode == .open
    let (decision, event) = machine.admit(now: .milliseconds(now), fraction: fraction)
    model.time = max(model.time, now)
    let isOver = Duration.milliseconds(model.time) >= model.openUntil
    if openBefore, isOver {
      model.change(to: .halfOpen)
      try expect(event == .halfOpened, "half-opened, but told \(event, default: "-")")
    }
    switch model.mode {
    case .closed:
      try accept(decision, model.begin(isProbe: false))
      try expect(event == nil, "told \(event, default: "-")")
    case .isolated:
      try expect(decision == .refused(.isolated), "isolated, but \(decision)")
    case .open:
      let left = model.openUntil - .milliseconds(model.time)
      try expect(decision == .open(retryAfter: left), "open for \(left), but \(decision)")
      var later = machine
      let again = later.admit(now: .milliseconds(model.time) + left, fraction: 0).decision
      guard case .admitted = again else {
        throw Disagreement(what: "came back after \(left), but \(again)")
      }
    case .halfOpen where model.probes.count < model.settings.permits:
      let lease = model.settings.lease ?? max(model.lastBreak, .seconds(10))
      let leaseEnd = model.time + Int((lease.inSeconds * 1000).rounded(.up))
      try accept(decision, model.begin(isProbe: true, leaseEnd: leaseEnd))
    case .halfOpen where model.probes.contains { $0.leaseEnd <= model.time }:
      let failures = model.results.count { !$0 } + 1
      try open(event, failures: failures, leaseExpired: true)
      try expect(decision == .open(retryAfter: model.lastBreak), "expired, but \(decision)")
    case .halfOpen:
      try expect(decision == .refused(.probing), "all places are taken, but \(decision)")
      try expect(event == nil, "told \(event, default: "-")")
    }
  }

  private mutating func accept(_ decision: Machine.Decision, _ id: Int) throws(Disagreement) {
    guard case .admitted(let token) = decision else {
      throw Disagreement(what: "call \(id) was to be admitted, but \(decision)")
    }
    tokens[id] = token
  }

  private mutating func settle(
    _ action: Action, _ pick: Int, _ fraction: Double
  ) throws(Disagreement) {
    let ids = tokens.keys.sorted()
    guard !ids.isEmpty else { return }
    let id = ids[pick % ids.count]
    guard let token = tokens.removeValue(forKey: id), let call = model.calls.removeValue(forKey: id)
    else { return }
    let verdict: Machine.Verdict =
      action == .succeed ? .success : action == .fail ? .failure : .neutral
    let event = machine.settle(token, verdict, now: .milliseconds(now), fraction: fraction)
    model.time = max(model.time, now)
    guard call.generation == model.generation else {
      let late = Machine.Event.stale(
        succeeded: action == .succeed, admittedIn: UInt64(call.generation),
        endedIn: UInt64(model.generation))
      try expect(event == (action == .drop ? nil : late), "late, but \(event, default: "-")")
      return
    }
    if action != .drop { model.results.append(action == .succeed) }
    let failures = model.results.count { !$0 }
    if model.mode == .closed {
      let run = model.results.suffix(model.settings.failureThreshold ?? .max)
      let trips =
        action == .fail && run.count == model.settings.failureThreshold && !run.contains(true)
      guard trips else { return try expect(event == nil, "told \(event, default: "-")") }
      return try open(event, failures: run.count, leaseExpired: false)
    }
    if action == .succeed, model.results.count - failures >= model.settings.required {
      try expect(event == .closed, "closed, but \(event, default: "-")")
      return forget()
    }
    let tolerated = max(0, model.settings.permits - model.settings.required)
    if action == .fail, failures > tolerated {
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
    model.time = max(model.time, now)
    model.lastBreak = breakFor
    model.openUntil = .milliseconds(model.time) + breakFor
    model.failedCycles += 1
    model.change(to: .open)
  }

  private mutating func forget() {
    model.change(to: .closed)
    model.failedCycles = 0
  }

  private func check(after before: Machine) throws(Disagreement) {
    let mode: NaiveBreaker.Mode =
      switch machine.state {
      case .closed: .closed
      case .open: .open
      case .halfOpen: .halfOpen
      case .isolated: .isolated
      }
    try expect(mode == model.mode, "is \(mode), should be \(model.mode)")
    try expect(machine.epoch == UInt64(model.generation), "the epoch is wrong")
    let taken = machine.leases.count { $0 != nil }
    try expect(taken == model.probes.count, "\(taken) places are taken")
    try expect(taken <= machine.settings.permits, "\(taken) places are taken")
    try expect(machine.state == .halfOpen || taken == 0, "a place is taken while \(mode)")
    if machine.state != before.state {
      try expect(machine.epoch == before.epoch + 1, "the epoch did not grow by one")
      try expect(isLegal(from: before.state, to: machine.state), "\(before.state) → \(mode)")
    }
  }

  private func isLegal(from: Machine.State, to: Machine.State) -> Bool {
    switch (from, to) {
    case (.closed, .open), (.open, .halfOpen), (.halfOpen, .open), (.halfOpen, .closed): true
    case (.open, .closed): true  // by a reset
    case (_, .isolated), (.isolated, .closed): true
    default: false
    }
  }

  private func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws(Disagreement) {
    guard holds else { throw Disagreement(what: what()) }
  }
}
