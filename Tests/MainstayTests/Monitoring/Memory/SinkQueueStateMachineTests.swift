// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

@Suite struct SinkQueueStateMachineTests {
  typealias Queue = SinkQueueStateMachine<Int>

  @Test func `one sender at a time sends batches, the oldest first`() {
    var queue = Queue(.init(capacity: 9, batchSize: 2))
    #expect(queue.offer(1, severity: .warning) == true)
    #expect(queue.offer(2, severity: .debug) == false)
    #expect(queue.offer(3, severity: .error) == false)
    #expect(queue.next() == [1, 2])
    #expect(queue.next() == nil, "one batch at a time")
    #expect(queue.end(.accepted) == .send)
    #expect(queue.next() == [3])
    #expect(queue.end(.accepted) == .send)
    #expect(queue.next() == nil)
    #expect(queue.phase == .idle && queue.books.sent == 3 && queue.stored == 0)
    #expect(queue.offer(4, severity: .info) == true, "and begins again")
  }

  @Test func `where there is no room the oldest of the mildest leave`() {
    var queue = Queue(.init(capacity: 3, batchSize: 9))
    for (number, severity) in [
      (1, Severity.error), (2, .info), (3, .error), (4, .info), (5, .debug), (6, .critical),
    ] { _ = queue.offer(number, severity: severity) }
    #expect(queue.books.dropped == [.overflow: 3])
    #expect(queue.next() == [6])
    _ = queue.end(.accepted)
    #expect(queue.next() == [1, 3])
  }

  @Test(.requirement("B42")) func `what is critical comes first, and in batches of its own`() {
    var queue = Queue(.init(capacity: 99, batchSize: 3))
    for number in 1...20 {
      _ = queue.offer(number, severity: number % 5 == 0 ? .critical : .warning)
    }
    #expect(queue.next() == [5, 10, 15])
    #expect(queue.end(.later()) == .pause(.seconds(1)))
    _ = queue.offer(21, severity: .critical)
    queue.resume()
    var batches: [[Int]] = []
    while let batch = queue.next() {
      batches.append(batch)
      _ = queue.end(.accepted)
    }
    #expect(Array(batches.prefix(3)) == [[5, 10, 15], [20, 21], [1, 2, 3]])
    #expect(queue.books.sent == 21 && queue.stored == 0)
  }

  @Test(.requirement("B42")) func `a few that are critical are handed over besides`() {
    var queue = Queue(.init(capacity: 99, batchSize: 9))
    let begun = (0..<10).count { _ in queue.beginUrgent() }
    #expect(begun == 8 && queue.stored == 8 && !queue.isSettled)
    for _ in 0..<8 { queue.endUrgent() }
    #expect(queue.stored == 0 && queue.books.sent == 8 && queue.isSettled)
    queue.shutDown()
    #expect(queue.beginUrgent() == false)
  }

