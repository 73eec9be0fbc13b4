// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

/// Every order of events that three callers, a clock and an operator can bring about, against the
/// invariants of the page about breakers.
///
/// Worlds that differ only in names, such as the number of an epoch or which caller is which, are
/// the same; none is looked at twice.
@Suite struct CircuitBreakerExplorationTests {
  private typealias Settings = CircuitBreakerStateMachine.Settings

  private static let settings: [Settings] = [
    Settings(failureThreshold: 1),
    Settings(failureThreshold: 2, permits: 2, required: 1),
    Settings(failureThreshold: 2, permits: 2, required: 2, lease: .seconds(3)),
    Settings(failureThreshold: 1, permits: 1, required: 2, lease: .seconds(7)),
    Settings(
      failureThreshold: nil,
      rates: [.init(counts: .failures, threshold: 0.5, span: .count(3), minimum: 2)], permits: 2),
    Settings(
      failureThreshold: 3, slowerThan: .seconds(1),
      rates: [
        .init(counts: .failures, threshold: 0.6, span: .time(.seconds(10)), minimum: 2),
        .init(counts: .slowCalls, threshold: 1, span: .time(.seconds(10)), minimum: 2),
      ]),
    Settings(mode: .metricsOnly, failureThreshold: 1, permits: 2, required: 2),
  ]

  @Test(
    .requirement("P1", "P2", "P3", "P4", "P5", "P6", "P8", "T1", "T2", "T3", "T4"),
    arguments: settings.indices)
  func `every order of events keeps the invariants`(index: Int) throws {
    var settings = Self.settings[index]
    settings.firstBreak = .seconds(3)
    settings.maximumBreak = .seconds(6)
    settings.jitter = 0
    let start = BreakerWorld(settings, callers: RandomDose.isTorture ? 4 : 3)
    var seen: Set<BreakerWorld.Form> = [start.form]
    var frontier = [start]
    for depth in 1...depth(settings) where !frontier.isEmpty {
      var next: [BreakerWorld] = []
      for world in frontier {
        for action in world.actions {
          var after = world
          do throws(BreakerWorld.Broken) {
            try after.perform(action)
          } catch {
            Issue.record("\(error.what), by \(action) at depth \(depth), from \(world)")
            return
          }
          if seen.insert(after.form).inserted { next.append(after) }
        }
      }
      frontier = next
    }
    #expect(seen.count > 80)
    #expect(frontier.isEmpty || !settings.rates.isEmpty, "there was more to find")
  }

  /// Without windows all worlds that there are have been seen long before; windows multiply them.
  private func depth(_ settings: Settings) -> Int {
    if settings.rates.isEmpty { return 60 }
    return RandomDose.isTorture ? 16 : 10
  }
}

/// A breaker machine, the callers that it admitted, and who holds it isolated.
private struct BreakerWorld {
  typealias Machine = CircuitBreakerStateMachine

  enum Action {
    case admit(Int)
    case end(Int, Machine.Verdict, isSlow: Bool)
    /// The clock reaches the end of the break or of the first lease, or moves on.
    case expire
    /// The clock moves on by a second.
    case tick
    case isolate
    case endIsolation
    case reset
    case open(Duration?)
    case halfOpen
    case close
    case setMode(CircuitBreaker.Mode)
  }

  struct Broken: Error { let what: String }

  private var machine: Machine
  private var callers: [Machine.Token?]
  private var holds = 0

  init(_ settings: Machine.Settings, callers: Int) {
    machine = Machine(settings)
    self.callers = Array(repeating: nil, count: callers)
    _ = machine.retryAfter(now: .zero)  // from here on it knows what time it is
  }

