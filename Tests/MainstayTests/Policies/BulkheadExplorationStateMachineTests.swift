// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Mainstay

/// Every interleaving of a few callers at one bulkhead, up to a depth; equal states are looked at
/// once.
@Suite struct BulkheadExplorationTests {
  @Test(
    .requirement("P31", "P32", "P37"), arguments: [0, 1, 2, 3], Bulkhead.Order.allCases)
  func `every interleaving keeps the invariants`(queue: Int, order: Bulkhead.Order) throws {
    for limit in 1...2 {
      var explorer = Explorer()
      try explorer.explore(
        BulkheadWorld(.init(limit: limit, queue: queue, order: order)), depth: 10)
      #expect(explorer.seen.count > 20)
    }
  }

  private struct Explorer {
    /// How deep each state was looked into already.
    var seen: [BulkheadWorld.Shape: Int] = [:]

    mutating func explore(_ world: BulkheadWorld, depth: Int) throws {
      if let before = seen[world.shape], before >= depth { return }
      seen[world.shape] = depth
      try world.check()
      var ending = world
      try ending.leaveAll()
      guard depth > 0 else { return }
      for action in world.actions {
        var next = world
        do { try next.perform(action) } catch {
          Issue.record("\(error), by \(action) from \(world.shape)")
          throw error
        }
        try explore(next, depth: depth - 1)
      }
    }
  }
}