  @Test func `what a sink puts off is sent again first, after a pause that grows`() {
    var queue = Queue(.init(capacity: 9, batchSize: 2))
    for number in 1...3 { _ = queue.offer(number, severity: .error) }
    var pauses: [Int64] = []
    for _ in 0..<11 {
      #expect(queue.next() == [1, 2])
      guard case .pause(let pause) = queue.end(.later()) else { continue }
      #expect(queue.isSettled && queue.stored >= 3)
      #expect(queue.next() == nil)
      #expect(queue.offer(4, severity: .debug) == false)
      #expect(queue.stored <= 9)
      pauses.append(pause.components.seconds)
      queue.resume()
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    #expect(queue.next() == [1, 2])
    #expect(queue.end(.accepted) == .send)
    #expect(queue.next()?.first == 3)
    #expect(queue.end(.later(after: .seconds(9))) == .pause(.seconds(9)))
  }

  @Test func `a hint is cut to what is useful`() {
    for (hint, pause) in [(-5, 1), (0, 1), (7, 7), (Int64.max, 31_536_000)] {
      var queue = Queue(.init(capacity: 99, batchSize: 9))
      _ = queue.offer(1, severity: .error)
      _ = queue.next()
      #expect(queue.end(.later(after: .seconds(hint))) == .pause(.seconds(pause)))
    }
  }

  @Test func `what is rejected is dropped with the reason`() {
    var queue = Queue(.init(capacity: 99, batchSize: 9))
    _ = queue.offer(1, severity: .error)
    _ = queue.next()
    #expect(queue.end(.rejected(.init("tooLarge"))) == .send)
    #expect(queue.books.dropped == [.init("tooLarge"): 1] && queue.stored == 0)
  }

  @Test(.requirement("C22")) func `what waits is dropped when consent is withdrawn`() {
    var queue = Queue(.init(capacity: 9, batchSize: 1))
    for number in 1...3 { _ = queue.offer(number, severity: .error) }
    _ = queue.next()
    queue.withdraw()
    #expect(queue.stored == 1 && queue.books.dropped == [.withheld: 2])
    #expect(queue.end(.accepted) == .send)
    #expect(queue.next() == nil)
    #expect(queue.books.sent == 1)
  }

  @Test(.requirement("C22")) func `what a sink puts off after consent was withdrawn is dropped`() {
    var queue = Queue(.init(capacity: 9, batchSize: 2))
    for number in 1...3 { _ = queue.offer(number, severity: .error) }
    #expect(queue.next() == [1, 2])
    queue.withdraw()
    #expect(queue.offer(4, severity: .error) == false, "they have agreed again")
    #expect(queue.end(.later()) == .pause(.seconds(1)))
    #expect(queue.books.dropped == [.withheld: 3] && queue.stored == 1)
    queue.resume()
    #expect(queue.next() == [4])
    #expect(queue.end(.later()) == .pause(.seconds(2)), "nothing was withdrawn meanwhile")
    #expect(queue.stored == 1)
  }

  @Test func `after the end nothing begins, and what comes back is counted`() {
    var queue = Queue(.init(capacity: 9, batchSize: 1))
    for number in 1...3 { _ = queue.offer(number, severity: .error) }
    _ = queue.next()
    queue.shutDown()
    #expect(queue.offer(4, severity: .critical) == false)
    #expect(queue.wake() == false)
    #expect(queue.end(.later()) == .send)
    #expect(queue.next() == nil)
    #expect(queue.stored == 0 && queue.books.dropped == [.shutDown: 4])
  }

  @Test func `it is settled where nobody sends and nothing urgent is on its way`() {
    var queue = Queue(.init(capacity: 9, batchSize: 1))
    #expect(queue.isSettled)
    for number in 1...2 { _ = queue.offer(number, severity: .error) }
    #expect(!queue.isSettled && queue.stored == 2)
    _ = queue.next()
    #expect(!queue.isSettled && queue.stored == 2)
    _ = queue.end(.later())
    #expect(queue.isSettled && queue.stored == 2, "it waits")
    #expect(queue.beginUrgent() == true)
    #expect(!queue.isSettled && queue.stored == 3)
    queue.endUrgent()
    #expect(queue.isSettled && queue.stored == 2 && queue.books.sent == 1)
  }

  @Test func `whoever comes once a pause is over waits for what is due, whatever ends before`() {
    var queue = Queue(.init(capacity: 9, batchSize: 9))
    #expect(queue.isSettledBeyondPause)
    _ = queue.offer(1, severity: .error)
    _ = queue.next()
    _ = queue.end(.later())
    #expect(queue.isSettled && !queue.isSettledBeyondPause)
    _ = queue.beginUrgent()
    queue.endUrgent()
    #expect(queue.isSettled && !queue.isSettledBeyondPause, "a critical one was written meanwhile")
    queue.resume()
    _ = queue.next()
    #expect(!queue.isSettledBeyondPause)
    _ = queue.end(.accepted)
    _ = queue.next()
    #expect(queue.isSettledBeyondPause)
  }

  @Test func `only the end of a pause ends a pause, and nothing else begins by it`() {
    var queue = Queue(.init(capacity: 9, batchSize: 9))
    queue.resume()
    #expect(queue.phase == .idle && queue.offer(1, severity: .error) == true)
    queue.resume()
    #expect(queue.phase == .sending && queue.next() == [1])
    _ = queue.end(.later())
    #expect(queue.phase == .pausing && queue.wake() == false)
    queue.resume()
    #expect(queue.phase == .sending && queue.next() == [1])
  }

  @Test func `a pause is short again once a batch was settled, taken or not`() {
    for settled in [ErrorReport.SendOutcome.accepted, .rejected()] {
      var queue = Queue(.init(capacity: 9, batchSize: 1))
      for number in 1...2 { _ = queue.offer(number, severity: .error) }
      for seconds in [1, 2] {
        _ = queue.next()
        #expect(queue.end(.later()) == .pause(.seconds(seconds)))
        queue.resume()
      }
      _ = queue.next()
      #expect(queue.end(settled) == .send)
      #expect(queue.next() == [2])
      #expect(queue.end(.later()) == .pause(.seconds(1)))
    }
  }

  @Test func `what is put back counts when there is no room`() {
    var queue = Queue(.init(capacity: 2, batchSize: 2))
    for number in 1...2 { _ = queue.offer(number, severity: .error) }
    #expect(queue.next() == [1, 2])
    for number in 3...4 { _ = queue.offer(number, severity: .error) }
    #expect(queue.stored == 4 && queue.books.dropped.isEmpty)
    _ = queue.end(.later())
    #expect(queue.stored == 2 && queue.books.dropped == [.overflow: 2])
    queue.resume()
    #expect(queue.next() == [3, 4])
  }

  @Test(arguments: zip(Severity.allCases, Severity.allCases.dropFirst()))
  func `the milder one leaves, also where it is the newest`(mild: Severity, severe: Severity) {
    var queue = Queue(.init(capacity: 1, batchSize: 1))
    _ = queue.offer(1, severity: severe)
    _ = queue.offer(2, severity: mild)
    #expect(queue.next() == [1] && queue.books.dropped == [.overflow: 1])
  }

  @Test func `what is not for the sink is counted, and a batch of no reports is not`() {
    var queue = Queue(.init(capacity: 9, batchSize: 9))
    queue.withhold()
    queue.withhold()
    #expect(queue.books.dropped == [.withheld: 2])
    #expect(queue.wake() == true)
    #expect(queue.next(hasMore: true) == [])
    _ = queue.end(.rejected())
    #expect(queue.books.dropped == [.withheld: 2])
  }

  @Test(.requirement("C22")) func `what comes after consent was withdrawn stays`() {
    var idle = Queue(.init(capacity: 9, batchSize: 9))
    _ = idle.offer(1, severity: .error)
    idle.withdraw()
    _ = idle.offer(2, severity: .error)
    #expect(idle.next() == [2])
    _ = idle.end(.later())
    #expect(idle.stored == 1 && idle.books.dropped == [.withheld: 1])
    var busy = Queue(.init(capacity: 9, batchSize: 1))
    for number in 1...2 { _ = busy.offer(number, severity: .error) }
    _ = busy.next()
    busy.withdraw()
    _ = busy.end(.accepted)
    _ = busy.offer(3, severity: .error)
    #expect(busy.next() == [3])
    _ = busy.end(.later())
    #expect(busy.stored == 1 && busy.books.dropped == [.withheld: 1])
  }

  @Test func `a sender may have something else to send than reports`() {
    var queue = Queue(.init(capacity: 99, batchSize: 9))
    #expect(queue.wake() == true)
    #expect(queue.wake() == false)
    #expect(queue.next(hasMore: true) == [])
    #expect(queue.end(.accepted) == .send)
    #expect(queue.next() == nil)
  }

  @Test func `a random walk loses nothing without counting it`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      var queue = Queue(
        .init(
          capacity: Int.random(in: 1...6, using: &random),
          batchSize: Int.random(in: 1...4, using: &random)))
      var (offered, isSending, delivered) = (0, false, [Int]())
      var withdrawn = 0
      var batch: [Int]?
      for _ in 0..<60 {
        switch Int.random(in: 0..<24, using: &random) {
        case 0...9:
          offered += 1
          let severity = Severity.allCases.randomElement(using: &random) ?? .error
          let begins = queue.offer(offered, severity: severity)
          #expect(!(begins && isSending), "seed \(seed): one sender at a time")
          isSending = isSending || begins
        case 10:
          offered += 1
          queue.withhold()
        case 11...16:
          guard isSending, batch == nil, queue.phase == .sending else { break }
          batch = queue.next()
          if batch == nil { isSending = false }
          #expect(batch.map { $0 == $0.sorted() } ?? true, "seed \(seed)")
          let isAgreed = batch?.allSatisfy { $0 > withdrawn } ?? true
          #expect(isAgreed, "seed \(seed): sent after consent was withdrawn")
        case 17...21:
          guard let sent = batch else { break }
          let outcome: ErrorReport.SendOutcome =
            [.accepted, .rejected(), .later()].randomElement(using: &random) ?? .accepted
          if outcome == .accepted { delivered += sent }
          _ = queue.end(outcome)
          batch = nil
        case 22:
          queue.withdraw()
          withdrawn = offered
        default: queue.resume()
        }
        let books = queue.books
        #expect(books.sent == delivered.count, "seed \(seed)")
        #expect(offered == books.total + queue.stored, "seed \(seed)")
      }
      #expect(Set(delivered).count == delivered.count, "seed \(seed): nothing is sent twice")
    }
  }
}

