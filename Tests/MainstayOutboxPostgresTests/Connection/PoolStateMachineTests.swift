// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import TestSupport
import Testing

@testable import MainstayOutboxPostgres

@Suite struct PoolStateMachineTests {
  private static let unreachable = PostgresError(.unreachable, "Nobody answers.")
  private static let refused = PostgresError(.refused, "The password is wrong.")

  private func machine(size: Int = 2, lineLength: Int = 10) -> PoolStateMachine {
    PoolStateMachine(
      .init(
        size: size, lineLength: lineLength, wait: .seconds(5),
        backoff: .exponential(from: .seconds(1), to: .seconds(4), jitter: .none)))
  }

  @Test func `who came first is served first`() {
    var machine = machine(size: 1)
    #expect(machine.ask(now: .zero) == .waits(0))
    #expect(machine.advance(now: .zero).opens == 1)
    #expect(machine.ask(now: .zero) == .waits(1))
    #expect(machine.advance(now: .zero).opens == 0)
    let (connection, actions) = machine.opened(now: .zero)
    #expect(actions.granted == [0: connection])
    #expect(machine.waiters == [1])
    #expect(
      machine.giveBack(connection, isReusable: true, now: .zero).granted == [1: connection])
    #expect(machine.giveBack(connection, isReusable: true, now: .zero) == .init())
    #expect(machine.ask(now: .zero) == .taken(connection))
  }

  @Test func `one attempt finds out whether the server is there, then as many follow as wait`() {
    var machine = machine(size: 4)
    for _ in 0..<3 { _ = machine.ask(now: .zero) }
    #expect(machine.advance(now: .zero).opens == 1)
    #expect(machine.advance(now: .zero).opens == 0)
    #expect(machine.opened(now: .zero).actions.opens == 2)
  }

  @Test func `the pauses between attempts grow, and all who wait share them`() {
    var machine = machine(size: 4)
    for _ in 0..<10 { _ = machine.ask(now: .zero) }
    _ = machine.advance(now: .zero)
    #expect(machine.openFailed(Self.unreachable, now: .zero, fraction: 0).opens == 0)
    #expect(machine.due == .seconds(1))
    #expect(machine.advance(now: .milliseconds(999)).opens == 0)
    #expect(machine.advance(now: .seconds(1)).opens == 1)
    _ = machine.openFailed(Self.unreachable, now: .seconds(1), fraction: 0)
    #expect(machine.due == .seconds(3))
    let late = machine.advance(now: .seconds(5))
    #expect(late.failed.count == 10)
    #expect(late.failed.values.allSatisfy { $0 == Self.unreachable })
    #expect(machine.due == nil)
  }

  @Test func `who comes when the longest pause begins is there for two attempts after it`() {
    var machine = PoolStateMachine(.init(size: 1))
    var (failedAt, now) = (Duration.zero, Duration.zero)
    for _ in 0..<20 {
      _ = machine.ask(now: now)
      #expect(machine.advance(now: now).opens == 1)
      failedAt = now
      _ = machine.openFailed(Self.unreachable, now: now, fraction: 0.999)
      now = machine.openFrom ?? now
    }
    guard case .waits(let late) = machine.ask(now: failedAt) else {
      Issue.record("it did not wait")
      return
    }
    var actions = machine.advance(now: now)
    #expect(actions.opens == 1 && actions.failed[late] == nil)
    _ = machine.openFailed(Self.unreachable, now: now, fraction: 0.999)
    now = machine.openFrom ?? now
    actions = machine.advance(now: now)
    #expect(actions.opens == 1 && actions.failed[late] == nil)
    #expect(machine.waiters.contains(late))
  }

  @Test func `after a refusal all go, and nobody asks again before its time`() {
    var machine = machine()
    _ = machine.ask(now: .zero)
    _ = machine.ask(now: .zero)
    _ = machine.advance(now: .zero)
    let actions = machine.openFailed(Self.refused, now: .zero, fraction: 0)
    #expect(actions.failed == [0: Self.refused, 1: Self.refused])
    #expect(machine.ask(now: .milliseconds(999)) == .refused(Self.refused))
    #expect(machine.ask(now: .seconds(1)) == .waits(2))
    #expect(machine.advance(now: .seconds(1)).opens == 1)
  }

  @Test func `a server that takes no changes is tried again with growing pauses`() {
    var machine = machine(size: 1)
    let readOnly = PostgresError(.readOnly, "It takes no changes.")
    var now = Duration.zero
    for pause in [1, 2, 4, 4] {
      _ = machine.ask(now: now)
      #expect(machine.advance(now: now).opens == 1)
      let (connection, _) = machine.opened(now: now)
      _ = machine.ask(now: now)
      let refused = machine.giveBack(connection, refusedWith: readOnly, now: now, fraction: 0)
      #expect(refused == .init(closes: [connection]))
      #expect(machine.due == now + .seconds(pause))
      for waiter in machine.waiters { #expect(machine.leave(waiter) == true) }
      now += .seconds(pause)
    }
    _ = machine.ask(now: now)
    #expect(machine.advance(now: now).opens == 1)
    let (connection, _) = machine.opened(now: now)
    _ = machine.giveBack(connection, isReusable: true, now: now)
    #expect(machine.failures == 0, "something has been done")
  }

  @Test func `a connection from before says nothing of a server that takes no changes`() {
    var machine = machine(size: 3)
    for _ in 0..<2 { _ = machine.ask(now: .zero) }
    #expect(machine.advance(now: .zero).opens == 1)
    let (first, actions) = machine.opened(now: .zero)
    #expect(actions.opens == 1)
    let (second, _) = machine.opened(now: .zero)
    let readOnly = PostgresError(.readOnly, "It takes no changes.")
    _ = machine.giveBack(first, refusedWith: readOnly, now: .zero, fraction: 0)
    _ = machine.giveBack(second, isReusable: true, now: .zero)
    #expect(machine.failures == 1)
    for _ in 0..<3 { _ = machine.ask(now: .zero) }
    #expect(machine.advance(now: .zero).opens == 0, "the pause is not over")
    #expect(machine.advance(now: .seconds(1)).opens == 1, "one finds out")
    let (third, next) = machine.opened(now: .seconds(1))
    #expect(next.opens == 1, "one after the other")
    #expect(machine.giveBack(third, isReusable: true, now: .seconds(1)).opens == 0)
    #expect(machine.failures == 0, "something has been done")
  }

  @Test func `the first callers wait longer, since the first of several addresses may be silent`() {
    var machine = machine(size: 1)
    _ = machine.ask(now: .zero)
    _ = machine.advance(now: .zero)
    #expect(machine.advance(now: .seconds(6)).failed.isEmpty)
    #expect(machine.due == .seconds(10))
    #expect(machine.advance(now: .seconds(10)).failed[0]?.kind == .unreachable)
    _ = machine.ask(now: .seconds(10))
    let (connection, actions) = machine.opened(now: .seconds(11))
    #expect(actions.granted == [1: connection])
    _ = machine.ask(now: .seconds(11))
    #expect(machine.due == .seconds(16))
  }

  @Test func `a broken connection is closed, and another one opened for who waits`() {
    var machine = machine(size: 1)
    _ = machine.ask(now: .zero)
    _ = machine.advance(now: .zero)
    let (connection, _) = machine.opened(now: .zero)
    _ = machine.ask(now: .zero)
    let actions = machine.giveBack(connection, isReusable: false, now: .zero)
    #expect(actions.closes == [connection])
    #expect(actions.opens == 1)
    #expect(machine.giveBack(connection, isReusable: true, now: .zero) == .init())
  }

  @Test func `the line has an end, and who waits too long is told what to do`() {
    var machine = machine(size: 1, lineLength: 1)
    _ = machine.ask(now: .zero)
    _ = machine.advance(now: .zero)
    _ = machine.opened(now: .zero)
    #expect(machine.ask(now: .zero) == .waits(1))
    guard case .refused(let error) = machine.ask(now: .zero) else {
      Issue.record("the line has no end")
      return
    }
    #expect(error.text == "1 callers wait for a connection: enlarge the pool.")
    #expect(error.kind == .busy)
    let late = machine.advance(now: .seconds(5)).failed[1]
    #expect(late?.kind == .busy)
    #expect(
      late?.text
        == "All 1 connections were busy for 5.0 seconds: enlarge the pool, or make transactions "
        + "shorter.")
  }

  @Test func `a pool is set up as its options say, with pauses that are short`() {
    let (settings, options) = (PoolStateMachine.Settings(), PostgresPool.Options())
    #expect(settings.size == options.size && settings.lineLength == options.lineLength)
    #expect(settings.wait == options.wait && settings.backoff == options.backoff)
    #expect(settings.backoff.delay(attempt: 1, fraction: 0) == .milliseconds(50))
    #expect(settings.backoff.delay(attempt: 99, fraction: 0) == .seconds(1))
  }

  @Test func `who has left cannot leave again`() {
    var machine = machine()
    _ = machine.ask(now: .zero)
    #expect(machine.leave(0) == true)
    #expect(machine.leave(0) == false)
  }

  @Test func `as many are opened as wait and are not on their way`() {
    var machine = machine(size: 4)
    _ = machine.ask(now: .zero)
    _ = machine.advance(now: .zero)
    _ = machine.opened(now: .zero)
    for opens in [1, 0] {
      if opens == 1 { _ = machine.ask(now: .zero) }
      #expect(machine.advance(now: .zero).opens == opens)
    }
    #expect(machine.opening == 1)
  }

  @Test(arguments: [2, 3]) func `nobody is woken for a pause that is over, where nothing is opened`(
    size: Int
  ) {
    var machine = machine(size: size)
    _ = machine.ask(now: .zero)
    _ = machine.advance(now: .zero)
    let (first, _) = machine.opened(now: .zero)
    let readOnly = PostgresError(.readOnly, "It takes no changes.")
    _ = machine.giveBack(first, refusedWith: readOnly, now: .zero, fraction: 0)
    for _ in 0..<5 { _ = machine.ask(now: .seconds(1)) }
    #expect(machine.due == .seconds(1))
    #expect(machine.advance(now: .seconds(1)).opens == 1)
    // The pause is not forgotten, since nothing has been changed yet.
    for _ in 1..<size {
      #expect(machine.due == .seconds(6), "one is being opened")
      #expect(machine.opened(now: .seconds(1)).actions.granted.count == 1)
    }
    #expect(machine.opened(now: .seconds(1)).actions.opens == 0)
    #expect(machine.due == .seconds(6), "there is no room for more")
  }

  @Test func `when it is closed, nobody waits and nothing stays open`() {
    var machine = machine()
    _ = machine.ask(now: .zero)
    _ = machine.advance(now: .zero)
    let (first, _) = machine.opened(now: .zero)
    _ = machine.ask(now: .zero)
    _ = machine.advance(now: .zero)
    #expect(machine.close().failed == [1: .closed])
    #expect(machine.giveBack(first, isReusable: true, now: .zero).closes == [first])
    let (second, actions) = machine.opened(now: .zero)
    #expect(actions == .init(closes: [second]))
    #expect(machine.ask(now: .zero) == .refused(.closed))
    #expect(machine.total == 0)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `no walk breaks the rules of the pool`(seed: UInt64) {
    var walk = Walk(seed: seed)
    for _ in 0..<400 { walk.step() }
    walk.finish()
    #expect(walk.problems == [], "seed \(seed)")
  }
}