  /// Everything that can happen next.
  var actions: [Action] {
    var actions: [Action] = [
      .expire, .tick, .isolate, .reset, .open(nil), .open(.seconds(2)), .halfOpen, .close,
    ]
    for (index, token) in callers.enumerated() {
      guard let token else {
        actions.append(.admit(index))
        continue
      }
      actions += [.success, .failure, .neutral].map { .end(index, $0, isSlow: false) }
      if machine.settings.slowerThan != nil, token.epoch == machine.epoch {
        actions.append(.end(index, .success, isSlow: true))
      }
    }
    if holds > 1 { actions.removeAll { if case .isolate = $0 { true } else { false } } }
    if holds > 0 { actions.append(.endIsolation) }
    if machine.settings.mode != .enabled { actions.append(.setMode(.enabled)) }
    if machine.settings.mode == .metricsOnly { actions.append(.setMode(.disabled)) }
    return actions
  }

  mutating func perform(_ action: Action) throws(Broken) {
    let before = machine
    var event: Machine.Event?
    switch action {
    case .admit(let caller): event = try admit(caller)
    case .end(let caller, let verdict, let isSlow):
      event = try end(caller, verdict, isSlow: isSlow)
    case .expire: _ = machine.retryAfter(now: machine.latest + timeToWait)
    case .tick: _ = machine.retryAfter(now: machine.latest + .seconds(1))
    case .isolate:
      holds += 1
      event = machine.isolate()
    case .endIsolation:
      holds -= 1
      event = machine.endIsolation()
    case .reset: event = machine.reset()
    case .open(let length): event = machine.forceOpen(for: length, now: machine.latest, fraction: 0)
    case .halfOpen: event = machine.forceHalfOpen()
    case .close: event = machine.forceClosed()
    case .setMode(let mode): event = machine.setMode(mode)
    }
    try check(action, after: before, event)
  }

  private var timeToWait: Duration {
    switch machine.state {
    case .open(let until): max(.zero, until - machine.latest)
    case .halfOpen:
      machine.leases.compactMap { $0 }.min().map { max(.zero, $0 - machine.latest) }
        ?? .seconds(1)
    case .closed, .isolated: machine.needsReading ? .seconds(4) : .zero
    }
  }

  private mutating func admit(_ caller: Int) throws(Broken) -> Machine.Event? {
    let before = machine
    let (decision, event) = machine.admit(now: machine.latest, fraction: 0)
    switch decision {
    case .admitted(let token):
      callers[caller] = token
      if machine.settings.mode != .disabled {
        try expect(
          machine.state == .closed || (machine.state == .halfOpen && token.slot != nil),
          "admitted while \(machine.state)")
      }
    case .admittedAnyway(let token, _):
      callers[caller] = token
      try expect(before.settings.mode == .metricsOnly, "admitted although enabled")
      try expect(token.place == .outside, "a call that is only watched counts")
    case .refused(let refusal):
      try expect(before.settings.mode == .enabled, "refused although only watching")
      if case .open(let retryAfter) = refusal { try keepsPromise(retryAfter) }
      try expect((refusal == .isolated) == (holds > 0), "isolated, but nobody asked for it")
    }
    return event
  }

  /// Who comes back at the promised time is let through, and nobody before.
  private func keepsPromise(_ retryAfter: Duration) throws(Broken) {
    try expect(retryAfter > .zero, "asks to come back at once, but refuses")
    var early = machine
    let sooner = early.admit(now: machine.latest + retryAfter - .nanoseconds(1), fraction: 0)
    if case .admitted = sooner.decision { throw Broken(what: "let through during the break") }
    var later = machine
    let then = later.admit(now: machine.latest + retryAfter, fraction: 0)
    guard case .admitted(let token) = then.decision, token.slot == 0, then.event == .halfOpened
    else { throw Broken(what: "promised \(retryAfter), but then \(then)") }
  }

  private mutating func end(
    _ caller: Int, _ verdict: Machine.Verdict, isSlow: Bool
  ) throws(Broken) -> Machine.Event? {
    guard let token = callers[caller] else { return nil }
    callers[caller] = nil
    let before = Form(of: self)
    let event = machine.settle(
      token, verdict, took: isSlow ? .seconds(2) : .zero, now: machine.latest, fraction: 0)
    if token.place == .outside {
      try expect(event == nil && before == Form(of: self), "an outsider changed something")
    } else if token.epoch != machine.epoch, event.map(isStale) ?? true {
      try expect(before == Form(of: self), "a stale token changed something")
      try expect((event == nil) == (verdict == .neutral), "told \(event, default: "-")")
    }
    return event
  }

