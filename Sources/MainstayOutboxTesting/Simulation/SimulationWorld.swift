// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox
internal import MainstayTesting

/// One process of one device, from its start to its death.
final class SimulatedLife: Sendable {
  let device: Int
  let number: Int
  let clock = ManualClock()
  /// The reading of the world at which its clock read zero.
  let start: Duration

  init(device: Int, number: Int, start: Duration) {
    self.device = device
    self.number = number
    self.start = start
  }
}

/// What all devices of a simulation share: time, who goes on next, and what happened.
///
/// Whatever a device does with the world outside its memory passes one of the gates here and waits
/// there until the simulation lets it go on. A device that has died waits for ever, so nothing that
/// it had begun has any effect; at the end of the simulation those waits end with an error.
final class SimulationWorld: Sendable {
  typealias Wait = UnsafeContinuation<Void, any Error>

  /// Something that happens at a known time.
  struct Event {
    let due: Duration
    let number: Int
    let action: @Sendable () -> Void
  }

  struct State {
    var now = Duration.zero
    var turns: [(life: SimulatedLife, wait: Wait)] = []
    var events: [Event] = []
    var eventCount = 0
    var frozen: [Wait] = []
    /// Ends calls that nobody will answer any more.
    var openCalls: [Int: @Sendable () -> Void] = [:]
    var deadLives: Set<Int> = []
    /// The processes whose outbox is paused.
    var paused: Set<Int> = []
    /// After how many durable steps a device dies.
    var countdown: [Int: Int] = [:]
    var justDied: [SimulatedLife] = []
    var isOver = false
    var passesAfterEnd = 0
    var looks = 0
    var links: [SimulatedLink]
    /// How far the time of day of each device has been set.
    var clocks: [Duration]
    /// The devices that have not looked for what is due since their clocks were set ahead.
    var unaware: Set<Int> = []
    var mood = SimulatedMood.well
    var faults: SimulatedFaults
    var faultsAreOff = false
    var book = SimulationBook()
    var log: [String] = []
    /// How often somebody has begun to use a device, and what the last one of them threw.
    var edits = 0
    var editError: String?
    var coverage: [String: Int] = [:]
    var violation: (law: String, details: String)?
  }

  static let insideLaw = "everything goes on inside the simulation"

  let seed: UInt64
  let state: Locked<State>

  init(seed: UInt64, devices: Int, faults: SimulatedFaults) {
    self.seed = seed
    state = Locked(
      State(
        links: Array(repeating: .up, count: devices),
        clocks: Array(repeating: .zero, count: devices), faults: faults))
  }

  var now: Duration { state.withLock { $0.now } }
  /// The time of day of a device, in whole milliseconds, as stores keep it.
  func date(on device: Int) -> Date {
    let time = state.withLock { $0.now + $0.clocks[device] }
    let milliseconds = Int64((time.inSeconds * 1000).rounded(.down))
    return Date(timeIntervalSince1970: Double(1_800_000_000_000 + milliseconds) / 1000)
  }

  var isBroken: Bool { state.withLock { $0.violation != nil } }

  /// True one time of four.
  var mayLook: Bool {
    state.withLock { state in
      state.looks += 1
      return state.looks % 4 == 0
    }
  }

  func change<T: Sendable>(_ body: (inout sending State) -> sending T) -> T {
    state.withLock(body)
  }

  func note(_ line: String) { state.withLock { $0.note(line) } }

  func isDead(_ life: SimulatedLife) -> Bool {
    state.withLock { $0.deadLives.contains(life.number) }
  }

  /// Waits until it is this one's turn to go on.
  func turn(_ life: SimulatedLife) async throws {
    let isInside = CapturedTasks.isCapturing
    try await withUnsafeThrowingContinuation { (wait: Wait) in
      let isOver = state.withLock { state in
        if !isInside {
          state.violate(
            Self.insideLaw,
            "something went on outside of the simulation: workers wait with the device's clock, and"
              + " neither yield nor sleep by themselves")
        }
        if state.isOver { return state.mayEnd() }
        if state.deadLives.contains(life.number) {
          state.frozen.append(wait)
        } else {
          state.turns.append((life, wait))
        }
        return false
      }
      if isOver { wait.resume(throwing: OutboxError(.shutDown, details: "the simulation is over")) }
    }
  }

  /// A step that may be the last of its life.
  func reached(_ step: SimulatedStep, _ life: SimulatedLife) async throws {
    let dies = state.withLock { state in
      guard !state.isOver, !state.deadLives.contains(life.number),
        let left = state.countdown[life.device]
      else { return false }
      state.countdown[life.device] = left - 1
      guard left <= 1 else { return false }
      state.kill(life, "at “\(step.rawValue)”")
      state.coverage["crashed: \(step.rawValue)", default: 0] += 1
      return true
    }
    // It waits for ever, since it is dead.
    if dies { try await turn(life) }
  }

  /// Lets something happen after a time; tells by which number to ``forget(_:)`` it.
  @discardableResult
  func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.eventCount += 1
      state.events.append(
        Event(due: state.now + delay, number: state.eventCount, action: action))
      return state.eventCount
    }
  }

  func forget(_ event: Int) { state.withLock { $0.events.removeAll { $0.number == event } } }

  /// Ends all waits: what is left of the devices may go away.
  func end() {
    let (waits, calls) = state.withLock { state in
      state.isOver = true
      let waits = state.turns.map(\.wait) + state.frozen
      let calls = state.openCalls.sorted { $0.key < $1.key }.map(\.value)
      (state.turns, state.frozen, state.events, state.openCalls) = ([], [], [], [:])
      return (waits, calls)
    }
    for wait in waits {
      wait.resume(throwing: OutboxError(.shutDown, details: "the simulation is over"))
    }
    for call in calls { call() }
  }
}

extension SimulationWorld.State {
  mutating func note(_ line: String) {
    log.append("\(now.formatted) \(line)")
  }

  mutating func violate(_ law: String, _ details: String) {
    guard violation == nil, !isOver else { return }
    violation = (law, details)
    note("VIOLATION: \(details)")
  }

  mutating func kill(_ life: SimulatedLife, _ where: String) {
    guard deadLives.insert(life.number).inserted else { return }
    note("device \(life.device) dies \(`where`)")
    countdown[life.device] = nil
    justDied.append(life)
    frozen += turns.filter { $0.life === life }.map(\.wait)
    turns.removeAll { $0.life === life }
    book.died(life.device)
  }

  /// After the end, nothing waits; but a loop that does not heed that is stopped.
  fileprivate mutating func mayEnd() -> Bool {
    passesAfterEnd += 1
    return passesAfterEnd < 100_000
  }
}

/// The steps that a crash can fall between.
enum SimulatedStep: String, CaseIterable {
  case beforeEnqueue = "before an enqueue is kept"
  case afterEnqueue = "after an enqueue is kept"
  case beforeClaim = "before a claim is kept"
  case afterClaim = "after a claim is kept"
  case beforeEffect = "before an effect"
  case afterEffect = "after an effect"
  case beforeSettle = "before an end is kept"
  case afterSettle = "after an end is kept"
}

/// What a device has of the network.
enum SimulatedLink: String, CaseIterable {
  case up, down, portal
}

/// How the server does.
enum SimulatedMood: String, CaseIterable {
  case well, failing, throttling, slow
}

extension Duration {
  var formatted: String {
    let tenths = components.seconds * 10 + components.attoseconds / 100_000_000_000_000_000
    return "[\(tenths / 10).\(tenths % 10) s]"
  }
}
