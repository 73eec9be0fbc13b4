// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// When an outbox runs what, and why it does not.
@Suite(.requirement("C13"), .ends(withinMinutes: 5)) struct OutboxSchedulingTests {
  private struct Photo: QueuedOperation {
    static let kind: OperationKind = "photo"
    static let priority = OperationPriority.lowest
    var name: String
  }

  @Test func `what a person waits for passes what they do not`() async throws {
    var shop = try Workshop()
    shop.configuration.maximumConcurrency = 1
    shop.configuration.startsPaused = true
    let order = Box<[String]>([])
    let outbox = try await shop.open(
      Worker(for: Photo.self) { photo, _ in order.change { $0.append(photo.name) } },
      shop.worker { note, _ in order.change { $0.append(note.text) } })
    try await outbox.enqueue(Photo(name: "photo"))
    try await outbox.enqueue(Note(text: "note"))
    try await outbox.enqueue(Photo(name: "urgent"), options: EnqueueOptions(priority: .highest))
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    #expect(order.value == ["urgent", "note", "photo"])
    await outbox.shutDown()
  }

  @Test func `no more of a type run at once than its worker allows`() async throws {
    let shop = try Workshop()
    let gate = Gate()
    let (running, most) = (Box(0), Box(0))
    let outbox = try await shop.open(
      Worker(for: Photo.self, maximumConcurrency: 1) { _, _ in
        let now = running.change { count in
          count += 1
          return count
        }
        most.change { $0 = max($0, now) }
        await gate.pass()
        running.change { $0 -= 1 }
      },
      shop.worker { _, _ in })
    var ids: [OperationID] = []
    for name in ["a", "b"] { ids.append(try await outbox.enqueue(Photo(name: name))) }
    await shop.log.wait(for: "started")
    try await outbox.enqueue(Note(text: "free"))
    await shop.log.wait(for: "succeeded")
    #expect(try await outbox.explain(ids[0])?.obstacles == [.running])
    #expect(try await outbox.explain(ids[1])?.obstacles == [.typeIsBusy(1)])
    gate.open()
    await outbox.wait { $0.pending == 0 }
    #expect(most.value == 1)
    await outbox.shutDown()
  }

  @Test func `a constraint holds back until the app says that it holds`() async throws {
    var shop = try Workshop()
    shop.configuration.unmetConstraints = [.unmetered]
    let outbox = try await shop.open(shop.worker { _, _ in })
    let id = try await outbox.enqueue(
      Note(text: "a"), options: EnqueueOptions(constraints: [.unmetered, .network]))
    try await outbox.enqueue(Note(text: "b"))
    await outbox.wait { $0.waiting == 1 && $0.pending == 1 }
    #expect(try await outbox.explain(id)?.obstacles == [.constraint(.unmetered)])
    await outbox.set(.network, isMet: false)
    await outbox.set(.unmetered, isMet: true)
    await outbox.wait { $0.waiting == 1 }
    #expect(try await outbox.explain(id)?.obstacles == [.constraint(.network)])
    await outbox.set(.network, isMet: true)
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test func `a kind that is paused waits, also after a restart, and others go on`() async throws {
    let shop = try Workshop()
    let order = Box<[String]>([])
    let workers = [
      Worker(for: Photo.self) { photo, _ in order.change { $0.append(photo.name) } },
      shop.worker { note, _ in order.change { $0.append(note.text) } },
    ]
    let first = try await shop.open(workers[0], workers[1])
    try await first.pause(kind: Photo.kind)
    let id = try await first.enqueue(Photo(name: "photo"))
    try await first.enqueue(Note(text: "note"))
    await first.wait { $0.ready + $0.running == 0 && $0.causes.kindPaused == 1 }
    let explanation = try await first.explain(id)
    #expect(explanation?.obstacles == [.kindPaused("photo")])
    #expect(explanation?.obstacles.first?.description == "Its kind “photo” is paused.")
    #expect(explanation?.earliest == nil)
    await first.shutDown()
    let next = try await shop.open(workers[0], workers[1])
    try await next.enqueue(Note(text: "another"))
    await next.wait { $0.pending == 1 }
    #expect(order.value == ["note", "another"])
    try await next.resume(kind: Photo.kind)
    await next.wait { $0.pending == 0 }
    #expect(order.value == ["note", "another", "photo"])
    await next.shutDown()
  }

  @Test func `what an earlier process held back is not held back for ever`() async throws {
    var shop = try Workshop()
    shop.configuration.unmetConstraints = [.unmetered]
    let first = try await shop.open(shop.worker { _, _ in })
    try await first.enqueue(
      Note(text: "a"), options: EnqueueOptions(constraints: [.unmetered]))
    await first.wait { $0.waiting == 1 }
    await first.shutDown()
    shop.configuration.unmetConstraints = []
    let next = try await shop.open(shop.worker { _, _ in })
    await next.wait { $0.pending == 0 }
    await next.shutDown()
  }

  @Test func `a worker puts an operation off, which counts no attempt`() async throws {
    let shop = try Workshop()
    let isOpen = Box(false)
    let outbox = try await shop.open(
      shop.worker { _, context in
        #expect(context.attempt == 1)
        if !isOpen.value { throw Snooze(for: .seconds(60)) }
      })
    try await outbox.enqueue(Note(text: "a"))
    await outbox.wait { $0.waiting == 1 }
    isOpen.value = true
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(60))
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test(.requirement("O26")) func `a run that is taken back is cancelled, and nothing is left`()
    async throws
  {
    let shop = try Workshop()
    let outbox = try await shop.open(
      shop.worker { _, _ in try await untilCancelled() })
    let id = try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "started")
    #expect(try await outbox.cancel(id) == .stopping)
    await outbox.wait { $0.pending == 0 }
    #expect(try await outbox.ledger().count(.cancelled) == 1)
    await shop.log.wait(for: "cancelled")
    #expect(shop.log.count("cancelled") == 1 && shop.log.count("started") == 1)
    #expect(try await outbox.cancel(id) == nil)
    await outbox.shutDown()
  }

  @Test(arguments: Reconciliation.allCases)
  func `what may have been sent is asked about before it is taken back`(
    answer: Reconciliation
  ) async throws {
    let shop = try Workshop()
    let isCancelled = Box(false)
    let outbox = try await shop.open(
      shop.worker(reconcile: { _, _ in isCancelled.value ? answer : .unknown }) { _, _ in
        Issue.record("it was sent")
      })
    let id = try await outbox.enqueue(
      Note(text: "a"), options: EnqueueOptions(mayHaveBeenSent: true))
    await outbox.wait { $0.scheduled == 1 }
    isCancelled.value = true
    #expect(try await outbox.cancel(id) == .mayHaveHappened)
    await shop.log.wait(for: "reconciled", count: 2)
    switch answer {
    case .applied, .notApplied:
      await outbox.wait { $0.pending == 0 }
      let ledger = try await outbox.ledger()
      #expect(ledger.count(.done) == (answer == .applied ? 1 : 0))
      #expect(ledger.count(.cancelled) == (answer == .applied ? 0 : 1))
    case .unknown:
      await outbox.wait { $0.scheduled == 1 }
    }
    await outbox.shutDown()
  }

  @Test func `it says why an operation does not run, and from when on it may`() async throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    let outbox = try await shop.open(shop.worker { _, _ in })
    let id = try await outbox.enqueue(Note(text: "a"), orderedBy: "k")
    let next = try await outbox.enqueue(Note(text: "b"), orderedBy: "k")
    let late = try await outbox.enqueue(
      Note(text: "c"), options: EnqueueOptions(delay: .seconds(60)))
    let unknown = try await outbox.enqueue(Photo(name: "d"))
    #expect(try await outbox.explain(id)?.obstacles == [.paused])
    #expect(try await outbox.explain(next)?.obstacles == [.follows(id), .paused])
    let explained = try #require(try await outbox.explain(late))
    #expect(explained.earliest == nil, "no time alone ends the pause")
    #expect(
      explained.obstacles.map(\.description) == [
        "It runs at 2027-01-15T08:01:00Z at the earliest.", "The whole outbox is paused.",
      ])
    let type = PayloadType(kind: "photo", version: 1)
    #expect(try await outbox.explain(unknown)?.obstacles == [.noWorker(type), .paused])
    #expect(try await outbox.explain(OperationID(UUID())) == nil)
    await outbox.resume()
    let timely = try #require(try await outbox.explain(late))
    #expect(timely.earliest == shop.day.now.addingTimeInterval(60))
    try await outbox.pause(.main)
    let both = try #require(try await outbox.explain(late))
    #expect(both.obstacles.count == 2 && both.earliest == nil, "no time alone opens the lane")
    await outbox.shutDown()
  }

  @Test func `a second one under a unique key is refused in words`() async throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    let outbox = try await shop.open(shop.worker { _, _ in })
    let options = EnqueueOptions(uniqueKey: .init("refresh", ifTaken: .reject))
    try await outbox.enqueue(Note(text: "a"), options: options)
    let error = await #expect(throws: OutboxError.self) {
      try await outbox.enqueue(Note(text: "b"), options: options)
    }
    #expect(error?.code == .duplicate)
    #expect(error?.appError.title.description == "This is waiting already")
    await outbox.shutDown()
  }
}

