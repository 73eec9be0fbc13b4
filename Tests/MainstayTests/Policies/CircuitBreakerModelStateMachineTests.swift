// SPDX-License-Identifier: Apache-2.0

@testable import Mainstay

/// A second opinion about breakers, which keeps lists instead of counters.
///
/// It looks everything up in the results of the current generation. Time is a whole number of
/// milliseconds, and spans of windows are multiples of ten of them.
struct NaiveBreaker {
  enum State: Equatable { case closed, open, halfOpen, isolated }
  enum Kind { case regular, probe, outside }

  struct Call {
    let generation: Int
    let kind: Kind
    var leaseEnd = 0
  }

  /// A result and the part of its window that it fell into.
  struct Sample {
    let part: Int
    let isFailure: Bool
    let isSlow: Bool
  }

  /// The samples of one span, all that ever were.
  struct Window {
    let span: CircuitBreaker.Window
    var samples: [Sample] = []
    var anchor: Int?
    var lastPart = 0

    mutating func add(isFailure: Bool, isSlow: Bool, at time: Int) {
      if case .time(let length) = span {
        let start = anchor ?? time
        anchor = start
        let part = (time - start) * 10 / Int(length.inSeconds * 1000)
        if part - lastPart >= 10 {
          (samples, anchor, lastPart) = ([], time, 0)
        } else {
          lastPart = part
        }
      }
      samples.append(Sample(part: lastPart, isFailure: isFailure, isSlow: isSlow))
    }

    var held: [Sample] {
      switch span {
      case .count(let size): samples.suffix(size)
      case .time: samples.filter { $0.part > lastPart - 10 }
      }
    }

    func causes(_ rate: CircuitBreakerStateMachine.Rate) -> Int? {
      let count = held.count { rate.counts == .failures ? $0.isFailure : $0.isSlow }
      guard held.count >= rate.minimum else { return nil }
      return Double(count) / Double(held.count) >= rate.threshold ? count : nil
    }
  }

  private(set) var settings: CircuitBreakerStateMachine.Settings
  var state = State.closed
  private(set) var generation = 0
  var results: [Bool] = []
  private(set) var windows: [Window]
  private(set) var calls: [Int: Call] = [:]
  private var nextID = 0
  var holds = 0
  private(set) var nextBreak: Double
  var openUntil = Duration.zero
  var lastBreak = Duration.zero
  var time = Int.min
  /// The most permits since the generation began.
  private(set) var mostPermits: Int

  init(_ settings: CircuitBreakerStateMachine.Settings) {
    self.settings = settings
    nextBreak = settings.firstBreak.inSeconds
    mostPermits = settings.permits
    windows = settings.spans.map { Window(span: $0) }
  }

  var probes: [Call] {
    calls.values.filter { $0.kind == .probe && $0.generation == generation }
  }

  var failuresInARow: Int { results.reversed().prefix { !$0 }.count }

  /// How long the next break is at least and at most.
  var breakBounds: ClosedRange<Duration> {
    .seconds(nextBreak - 1e-6)...(.seconds(nextBreak * (1 + settings.jitter) + 1e-6))
  }

  mutating func change(to state: State) {
    self.state = state
    results = []
    windows = settings.spans.map { Window(span: $0) }
    renew()
  }

  /// Begins a new generation of calls.
  mutating func renew() {
    generation += 1
    mostPermits = settings.permits
    if state == .halfOpen { results = [] }
  }

  mutating func open(until end: Duration, after length: Duration) {
    (openUntil, lastBreak) = (end, length)
    nextBreak = max(
      nextBreak, min(nextBreak * settings.growth, settings.maximumBreak.inSeconds))
    change(to: .open)
  }

  mutating func forget() {
    change(to: .closed)
    nextBreak = settings.firstBreak.inSeconds
  }

  mutating func update(_ new: CircuitBreakerStateMachine.Settings) {
    let first = new.firstBreak.inSeconds
    let hasGrown = abs(nextBreak - settings.firstBreak.inSeconds) > 1e-6
    nextBreak = hasGrown ? min(max(nextBreak, first), new.maximumBreak.inSeconds) : first
    windows = new.spans.map { span in
      windows.first { $0.span == span } ?? Window(span: span)
    }
    let isOtherMode = new.mode != settings.mode
    settings = new
    mostPermits = max(mostPermits, new.permits)
    if isOtherMode { renew() }
  }

  /// Goes on as after a launch: with what a snapshot keeps.
  mutating func relaunch() {
    let failures = state == .closed ? failuresInARow : 0
    let remaining: Duration? =
      switch state {
      case .open: max(.zero, openUntil - .milliseconds(time))
      case .halfOpen: .zero
      case .closed, .isolated: nil
      }
    change(to: .closed)
    results = Array(repeating: false, count: failures)
    guard let remaining else { return }
    state = .open
    // Breaks are lengthened by whole nanoseconds.
    let longest =
      settings.maximumBreak + .clamped(seconds: settings.maximumBreak.inSeconds * settings.jitter)
    lastBreak = min(remaining, longest)
    openUntil = .milliseconds(time) + lastBreak
  }

  mutating func begin(_ kind: Kind, leaseEnd: Int = 0) -> Int {
    calls[nextID] = Call(generation: generation, kind: kind, leaseEnd: leaseEnd)
    nextID += 1
    return nextID - 1
  }

  mutating func end(_ id: Int) -> Call? { calls.removeValue(forKey: id) }

  /// Adds a result while closed; returns how many calls are reason to open.
  mutating func record(isFailure: Bool, isSlow: Bool) -> Int? {
    results.append(!isFailure)
    for index in windows.indices {
      windows[index].add(isFailure: isFailure, isSlow: isSlow, at: time)
    }
    guard isFailure || isSlow else { return nil }
    if let threshold = settings.failureThreshold, failuresInARow >= threshold {
      return failuresInARow
    }
    for rate in settings.rates {
      let window = windows.first { $0.span == rate.span }
      if let causes = window?.causes(rate) { return causes }
    }
    return nil
  }
}
