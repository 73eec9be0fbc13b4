// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

private struct Photo: QueuedOperation {
  static let kind: OperationKind = "photo"
  var name = "photo"
}

/// Settings of an outbox that change while it works.
@Suite(.requirement("P37", "C13"), .ends(withinMinutes: 20)) struct OutboxUpdateTests {
  /// Runs that wait at a door, and how many are there.
  private struct Hall: Sendable {
    let gate = Gate()
    let inside = Box(0)

    func pass() async {
      inside.change { $0 += 1 }
      await gate.pass()
      inside.change { $0 -= 1 }
    }
  }

  private var shop: Workshop
  private let hall = Hall()

  init() throws { shop = try Workshop() }

  private func update(
    _ outbox: Outbox, _ change: (inout Outbox.Configuration) -> Void
  ) throws {
    var settings = outbox.configuration
    change(&settings)
    try outbox.update(settings)
  }

  @Test func `more may run at once as soon as the settings say so, and less once runs have ended`()
    async throws
  {
    var shop = shop
    shop.configuration.maximumConcurrency = 1
    let outbox = try await shop.open(shop.worker { [hall] _, _ in await hall.pass() })
    for text in ["a", "b", "c", "d"] { try await outbox.enqueue(Note(text: text)) }
    await outbox.wait { $0.running == 1 && $0.ready == 3 }
    try update(outbox) { $0.maximumConcurrency = 3 }
    await outbox.wait { $0.running == 3 && $0.ready == 1 }
    #expect(outbox.configuration.maximumConcurrency == 3)
    try update(outbox) { $0.maximumConcurrency = 1 }
    let last = try #require(try await outbox.operations().first { $0.state == .ready })
    #expect(try await outbox.explain(last.id)?.obstacles == [.outboxIsBusy(1)])
    #expect(try await outbox.snapshot().running == 3, "what runs goes on")
    hall.gate.open()
    await outbox.wait { $0.pending == 0 }
    #expect(shop.log.count("settingsChanged") == 2 && shop.log.count("released") == 0)
    await outbox.shutDown()
  }

  @Test func `the settings say how many of a kind run, instead of its worker`() async throws {
    var shop = shop
    shop.configuration.maximumConcurrencyOfKinds = ["photo": 1]
    let outbox = try await shop.open(
      Worker(for: Photo.self, maximumConcurrency: 2) { [hall] _, _ in await hall.pass() })
    var ids: [OperationID] = []
    for _ in 0..<3 { ids.append(try await outbox.enqueue(Photo())) }
    await outbox.wait { $0.running == 1 && $0.ready == 2 }
    await shop.log.wait(for: "started")
    #expect(try await outbox.explain(ids[2])?.obstacles == [.typeIsBusy(1)])
    try update(outbox) { $0.maximumConcurrencyOfKinds = [:] }
    await outbox.wait { $0.running == 2 && $0.ready == 1 }
    await shop.log.wait(for: "started", count: 2)
    #expect(try await outbox.explain(ids[2])?.obstacles == [.typeIsBusy(2)])
    try update(outbox) { $0.maximumConcurrencyOfKinds = ["photo": 3, "unheard of": 1] }
    await outbox.wait { $0.running == 3 }
    hall.gate.open()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test func `a limit of rate that is raised lets what waits for it begin at once`() async throws {
    let limiter = RateLimiter(
      "mail", .tokenBucket(rate: 1, per: .seconds(3600)), clock: shop.clock)
    var shop = shop
    shop.configuration.startsPaused = true
    let outbox = try await shop.open(shop.worker { _, _ in }.limited(by: limiter))
    for text in ["a", "b", "c"] { try await outbox.enqueue(Note(text: text)) }
    await outbox.resume()
    await outbox.wait { $0.pending == 2 && $0.running == 0 }
    let left = try await outbox.operations()
    // Only a claim after the first has run finds out that the limit is used up.
    for await _ in outbox.changes {
      let obstacles = try #require(try await outbox.explain(left[0].id)?.obstacles)
      if obstacles.contains(where: { if case .rateLimited = $0 { true } else { false } }) { break }
    }
    try limiter.setKind(.tokenBucket(rate: 1000, per: .milliseconds(1)))
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .milliseconds(1))
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test(arguments: [false, true]) func `bounds that move drop nothing that is there`(
    isInApp: Bool
  ) async throws {
    var shop = shop
    shop.configuration.startsPaused = true
    shop.configuration.maximumPending = 2
    let outbox = try await open(shop, isInApp: isInApp)
    for text in ["a", "b"] { try await outbox.enqueue(Note(text: text)) }
    await #expect(throws: OutboxError(.full, details: "")) {
      try await outbox.enqueue(Note(text: "c"))
    }
    try update(outbox) { $0.maximumPending = nil }
    try await outbox.enqueue(Note(text: "c"))
    try update(outbox) {
      $0.maximumPending = 1
      $0.maximumBytes = 1
    }
    #expect(try await outbox.snapshot().pending == 3)
    let full = await #expect(throws: OutboxError.self) {
      try await outbox.enqueue(contentsOf: [Note(text: "d")])
    }
    let bytes = try await outbox.operations().map(\.payload.count)
    #expect(full?.code == .full)
    #expect(
      full?.details.hasSuffix(
        ": 3 operations wait, and maximumPending is 1; \(bytes.reduce(0, +)) bytes wait,"
          + " \(bytes[0]) more come, and maximumBytes is 1; let some be done, cancel some, or raise"
          + " the bound") == true)
    try update(outbox) {
      $0.maximumPending = 9
      $0.maximumBytes = nil
      $0.maximumPayloadBytes = 2
    }
    await #expect(throws: OutboxError(.tooLarge, details: "")) {
      try await outbox.enqueue(Note(text: "d"))
    }
    #expect(try await outbox.ledger().isBalanced)
    await outbox.shutDown()
  }

  private func open(_ shop: Workshop, isInApp: Bool) async throws -> Outbox {
    guard isInApp else { return try await shop.open(shop.worker { _, _ in }) }
    let database = try DatabasePool(patientAt: shop.folder.database)
    return try await Outbox(in: database, configuration: shop.configuration, clock: shop.clock) {
      shop.worker { _, _ in }
    }
  }

  @Test func `fewer outcomes are kept once the next operation has ended`() async throws {
    let outbox = try await shop.open(shop.worker { _, _ in })
    var handles: [OperationHandle<Note>] = []
    func run() async throws {
      let id = try await outbox.enqueue(Note(text: "a"))
      await outbox.wait { $0.pending == 0 }
      handles.append(outbox.handle(id, for: Note.self))
    }
    func known() async throws -> [Bool] {
      var known: [Bool] = []
      for handle in handles {
        if case .ended = try await handle.status() { known.append(true) } else { known += [false] }
      }
      return known
    }
    for _ in 0..<3 { try await run() }
    #expect(try await known() == [true, true, true])
    try update(outbox) { $0.maximumOutcomes = 2 }
    try await run()
    #expect(try await known() == [false, false, true, true])
    try update(outbox) { $0.maximumOutcomes = 0 }
    try await run()
    #expect(try await known() == [false, false, false, false, false])
    await outbox.shutDown()
  }

  @Test func `ageing counts for what is enqueued from then on`() async throws {
    var shop = shop
    shop.configuration.startsPaused = true
    shop.configuration.maximumConcurrency = 1
    shop.configuration.ageing = .zero
    let order = Box<[String]>([])
    let outbox = try await shop.open(shop.worker { note, _ in order.change { $0 += [note.text] } })
    let highest = EnqueueOptions(priority: .highest)
    try await outbox.enqueue(Note(text: "a"))
    try await outbox.enqueue(Note(text: "b"), options: highest)
    try update(outbox) { $0.ageing = .seconds(60) }
    try await outbox.enqueue(Note(text: "c"))
    try await outbox.enqueue(Note(text: "d"), options: highest)
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    #expect(order.value == ["a", "b", "d", "c"])
    await outbox.shutDown()
  }

  @Test(.requirement("P10"))
  func `what is not legal and what cannot change is said at once, and changes nothing`()
    async throws
  {
    let outbox = try await shop.open(shop.worker { _, _ in })
    let before = outbox.configuration
    var settings = before
    settings.maximumConcurrency = 0
    settings.maximumConcurrencyOfKinds = ["photo": 0, "note": 2]
    settings.maximumPending = 5
    settings.startsPaused = true
    settings.unmetConstraints = [.power]
    settings.observer = EventLog()
    settings.budget = RetryBudget()
    let error = #expect(throws: ConfigurationError.self) { try outbox.update(settings) }
    #expect(
      error?.violations.map(\.description) == [
        "maximumConcurrency: 0 is not legal: it must be 1 or more",
        "maximumConcurrencyOfKinds.photo: 0 is not legal: it must be 1 or more",
        "startsPaused: true is not legal: it counts only when an outbox is opened; call pause() or"
          + " resume() instead",
        "unmetConstraints: power is not legal: it counts only when an outbox is opened; call"
          + " set(_:isMet:) instead",
        "observer: another one is not legal: it stays what the outbox was opened with; leave it"
          + " nil",
        "budget: another one is not legal: it stays what the outbox was opened with; leave it nil",
      ])
    #expect(outbox.configuration == before && shop.log.count("settingsChanged") == 0)
    var decoded = try JSONDecoder().decode(
      Outbox.Configuration.self, from: JSONEncoder().encode(before))
    #expect(decoded == before && decoded.observer == nil)
    decoded.maximumPending = 5
    try outbox.update(decoded)
    #expect(outbox.configuration.maximumPending == 5)
    #expect((outbox.configuration.observer as? EventLog) === shop.log, "what is not told stays")
    await outbox.shutDown()
  }

  @Test(.requirement("P10")) func `who says of sign-ins and how long a stall is told stays`()
    async throws
  {
    let outbox = try await shop.open(shop.worker { _, _ in })
    var settings = outbox.configuration
    settings.stallWarning = .seconds(60)
    settings.signedIn = AsyncStream<Void> { $0.finish() }
    let error = #expect(throws: ConfigurationError.self) { try outbox.update(settings) }
    #expect(error?.violations.map(\.option) == ["stallWarning", "signedIn"])
    #expect(outbox.configuration.stallWarning == .seconds(900))
    await outbox.shutDown()
  }

  @Test func `a store of one's own keeps its limits`() async throws {
    let store = InMemoryStore(limits: StoreLimits(maximumPending: 1))
    let outbox = try await Outbox(store: store, clock: shop.clock) { shop.worker { _, _ in } }
    let error = #expect(throws: ConfigurationError.self) {
      try update(outbox) {
        $0.maximumPending = nil
        $0.maximumBytes = 7
        $0.maximumOutcomes = 7
      }
    }
    let options = error?.violations.map(\.option)
    #expect(options == ["maximumPending", "maximumBytes", "maximumOutcomes"])
    #expect(
      error?.violations.first?.description
        == "maximumPending: nil is not legal: the store of this outbox was made with limits of its"
        + " own, which stay")
    try update(outbox) { $0.maximumConcurrency = 9 }
    #expect(outbox.configuration.maximumConcurrency == 9)
    await outbox.shutDown()
  }

  @Test func `settings that change all the time disturb no run`() async throws {
    let runs = Box(0)
    let outbox = try await shop.open(shop.worker { _, _ in runs.change { $0 += 1 } })
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<200 { try await outbox.enqueue(Note(text: "\(number)")) }
      }
      for seed in 1...3 {
        group.addTask {
          var generator = SeededGenerator(seed: UInt64(seed))
          for _ in 0..<100 {
            var settings = outbox.configuration
            settings.maximumConcurrency = Int.random(in: 1...8, using: &generator)
            settings.maximumConcurrencyOfKinds = [
              Note.kind: Int.random(in: 1...8, using: &generator)
            ]
            settings.maximumOutcomes = Int.random(in: 0...5, using: &generator)
            try outbox.update(settings)
            await Task.yield()
          }
        }
      }
      try await group.waitForAll()
    }
    await outbox.wait { $0.pending == 0 }
    await shop.log.wait(for: "succeeded", count: 200)
    #expect(runs.value == 200 && shop.log.count("succeeded") == 200)
    #expect(try await outbox.ledger().count(.done) == 200)
    await outbox.shutDown()
  }
}