  private func isStale(_ event: Machine.Event) -> Bool {
    if case .stale = event { true } else { false }
  }

  private func check(
    _ action: Action, after before: Machine, _ event: Machine.Event?
  ) throws(Broken) {
    let taken = machine.leases.count { $0 != nil }
    let probes = callers.count { $0?.epoch == machine.epoch && $0?.slot != nil }
    try expect(machine.leases.count == machine.settings.permits, "the places are not the permits")
    try expect(taken == probes, "\(taken) places are taken by \(probes) probes")
    try expect(taken == 0 || machine.state == .halfOpen, "a place is taken, but not half-open")
    try expect(machine.isolations == holds, "\(machine.isolations) holds, but \(holds) are held")
    try expect((machine.state == .isolated) == (holds > 0), "holds and isolation differ")
    if machine.state == before.state {
      try expect(machine.epoch >= before.epoch, "the epoch went back")
    } else {
      try expect(machine.epoch == before.epoch + 1, "the epoch did not grow by one")
      try expect(event != nil, "nothing was told of a change")
    }
    guard case .opened(let causes, let breakFor, let leaseExpired)? = event else {
      if case .open = machine.state {
        try expect(machine.state == before.state, "opened without a reason")
      }
      return
    }
    if case .open(let length) = action {
      try expect(causes == 0 && !leaseExpired, "opened by hand, but there was a cause")
      try expect(before.isolations == 0, "opened although isolated")
      return try expect(breakFor == length ?? before.nextBreak, "another break than was asked for")
    }
    try expect(causes >= 1, "opened without a cause")
    try expect(breakFor >= before.nextBreak, "a break was shortened")
    switch action {
    case .end(_, .failure, _), .end(_, .success, isSlow: true):
      try expect(!leaseExpired, "an answer is no expiry")
    case .admit: try expect(leaseExpired && before.state == .halfOpen, "opened by a call")
    default: throw Broken(what: "opened by \(action)")
    }
  }

  private func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws(Broken) {
    guard holds else { throw Broken(what: what()) }
  }
}

extension BreakerWorld {
  var form: Form { Form(of: self) }

  /// A world without what makes no difference: times are relative, callers have no names.
  struct Form: Hashable {
    private enum Caller: Hashable, Comparable {
      case none, stale, outside, regular
      case probe(Int)
    }

    private struct Window: Hashable {
      let contents: [SlidingWindow.Totals]
      let timeLeft: Duration?
    }

    private let name: String
    private let breakLeft: Duration?
    private let counts: [Int]
    private let breaks: [Duration]
    private let leases: [Duration?]
    private let windows: [Window]
    private let mode: CircuitBreaker.Mode
    private let callers: [Caller]

    init(of world: BreakerWorld) {
      let machine = world.machine
      let latest = machine.latest
      var breakLeft: Duration?
      switch machine.state {
      case .closed: name = "closed"
      case .open(let until):
        name = "open"
        breakLeft = max(.zero, until - latest)
      case .halfOpen: name = "half-open"
      case .isolated: name = "isolated"
      }
      self.breakLeft = breakLeft
      counts = [machine.failures, machine.successes, machine.isolations]
      // The length of the last break matters for as long as leases go by it.
      breaks = [machine.nextBreak, max(machine.currentBreak, Machine.shortestDefaultLease)]
      leases = machine.leases.map { $0.map { max(.zero, $0 - latest) } }
      windows = machine.windows.map { window in
        Window(
          contents: window.contents,
          timeLeft: window.currentEnd.map { max(.zero, $0 - latest) })
      }
      mode = machine.settings.mode
      callers = world.callers.map { token in
        guard let token else { return .none }
        guard token.place != .outside else { return .outside }
        guard token.epoch == machine.epoch else { return .stale }
        return token.slot.map { .probe($0) } ?? .regular
      }.sorted()
    }
  }
}