/// A random walk, with a record of what each caller was told.
private struct Walk {
  private var machine: PoolStateMachine
  private var random: SeededGenerator
  private var now = Duration.zero
  private var waiting: [UInt64] = []
  private var taken: Set<Int> = []
  private var opening = 0
  private var hasFailed = true
  private(set) var problems: [String] = []

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    machine = PoolStateMachine(
      .init(
        size: .random(in: 1...5, using: &random), lineLength: .random(in: 0...8, using: &random),
        wait: .seconds(5),
        backoff: .exponential(from: .milliseconds(100), to: .seconds(2), jitter: .full)))
  }

  mutating func step() {
    switch Int.random(in: 0..<10, using: &random) {
    case 0...3: ask()
    case 4:
      guard let waiter = waiting.randomElement(using: &random) else { return }
      check(machine.leave(waiter), "a waiter is not known")
      waiting.removeAll { $0 == waiter }
    case 5, 6: giveBack(isReusable: .random(in: 0..<4, using: &random) > 0)
    case 7:
      now += .milliseconds(.random(in: 0...900, using: &random))
      note(machine.advance(now: now))
    default: finishOpening(succeeds: .random(using: &random))
    }
    checkRules()
  }

  /// Lets all go well from now on: then nobody may be left waiting.
  mutating func finish() {
    for _ in 0..<200 {
      now += .milliseconds(200)
      note(machine.advance(now: now))
      while opening > 0 { finishOpening(succeeds: true) }
      while !taken.isEmpty { giveBack(isReusable: true) }
      checkRules()
    }
    check(waiting.isEmpty, "somebody waits for ever")
    let actions = machine.close()
    check(actions.closes.count == machine.total + actions.closes.count, "something stays open")
  }

  private mutating func ask() {
    switch machine.ask(now: now) {
    case .taken(let connection):
      check(taken.insert(connection).inserted, "a connection is given twice")
      check(waiting.isEmpty, "somebody is served before those who wait")
    case .waits(let waiter):
      waiting.append(waiter)
      note(machine.advance(now: now))
    case .refused: break
    }
  }

  private mutating func giveBack(isReusable: Bool) {
    guard let connection = taken.sorted().randomElement(using: &random) else { return }
    taken.remove(connection)
    if !isReusable { hasFailed = true }
    let readOnly = PostgresError(.readOnly, "no")
    let isRefused = !isReusable && Bool.random(using: &random)
    let actions =
      isRefused
      ? machine.giveBack(connection, refusedWith: readOnly, now: now, fraction: 0.5)
      : machine.giveBack(connection, isReusable: isReusable, now: now)
    check(actions.closes == (isReusable ? [] : [connection]), "it is closed if it is broken")
    note(actions)
  }

  private mutating func finishOpening(succeeds: Bool) {
    guard opening > 0 else { return }
    opening -= 1
    if succeeds {
      hasFailed = false
      note(machine.opened(now: now).actions)
    } else {
      hasFailed = true
      let kind: PostgresError.Kind = .random(using: &random) ? .unreachable : .refused
      let fraction = Double.random(in: 0..<1, using: &random)
      note(machine.openFailed(PostgresError(kind, "no"), now: now, fraction: fraction))
    }
  }

  private mutating func note(_ actions: PoolStateMachine.Actions) {
    if hasFailed && actions.opens > 0 { check(opening + actions.opens == 1, "a storm") }
    opening += actions.opens
    let served = actions.granted.keys.sorted()
    check(Array(waiting.prefix(served.count)) == served, "the line is not kept")
    for (waiter, connection) in actions.granted {
      check(taken.insert(connection).inserted, "a connection is given twice")
      waiting.removeAll { $0 == waiter }
    }
    for waiter in actions.failed.keys {
      check(waiting.contains(waiter), "somebody is told twice")
      waiting.removeAll { $0 == waiter }
    }
  }

  private mutating func checkRules() {
    check(machine.total <= machine.settings.size, "there are too many connections")
    check(machine.opening == opening && machine.taken == taken, "the books differ")
    check(machine.waiters == waiting, "the lines differ")
    check(machine.idle.isEmpty || waiting.isEmpty, "somebody waits beside an idle connection")
    check((machine.due == nil) == waiting.isEmpty, "nobody wakes those who wait")
  }

  private mutating func check(_ isRight: Bool, _ problem: String) {
    if !isRight { problems.append(problem) }
  }
}
