// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What becomes of a lane that waits for a person, and who hears of it.
@Suite(.ends(withinMinutes: 20)) struct OutboxSignInTests {
  private let isSignedIn = Box(false)

  /// A worker that is refused until somebody has signed in.
  private func worker(_ shop: Workshop) -> Worker {
    shop.worker { [isSignedIn] _, _ in
      if !isSignedIn.value { throw AppError.http(status: 401) }
    }
  }

  /// Lets time pass until something is so, but none to speak of while an operation runs: its lease
  /// would end, and another one would have its turn.
  private func pass(
    _ clock: ManualClock, _ outbox: Outbox, until isSo: () -> Bool
  ) async -> Duration {
    var passed = Duration.zero
    while !isSo(), !Task.isCancelled {
      await clock.sleepers(atLeast: 1)
      await outbox.wait { $0.running == 0 }
      if isSo() { break }
      clock.advance(by: .seconds(20))
      passed += .seconds(20)
    }
    return passed
  }

  /// Lets time pass until nothing is pending.
  private func passUntilEmpty(_ clock: ManualClock, _ outbox: Outbox) async {
    await withTaskGroup { group in
      group.addTask { await outbox.wait { $0.pending == 0 } }
      group.addTask {
        while !Task.isCancelled {
          await clock.sleepers(atLeast: 1)
          clock.advance(by: .seconds(60))
        }
      }
      await group.next()
      group.cancelAll()
    }
  }

  @Test func `a lane that needed a person is tried when the outbox is opened again`()
    async throws
  {
    let shop = try Workshop()
    var outbox = try await shop.open(worker(shop))
    for text in ["a", "b"] { try await outbox.enqueue(Note(text: text)) }
    await outbox.wait { $0.causes.laneNeedsUser == 2 && $0.running == 0 }
    await outbox.shutDown()
    isSignedIn.value = true
    outbox = try await shop.open(worker(shop))
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test(arguments: [false, true])
  func `one operation tries it after five minutes, and the others go on when that is let in`(
    isInStoreOfOwn: Bool
  ) async throws {
    let shop = try Workshop()
    let store = FailingStore(now: { shop.day.now })
    let outbox =
      isInStoreOfOwn
      ? try await Outbox(store: store, configuration: shop.configuration, clock: shop.clock) {
        worker(shop)
      } : try await shop.open(worker(shop))
    try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.causes.laneNeedsUser == 1 && $0.running == 0 }
    for text in ["b", "c"] { try await outbox.enqueue(Note(text: text)) }
    let passed = await pass(shop.clock, outbox) { shop.log.count("started") >= 2 }
    #expect(passed >= LaneTrialStateMachine.shortest)
    await shop.log.wait(for: "failed", count: 2)
    await outbox.wait { $0.causes.laneNeedsUser == 3 && $0.running == 0 }
    #expect(shop.log.count("started") == 2, "one request each time")
    isSignedIn.value = true
    await passUntilEmpty(shop.clock, outbox)
    let ledger = try await outbox.ledger()
    #expect(ledger.isBalanced)
    await outbox.shutDown()
  }

  @Test func `what another process closed during a suspension is tried as well`() async throws {
    let shop = try Workshop()
    let outbox = try await shop.open(worker(shop))
    // It has looked for such lanes once this is done.
    isSignedIn.value = true
    try await outbox.enqueue(Note(text: "first"))
    await outbox.wait { $0.pending == 0 }
    isSignedIn.value = false
    await outbox.suspend(within: .zero)
    let other = try await shop.open(worker(shop))
    try await other.enqueue(Note(text: "a"))
    await other.wait { $0.causes.laneNeedsUser == 1 && $0.running == 0 }
    await other.shutDown()
    isSignedIn.value = true
    await outbox.resume()
    await passUntilEmpty(shop.clock, outbox)
    await outbox.shutDown()
  }

  @Test func `a sign-in that is heard of opens all such lanes at once`() async throws {
    var shop = try Workshop()
    let (signIns, signIn) = AsyncStream.makeStream(of: Void.self)
    shop.configuration.signedIn = signIns
    let outbox = try await shop.open(worker(shop))
    for lane: Lane in ["one", "two"] {
      try await outbox.enqueue(Note(text: "a"), options: EnqueueOptions(lane: lane))
    }
    await outbox.wait { $0.causes.laneNeedsUser == 2 && $0.running == 0 }
    isSignedIn.value = true
    signIn.yield()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test func `all lanes are resumed for a cause, and a paused one is neither that nor tried`()
    async throws
  {
    let shop = try Workshop()
    var outbox = try await shop.open(worker(shop))
    for lane: Lane in ["one", "two", "shut"] {
      try await outbox.enqueue(Note(text: "a"), options: EnqueueOptions(lane: lane))
    }
    await outbox.wait { $0.causes.laneNeedsUser == 3 && $0.running == 0 }
    try await outbox.pause("shut")
    isSignedIn.value = true
    try await outbox.resumeAll(closedFor: .needsUser)
    await outbox.wait { $0.pending == 1 }
    await outbox.shutDown()
    outbox = try await shop.open(worker(shop))
    let left = try #require(try await outbox.operations().first)
    try await outbox.enqueue(Note(text: "b"))
    await outbox.wait { $0.pending == 1 }
    let causes = try await outbox.snapshot().causes
    #expect(causes.lanePaused == 1 && left.lane == "shut")
    await outbox.shutDown()
  }

  @Test func `the log and the monitor have a lane that waits for a person, once, and its return`()
    async throws
  {
    let (lines, monitor) = (Log(), ErrorMonitor())
    var shop = try Workshop()
    shop.configuration.logger = lines.logger(from: .notice) {
      "\($0.level) \($0.message)\($0.pairs())"
    }
    shop.configuration.monitor = monitor
    let outbox = try await shop.open(worker(shop))
    for text in ["a", "b"] { try await outbox.enqueue(Note(text: text)) }
    await outbox.wait { $0.causes.laneNeedsUser == 2 && $0.running == 0 }
    isSignedIn.value = true
    try await outbox.resume(.main, closedFor: .needsUser)
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
    let (begin, end) = (try #require(lines.lines.first), try #require(lines.lines.last))
    #expect(lines.lines.count == 2)
    #expect(begin.hasPrefix("warning A lane waits until somebody has signed in"))
    #expect(begin.contains("lane=main") && begin.contains("mainstay.kind=note"))
    #expect(end.hasPrefix("notice A lane goes on"))
    #expect(await monitor.flush())
    #expect(monitor.groups.map(\.count) == [1])
    await monitor.shutDown()
  }

  @Test func `that another process opened a lane is told, and so is each closing after that`()
    async throws
  {
    let lines = Log()
    var shop = try Workshop()
    shop.configuration.logger = lines.logger(from: .notice) { "\($0.message)" }
    let outbox = try await shop.open(worker(shop))
    try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.causes.laneNeedsUser == 1 && $0.running == 0 }
    await lines.lines(atLeast: 1)
    isSignedIn.value = true
    // The outbox hears nothing of what another one does.
    var elsewhere = shop
    elsewhere.configuration.logger = Log().logger()
    let other = try await elsewhere.open(worker(shop))
    await other.wait { $0.pending == 0 }
    await other.shutDown()
    #expect(lines.lines.count == 1)
    try await outbox.enqueue(Note(text: "b"))
    await outbox.wait { $0.pending == 0 }
    isSignedIn.value = false
    try await outbox.enqueue(Note(text: "c"))
    await lines.lines(atLeast: 3)
    await outbox.shutDown()
    let begins = lines.lines.map { $0.hasPrefix("A lane waits until somebody has signed in") }
    #expect(begins == [true, false, true], "\(lines.lines)")
    #expect(lines.lines.dropFirst().first?.hasPrefix("A lane goes on") == true)
  }

  @Test func `a lane that waits for a person is counted by kind`() {
    let metrics = RecordingMetrics()
    let reports = LaneReports(Log().logger(), factory: metrics)
    for _ in 1...2 { reports.closed(.main, by: "note", .http(status: 401)) }
    let series = "mainstay.outbox.needs_user{kind=note}"
    #expect(metrics.log.lines == ["\(series) +1", "\(series) +1"])
  }

  @Test func `the log says once that runs fail, and that it lasts, and that they work again`()
    async throws
  {
    let lines = Log()
    var shop = try Workshop()
    shop.configuration.logger = lines.logger(from: .notice) {
      "\($0.level) \($0.message)\($0.pairs())"
    }
    let outbox = try await shop.open(
      shop.worker(maximumAttempts: 10_000) { [isSignedIn] _, _ in
        if !isSignedIn.value { throw AppError.offline() }
      })
    try await outbox.enqueue(Note(text: "a"))
    _ = await pass(shop.clock, outbox) { lines.lines.count >= 2 }
    isSignedIn.value = true
    try await outbox.connectionImproved()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
    let found = lines.lines
    try #require(found.count == 3)
    #expect(found[0].hasPrefix("notice Runs of a kind fail") && found[0].contains("error="))
    #expect(found[1].hasPrefix("warning Runs of a kind have failed for long"))
    #expect(found[1].contains("pending=1"))
    #expect(found.allSatisfy { $0.contains("mainstay.kind=note") && $0.contains("lane=main") })
    #expect(found[2].hasPrefix("notice Runs of a kind work again"))
  }

  @Test func `what a worker throws is where the worker was made`() async throws {
    let shop = try Workshop()
    let line = #line + 1
    let worker = Worker(for: Note.self, maximumAttempts: 1) { _, _ in
      throw AppError.http(status: 400, fileID: "MainstayHTTP/HTTPError.swift")
    }
    let outbox = try await shop.open(worker)
    try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "gaveUp")
    let sites = shop.log.events.compactMap { event -> SourceSite? in
      guard case .gaveUp(_, let error) = event.what else { return nil }
      return error?.site
    }
    #expect(sites.map(\.line) == [line])
    #expect(sites.first?.fileID.hasSuffix("OutboxSignInTests.swift") == true)
    await outbox.shutDown()
  }

  @Test func `a sign-in that is refused before anything was sent leaves nothing to ask about`() {
    let rules = OperationStateMachine.Rules()
    for effect in EffectCertainty.allCases where effect != .applied {
      var machine = OperationStateMachine(
        attempts: 0, unreachable: 0, effect: effect, rules: rules)
      let error = AppError.unauthorized().adding(metadata: ["http.sent": "no"])
      let verdict = machine.failed(error, fraction: 0)
      #expect(verdict.effect == effect)
    }
  }
}
