// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTPTesting
import MainstayOutbox
import MainstayTesting
import NetworkTestSupport
import TestSupport
import Testing

/// An outbox in a file, AsyncHTTPClient, a proxy that does harm, and a service behind it.
@Suite(.requirement("C13", "O22"), .ends(withinMinutes: 15)) struct DeliveryTests {
  /// How many operations a run brings.
  static let count = RandomDose.isTorture ? 500 : 120
  static let seeds: ClosedRange<UInt64> = RandomDose.isTorture ? 1...24 : 1...2

  /// One run with everything that it needs.
  private struct Course {
    let folder: URL
    let server: LedgerServer
    let proxy: FaultProxy
    let client: LedgerClient

    init(
      seed: UInt64 = 0, isPooled: Bool = false, limit: Duration = .patience,
      isLimitedByPolicy: Bool = false, clock: some Clock<Duration> = ContinuousClock(),
      _ plan: @escaping @Sendable (Int) -> Fault
    ) async throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "net-\(UUID().uuidString)")
      server = try await LedgerServer()
      proxy = try await FaultProxy(to: server.port, seed: seed, plan)
      client = LedgerClient(
        to: proxy.origin, connectLimit: .patience, limit: limit,
        isLimitedByPolicy: isLimitedByPolicy, clock: clock, isPooled: isPooled)
    }

    func open(
      _ connectivity: ConnectivityMonitor? = nil, waiting wait: Duration = .milliseconds(5)
    ) async throws -> Outbox {
      var configuration = Outbox.Configuration()
      configuration.maximumConcurrency = 8
      configuration.mapping = LedgerClient.mapping
      configuration.connectivity = connectivity
      return try await Outbox(
        at: folder.appending(path: "outbox.sqlite"), configuration: configuration
      ) { LedgerClient.worker(waiting: wait) { [client] in client } }
    }

    func expectDone(_ outbox: Outbox, _ accepted: [LedgerBook.Entry], seed: UInt64) async throws {
      for await snapshot in outbox.changes where snapshot.pending == 0 { break }
      let laws = DeliveryLaws(
        accepted: accepted, book: server.book, attempts: client.attempts,
        ledger: try await outbox.ledger())
      #expect(laws.violations == [], "seed \(seed)")
    }
  }

  /// Accepts so many changes of twelve accounts, of different sizes.
  private func enqueue(
    _ count: Int, _ outbox: Outbox, seed: UInt64
  ) async throws -> [LedgerBook.Entry] {
    var generator = SeededGenerator(seed: seed)
    var accepted: [LedgerBook.Entry] = []
    for number in 0..<count {
      let account = "account \(Int.random(in: 0..<12, using: &generator))"
      let key = "\(seed)-\(number)"
      let size = Int.random(in: 0...600, using: &generator)
      try await outbox.enqueue(
        Change(account: account, number: number, padding: size),
        options: EnqueueOptions(orderedBy: account, idempotencyKey: IdempotencyKey(key)))
      accepted.append(LedgerBook.Entry(key: key, account: account, number: number))
    }
    return accepted
  }

  @Test(.requirement("T5", "O3", "O36"), arguments: seeds, [false, true])
  func `whatever goes wrong on the way, all is applied once and in order`(
    seed: UInt64, isPooled: Bool
  ) async throws {
    let plan = FaultPlan(seed: seed, percent: 35)
    let course = try await Course(
      seed: seed, isPooled: isPooled, limit: .milliseconds(300), isLimitedByPolicy: isPooled,
      plan.fault)
    defer { try? FileManager.default.removeItem(at: course.folder) }
    let outbox = try await course.open()
    let accepted = try await enqueue(Self.count, outbox, seed: seed)
    try await course.expectDone(outbox, accepted, seed: seed)
    await outbox.shutDown()

    // The plan did harm of each sort; else the run proves nothing.
    let ends = course.client.attempts.map(\.end)
    #expect(ends.contains { $0.isFailure(mayBeSent: true) }, "seed \(seed)")
    // Connections that are kept are few.
    if !isPooled {
      #expect(ends.contains(.answered(.applied)), "seed \(seed)")
      #expect(ends.contains(.answered(.notApplied)), "seed \(seed)")
      #expect(ends.contains { $0.isFailure(mayBeSent: false) }, "seed \(seed)")
    }
  }

  @Test func `what was refused is sent without a question`() async throws {
    let course = try await Course { _ in .none }
    defer { try? FileManager.default.removeItem(at: course.folder) }
    await course.proxy.refuse()
    let outbox = try await course.open(waiting: .milliseconds(20))
    let accepted = try await enqueue(1, outbox, seed: 1)
    let id = try #require(try await outbox.operations().first?.id)
    try await failed(outbox, id)
    let waiting = try await outbox.operation(id)
    #expect(waiting?.effect == .notSent && waiting?.attempts == 0)
    #expect(course.client.attempts.first?.end.isFailure(mayBeSent: false) == true)
    try await course.proxy.accept()
    try await course.expectDone(outbox, accepted, seed: 1)
    #expect(course.server.book.questions.isEmpty)
    await outbox.shutDown()
  }

  @Test(arguments: [
    Fault.swallowedAnswer(then: .finish), .swallowedAnswer(then: .reset),
    .cut(.request, after: 10, by: .reset), .cut(.request, after: 10, by: .finish),
    .cut(.response, after: 10, by: .finish), .cut(.response, after: 10, by: .reset),
    .cut(.response, after: 42, by: .finish), .cut(.response, after: 42, by: .reset),
    .halfClose(.request, after: 10), .halfClose(.response, after: 10),
    .halfClose(.response, after: 42),
  ])
  func `a connection that breaks leaves it unknown, and it is asked about before it is sent again`(
    fault: Fault
  ) async throws {
    try await expectQuestion(after: fault, limit: .patience, code: "network.connection-lost")
  }

  @Test(
    arguments: [
      Fault.blackHole, .swallowedAnswer(then: nil), .lateAnswer,
      .drip(bytes: 1, every: .seconds(600)),
    ], [false, true])
  func `a time limit ends what hangs and leaves it unknown, whoever sets it`(
    fault: Fault, isPolicy: Bool
  ) async throws {
    // The client's own limit is real time: the request has to leave before, on a busy machine too.
    try await expectQuestion(
      after: fault, limit: .seconds(20), isLimitedByPolicy: isPolicy, code: "network.timeout")
  }

  /// Connections have a fault until the first attempt has failed.
  private func expectQuestion(
    after fault: Fault, limit: Duration, isLimitedByPolicy: Bool = false, code: ErrorCode
  ) async throws {
    let (isWell, clock) = (Flag(), ManualClock())
    let course = try await Course(
      limit: limit, isLimitedByPolicy: isLimitedByPolicy, clock: clock
    ) { _ in
      isWell.isRaised ? .none : fault
    }
    defer { try? FileManager.default.removeItem(at: course.folder) }
    let outbox = try await course.open(waiting: .seconds(3_600))
    let accepted = try await enqueue(1, outbox, seed: 1)
    let id = try #require(try await outbox.operations().first?.id)
    if isLimitedByPolicy {
      await course.proxy.log.first { $0 == .asked(0) }
      clock.advance(by: limit)
    }
    try await failed(outbox, id)
    let waiting = try await outbox.operation(id)
    #expect(waiting?.effect == .sentUnknown && waiting?.failure?.code == code)
    isWell.raise()
    // What comes now has time, however busy the machine is.
    course.client.limit(.patience)
    try await outbox.retry(id)
    try await course.expectDone(outbox, accepted, seed: 1)
    let ends = course.client.attempts.map(\.end)
    #expect(ends.count == (ends.contains(.answered(.applied)) ? 2 : 3), "\(ends)")
    #expect(course.server.book.questions.count == 1)
    await outbox.shutDown()
  }

  @Test(.requirement("O26")) func `a run that is cancelled while it drips counts for nothing`()
    async throws
  {
    let course = try await Course { number in
      number == 0 ? .drip(bytes: 1, every: .seconds(3_600)) : .none
    }
    defer { try? FileManager.default.removeItem(at: course.folder) }
    let monitor = ConnectivityMonitor(source: ScriptedConnectivitySource())
    let outbox = try await course.open(monitor, waiting: .seconds(600))
    let accepted = try await enqueue(1, outbox, seed: 1)
    let id = try #require(try await outbox.operations().first?.id)
    await course.proxy.log.events(atLeast: 2)
    await outbox.suspend(within: .zero)
    let waiting = try await outbox.operation(id)
    #expect(waiting?.state == .ready && waiting?.attempts == 0 && waiting?.unreachable == 0)
    #expect(waiting?.effect == .sentUnknown && waiting?.failure == nil)
    #expect(course.client.attempts.map(\.end) == [.cancelled])
    #expect(!monitor.current.evidence.contains { $0.source == .traffic })
    await course.proxy.log.events(atLeast: 3)
    #expect(course.proxy.log.events.prefix(3) == [.began(0), .asked(0), .left(0)])

    await outbox.resume()
    try await course.expectDone(outbox, accepted, seed: 1)
    #expect(course.server.book.questions.count == 1)
    await outbox.shutDown()
    monitor.shutDown()
  }

  /// Returns once the operation has failed for the first time.
  private func failed(_ outbox: Outbox, _ id: OperationID) async throws {
    for await _ in outbox.changes {
      if try await outbox.operation(id)?.failure != nil { return }
    }
  }
}

extension LedgerClient.Attempt.End {
  func isFailure(mayBeSent: Bool) -> Bool {
    if case .failed(_, mayBeSent) = self { true } else { false }
  }
}