/// How an outbox goes to work after trouble, and in the time that a system gives it.
@Suite(.requirement("O11", "O35"), .ends(withinMinutes: 5)) struct OutboxDrainTests {
  @Test(.requirement("C17")) func `after an outage one is tried before many are`() async throws {
    var shop = try Workshop()
    shop.configuration.maximumConcurrency = 8
    let isDown = Box(true)
    let (running, most) = (Box(0), Box<[Int]>([]))
    let outbox = try await shop.open(
      shop.worker { _, _ in
        if isDown.value { throw AppError.test(.transient(), kind: .offline) }
        let now = running.change { count in
          count += 1
          return count
        }
        most.change { $0.append(now) }
        await Task.yield()
        running.change { $0 -= 1 }
      })
    for number in 0..<8 { try await outbox.enqueue(Note(text: String(number))) }
    await outbox.wait { $0.scheduled == 8 }
    isDown.value = false
    try await outbox.connectionImproved()
    await outbox.wait { $0.pending == 0 }
    #expect(most.value.count == 8)
    #expect(most.value.prefix(1) == [1] && most.value.prefix(3).allSatisfy { $0 <= 2 })
    await outbox.shutDown()
  }

  @Test(.requirement("C18")) func `it says how long the rest takes`() async throws {
    var shop = try Workshop()
    shop.configuration.maximumConcurrency = 1
    let clock = shop.clock
    let outbox = try await shop.open(shop.worker { _, _ in clock.advance(by: .seconds(2)) })
    #expect(try await outbox.snapshot().estimate == nil)
    for number in 0..<5 { try await outbox.enqueue(Note(text: String(number))) }
    await outbox.wait { $0.pending == 0 }
    // It waits for the last end to be counted, and for claims that are on their way.
    await outbox.suspend()
    for number in 5..<8 { try await outbox.enqueue(Note(text: String(number))) }
    let snapshot = try await outbox.snapshot()
    #expect(snapshot.ready == 3)
    let seconds = try #require(snapshot.estimate?.likely.inSeconds)
    #expect(abs(seconds - 6) < 1)
    for await change in outbox.changes {
      #expect(change.estimate == snapshot.estimate)
      break
    }
    await outbox.shutDown()
  }

  @Test func `how long the rest takes leaves out what waits behind a dead letter`() async throws {
    var shop = try Workshop()
    shop.configuration.maximumConcurrency = 1
    let clock = shop.clock
    let outbox = try await shop.open(
      shop.worker { note, _ in
        guard note.text != "dead" else { throw AppError.test(.permanent) }
        clock.advance(by: .seconds(2))
      })
    for number in 0..<5 { try await outbox.enqueue(Note(text: String(number))) }
    try await outbox.enqueue(Note(text: "dead"), orderedBy: "k")
    await outbox.wait { $0.pending == 0 && $0.dead == 1 }
    await outbox.suspend()
    for number in 0..<20 { try await outbox.enqueue(Note(text: String(number)), orderedBy: "k") }
    for number in 0..<3 { try await outbox.enqueue(Note(text: String(number))) }
    let snapshot = try await outbox.snapshot()
    #expect(snapshot.ready == 3 && snapshot.blocked == 20)
    let seconds = try #require(snapshot.estimate?.likely.inSeconds)
    #expect(abs(seconds - 6) < 1)
    await outbox.shutDown()
  }

  @Test func `it drains what it can in the time that it has`() async throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    let gate = Gate()
    let outbox = try await shop.open(
      shop.worker { note, _ in if note.text == "long" { await gate.pass() } })
    try await outbox.enqueue(Note(text: "short"))
    let all = try await outbox.drain(for: .seconds(20))
    #expect(all.pending == 0)
    try await outbox.enqueue(Note(text: "long"))
    async let rest = outbox.drain(for: .seconds(20))
    await shop.log.wait(for: "started", count: 2)
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(20))
    #expect(try await rest.running == 1)
    gate.open()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test func `what fell due during a pause is worked off, too, however slow the store is`()
    async throws
  {
    let shop = try Workshop()
    var configuration = shop.configuration
    configuration.startsPaused = true
    let (asked, answer, work) = (Gate(), Gate(), Gate())
    let (clock, day) = (shop.clock, shop.day)
    let store = FailingStore(now: { day.now })
    let outbox = try await Outbox(store: store, configuration: configuration, clock: clock) {
      shop.worker { _, _ in await work.pass() }
    }
    try await outbox.enqueue(Note(text: "a"), options: EnqueueOptions(delay: .seconds(60)))
    day.advance(by: .seconds(60))
    store.hold(promotionsUntil: answer, opening: asked)
    async let rest = outbox.drain(for: .seconds(25))
    await asked.pass()
    // Nothing is ready yet, and nothing runs.
    await outbox.wait { $0.scheduled == 1 }
    answer.open()
    await shop.log.wait(for: "started")
    work.open()
    #expect(try await rest.pending == 0)
    await outbox.shutDown()
  }

  @Test func `a drain ends where the store fails, and where the outbox is shut down`()
    async throws
  {
    let shop = try Workshop()
    let (asked, answer) = (Gate(), Gate())
    let day = shop.day
    let store = FailingStore(now: { day.now })
    let outbox = try await Outbox(
      store: store, configuration: shop.configuration, clock: shop.clock
    ) { shop.worker { _, _ in } }
    await outbox.pause()
    store.fail("promote", times: 1)
    #expect(try await outbox.drain(for: .seconds(25)).pending == 0)
    store.hold(promotionsUntil: answer, opening: asked)
    let drain = Task { try? await outbox.drain(for: .seconds(25)) }
    await asked.pass()
    async let end: Void = outbox.shutDown()
    answer.open()
    await end
    _ = await drain.value
  }

  @Test(.requirement("O26", "O34"))
  func `before it is suspended it ends or gives back what runs`() async throws {
    let shop = try Workshop()
    let isLong = Box(true)
    let outbox = try await shop.open(
      shop.worker { _, _ in
        if isLong.value { try await untilCancelled() }
      })
    try await outbox.enqueue(Note(text: "a"))
    await shop.log.wait(for: "started")
    async let end: Void = outbox.suspend(within: .seconds(4))
    await shop.clock.sleepers(atLeast: 1)
    shop.clock.advance(by: .seconds(4))
    await end
    let snapshot = try await outbox.snapshot()
    #expect(snapshot.running == 0 && snapshot.ready == 1)
    isLong.value = false
    try await outbox.enqueue(Note(text: "b"))
    #expect(shop.log.count("started") == 1, "nothing begins while it is suspended")
    await outbox.suspend()
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }
}