@Suite struct SinkQueueFifoStateMachineTests {
  @Test func `many may be put back before many others`() {
    let count = 100_000
    var fifo = Fifo<Int>()
    for number in 0..<(2 * count) { fifo.append(number) }
    let taken = (0..<count).compactMap { _ in fifo.takeFirst() }
    fifo.prepend(taken)
    #expect(fifo.count == 2 * count)
    #expect((0..<(2 * count)).allSatisfy { fifo.takeFirst() == $0 } && fifo.first == nil)
  }

  @Test func `a sink with the largest queue may put all of it off`() {
    var queue = SinkQueueStateMachine<Int>(.init(capacity: 100_000, batchSize: 100_000))
    for number in 0..<100_000 { _ = queue.offer(number, severity: .error) }
    for _ in 0..<3 {
      #expect(queue.next()?.count == 100_000)
      _ = queue.end(.later())
      queue.resume()
    }
    #expect(queue.next() == Array(0..<100_000))
  }

  @Test func `a random walk agrees with an array`() {
    for seed in 0..<RandomDose.schedules {
      var random = SplitMix64(seed: seed)
      var fifo = Fifo<Int>()
      var model: [Int] = []
      for step in 0..<120 {
        switch Int.random(in: 0..<8, using: &random) {
        case 0...3:
          fifo.append(step)
          model.append(step)
        case 4:
          let returned = (0..<Int.random(in: 0...4, using: &random)).map { step + $0 }
          fifo.prepend(returned)
          model.insert(contentsOf: returned, at: 0)
        case 5...6: #expect(fifo.takeFirst() == (model.isEmpty ? nil : model.removeFirst()))
        default:
          guard Int.random(in: 0..<20, using: &random) == 0 else { break }
          fifo.removeAll()
          model = []
        }
        #expect(fifo.first == model.first && fifo.count == model.count, "seed \(seed)")
      }
    }
  }
}
