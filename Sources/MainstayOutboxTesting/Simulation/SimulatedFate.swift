// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox
internal import MainstayTesting

/// What becomes of one call.
struct SimulatedFate: Sendable {
  /// It fails at once, and the server does nothing.
  var refusal: AppError?
  /// After which times it arrives; more than once where the network repeats it.
  var arrivals: [Duration] = []
  /// How long the answer takes; nil where it is lost.
  var back: Duration?

  /// After how many milliseconds a call arrives that is late, or arrives again.
  static let lateness = 20_000...90_000
}

/// The errors of a network and of what stands before a server.
enum SimulatedFault {
  static func offline() -> AppError {
    error("simulation.offline", .offline, .transient(), "There is no network.")
  }

  static func portal() -> AppError {
    error("simulation.portal", .portal, .transient(), "A network answered instead of the server.")
  }

  static func silence() -> AppError {
    error("simulation.silence", .timeout, .unknownOutcome, "No answer came in time.")
  }

  private static func error(
    _ code: ErrorCode, _ kind: ErrorKind, _ disposition: Disposition, _ text: String
  ) -> AppError {
    AppError(
      code: code, kind: kind, disposition: disposition, title: "The call failed",
      message: LocalizableText(verbatim: text))
  }
}

extension SimulationWorld {
  /// What becomes of the next call under a key; the same for the same seed, key and number of call.
  func fate(of key: IdempotencyKey?, _ life: SimulatedLife) -> SimulatedFate {
    state.withLock { state in
      state.coverage["calls", default: 0] += 1
      if let key { state.book.called(key) }
      let entry = key.flatMap { state.book.entry(of: $0) }
      let number = UInt64(entry?.number ?? 0) << 20 | UInt64(entry?.calls ?? state.log.count)
      var generator = SeededGenerator(seed: seed &+ number &* 0x9E37_79B9_7F4A_7C15)
      switch state.links[life.device] {
      case .down: return SimulatedFate(refusal: SimulatedFault.offline())
      case .portal: return SimulatedFate(refusal: SimulatedFault.portal())
      case .up: break
      }
      if let error = state.refusal(&generator) {
        state.coverage["refused: \(error.code.rawValue)", default: 0] += 1
        return SimulatedFate(refusal: error)
      }
      let fate = state.passage(&generator)
      if let key { state.book.sent(key, fate.arrivals.count) }
      return fate
    }
  }

  /// A call has been carried out by the server.
  func arrived<Value>(
    _ key: IdempotencyKey?, _ effect: String, _ result: Result<Value, any Error>, hasChanged: Bool
  ) {
    let isCarriedOut = (try? result.get()) != nil
    state.withLock { state in
      guard let key, !state.isOver else { return }
      let name = state.book.entry(of: key).map { state.book.name($0.id) } ?? "\(key)"
      state.note(
        "the server \(isCarriedOut ? hasChanged ? "does" : "sees" : "refuses") \(name)\(effect)")
      if hasChanged { state.coverage["effects", default: 0] += 1 }
      let finding = state.book.arrived(
        key, effect: effect, isCarriedOut: isCarriedOut, hasChanged: hasChanged)
      if let finding { state.violate(finding.law, finding.details) }
    }
  }

  /// Somebody waits for an answer; tells by which number.
  func opened(_ end: @escaping @Sendable () -> Void) -> Int {
    let (number, isOver) = state.withLock { state in
      state.eventCount += 1
      if !state.isOver { state.openCalls[state.eventCount] = end }
      return (state.eventCount, state.isOver)
    }
    if isOver { end() }
    return number
  }

  func closed(_ number: Int) { state.withLock { $0.openCalls[number] = nil } }
}

extension SimulationWorld.State {
  fileprivate func refusal(_ generator: inout SeededGenerator) -> AppError? {
    let luck = Int.random(in: 0..<100, using: &generator)
    if faultsAreOff { return nil }
    switch mood {
    case .failing where luck < 90: return .http(status: 503, isRepeatable: true)
    case .throttling where luck < 60: return .http(status: 429, retryAfter: .seconds(5))
    default: break
    }
    switch luck {
    case 90..<94 where faults.contains(.failures): return .http(status: 503, isRepeatable: true)
    case 94..<96 where faults.contains(.throttling): return .http(status: 429)
    case 96..<98 where faults.contains(.conflicts): return .http(status: 409)
    case 98 where faults.contains(.refusals): return .http(status: 422)
    case 99 where faults.contains(.signIns): return .http(status: 401)
    default: return nil
    }
  }

  /// How a call travels that nothing refuses.
  fileprivate mutating func passage(_ generator: inout SeededGenerator) -> SimulatedFate {
    func some(_ range: ClosedRange<Int>) -> Duration {
      .milliseconds(Int.random(in: range, using: &generator))
    }
    let luck = Int.random(in: 0..<100, using: &generator)
    var fate = SimulatedFate(arrivals: [some(5...150)], back: some(5...150))
    let late = some(SimulatedFate.lateness)
    if faultsAreOff { return fate }
    if mood == .slow { fate.arrivals = [late / 2] }
    switch luck {
    case 0..<5 where faults.contains(.losses): fate.arrivals = []
    case 5..<15 where faults.contains(.losses): fate.back = nil
    case 15..<23 where faults.contains(.repetitions): fate.arrivals.append(late)
    case 23..<30 where faults.contains(.lateness): fate.arrivals = [late]
    default: return fate
    }
    let what =
      luck < 5 ? "lost call" : luck < 15 ? "lost answer" : luck < 23 ? "arrives twice" : "late"
    coverage[what, default: 0] += 1
    return fate
  }
}