@Suite struct BulkheadWalkTests {
  @Test(.requirement("P31", "P32", "P37"))
  func `random walks with many callers keep the invariants`() throws {
    for seed in 0..<RandomDose.schedules / 10 {
      var random = SplitMix64(seed: seed)
      var world = BulkheadWorld(
        .init(
          limit: .random(in: 1...4, using: &random), queue: .random(in: 0...18, using: &random),
          order: Bool.random(using: &random) ? .fifo : .lifoUnderOverload),
        callers: 24)
      do {
        for _ in 0..<500 {
          try world.perform(world.action(using: &random))
          try world.check()
        }
        try world.leaveAll()
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }
}

/// A bulkhead's machine, and what its callers know.
private struct BulkheadWorld {
  enum Caller: Hashable { case away, running, waiting(UInt64) }

  enum Action: Hashable {
    case ask(Int)
    case giveBack(Int)
    case cancel(Int)
    case expire(Int)
    case limit(Int)
    case pass
  }

  /// A state without names and absolute times: what goes on from equal ones is equal.
  struct Shape: Hashable {
    let limit: Int
    let running: Int
    let callers: [Int]
    let ages: [Int]
  }

  struct Broken: Error { let what: String }

  private var machine: BulkheadStateMachine
  private var callers: [Caller]
  /// When each caller began to wait, in seconds.
  private var since: [Int]
  private var now = 0
  /// Up to how many may run, where the limit was lowered below those who ran.
  private var ceiling: Int
  private let queue: Int
  private let order: Bulkhead.Order
  private static let willing = 4

  init(_ settings: BulkheadStateMachine.Settings, callers count: Int = 3) {
    machine = BulkheadStateMachine(settings)
    callers = Array(repeating: .away, count: count)
    since = Array(repeating: 0, count: count)
    ceiling = settings.limit
    queue = settings.queue
    order = settings.order
  }

  var shape: Shape {
    let line = machine.waiters
    let places = callers.map { caller -> Int in
      switch caller {
      case .away: -2
      case .running: -1
      case .waiting(let id): line.firstIndex(of: id) ?? -3
      }
    }
    let ages = zip(callers, since).map { caller, since in
      if case .waiting = caller { min(now - since, Self.willing) } else { 0 }
    }
    return Shape(limit: machine.limit, running: machine.running, callers: places, ages: ages)
  }

  var actions: [Action] {
    let own = callers.indices.flatMap { index -> [Action] in
      switch callers[index] {
      case .away: [.ask(index)]
      case .running: [.giveBack(index)]
      case .waiting: [.cancel(index), .expire(index)]
      }
    }
    return own + [.limit(1), .limit(2), .limit(3), .pass]
  }

  func action(using random: inout SplitMix64) -> Action {
    let index = Int.random(in: callers.indices, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return .limit(.random(in: 1...5, using: &random))
    case 1: return .pass
    case let chance:
      switch callers[index] {
      case .away: return .ask(index)
      case .running: return chance < 6 ? .giveBack(index) : .pass
      case .waiting: return chance < 4 ? .cancel(index) : chance < 6 ? .expire(index) : .pass
      }
    }
  }

  mutating func perform(_ action: Action) throws {
    switch action {
    case .ask(let index): try ask(index)
    case .giveBack(let index):
      let expected = isNewestNext ? machine.waiters.last : machine.waiters.first
      callers[index] = .away
      if machine.giveBackIfNobodyWaits() {
        try expect(expected == nil, "somebody waited")
      } else {
        let mayRun = machine.running - 1 < machine.limit
        let granted = machine.giveBack(now: .seconds(now))
        try expect(granted == (mayRun ? expected : nil), "not handed to the next in line")
        if let granted { try begin(granted) }
      }
    case .cancel(let index), .expire(let index):
      guard case .waiting(let id) = callers[index] else { return }
      try expect(machine.leave(id), "a waiter could not leave")
      try expect(!machine.leave(id), "a waiter left twice")
      callers[index] = .away
    case .limit(let limit):
      let line = machine.waiters
      let isNewest = isNewestNext
      var settings = machine.settings
      settings.limit = limit
      let granted = machine.update(settings, now: .seconds(now))
      if !isNewest { try expect(granted == Array(line.prefix(granted.count)), "not in order") }
      for id in granted { try begin(id) }
    case .pass: now += 1
    }
    ceiling = max(machine.limit, min(ceiling, machine.running))
  }

  private mutating func ask(_ index: Int) throws {
    let mayRun = machine.running < machine.limit
    guard machine.takeIfFree() == nil else {
      try expect(mayRun, "runs beyond the limit")
      callers[index] = .running
      return
    }
    try expect(!mayRun, "refused while a permit is free")
    let hasPlace = machine.waiting < queue
    switch machine.wait(now: .seconds(now), atMost: .seconds(Self.willing)) {
    case .granted: throw Broken(what: "granted without a permit")
    case .waits(let id):
      try expect(hasPlace, "the queue is too long")
      callers[index] = .waiting(id)
      since[index] = now
    case .full: try expect(!hasPlace, "refused while a place is free")
    }
  }

  /// Whether it is overload, by the callers' own account.
  private var isNewestNext: Bool {
    guard order == .lifoUnderOverload, let oldest = machine.waiters.first,
      let index = callers.firstIndex(of: .waiting(oldest))
    else { return false }
    return now - since[index] >= Self.willing / 2
  }

  private mutating func begin(_ id: UInt64) throws {
    guard let index = callers.firstIndex(of: .waiting(id)) else {
      throw Broken(what: "a permit went to somebody who does not wait")
    }
    callers[index] = .running
    try expect(!machine.leave(id), "a waiter left that has its permit")
  }

  func check() throws {
    let running = callers.count { $0 == .running }
    let waiting = callers.count - running - callers.count { $0 == .away }
    try expect(machine.running == running, "\(machine.running) permits, \(running) callers")
    try expect(machine.waiting == waiting, "\(machine.waiting) places, \(waiting) callers")
    try expect(machine.waiters.count == waiting, "the line is not as long as its count")
    try expect(machine.waiters == machine.waiters.sorted(), "the line is not in order")
    try expect(running <= ceiling, "\(running) run, limit \(machine.limit)")
    try expect(waiting == 0 || running >= machine.limit, "waits while a permit is free")
    try expect(waiting <= queue, "the queue is too long")
  }

  /// Everybody goes, and all permits are free again.
  mutating func leaveAll() throws {
    while let index = callers.firstIndex(where: { $0 != .away }) {
      try perform(callers[index] == .running ? .giveBack(index) : .cancel(index))
      try check()
    }
    try expect(machine.running == 0 && machine.waiting == 0, "a permit is lost")
  }

  private func expect(_ holds: Bool, _ what: String) throws {
    if !holds { throw Broken(what: what) }
  }
}
