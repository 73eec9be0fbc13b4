// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// A store of one of the two kinds, with a time of day that the test sets.
struct StoreUnderTest: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case memory
    case sqlite
  }

  let store: any OutboxStore
  let time: TimeOfDay
  private let folder: TemporaryFolder
  private let limits: StoreLimits

  init(_ kind: Kind, limits: StoreLimits = StoreLimits()) async throws {
    let (folder, time) = (try TemporaryFolder(), TimeOfDay())
    (self.folder, self.time, self.limits) = (folder, time, limits)
    switch kind {
    case .memory: store = InMemoryStore(limits: limits, now: { time.now })
    case .sqlite:
      store = SQLiteStore(at: folder.database, limits: limits, now: { time.now })
    }
    _ = try await store.open()
  }

  /// What happens when the process dies and another one opens the store.
  func crash() async throws -> (store: any OutboxStore, report: OpeningReport) {
    guard let sqlite = store as? SQLiteStore else { return (store, try await store.open()) }
    sqlite.abandon()
    let (folder, time) = (folder, time)
    let next = SQLiteStore(at: folder.database, limits: limits, now: { time.now })
    return (next, try await next.open())
  }
}

/// What every store does alike.
@Suite(.requirement("T6", "C14")) struct StoreConformanceTests {
  typealias Kind = StoreUnderTest.Kind

  @Test(arguments: Kind.allCases)
  func `what was inserted is claimed once, the oldest first`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    for text in ["a", "b", "c"] { _ = try await test.store.insert(.note(text)) }
    let first = try await test.store.claim(2)
    #expect(first.map(\.text) == ["a", "b"])
    let second = try await test.store.claim()
    #expect(second.map(\.text) == ["c"])
    #expect(try await test.store.claim().isEmpty)
    #expect(try await test.store.snapshot().running == 3)
  }

  @Test(.requirement("C14"), arguments: Kind.allCases)
  func `an operation comes back as it was given`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    let new = NewOperation.note("é\u{1F600}\\\"", orderedBy: "k\0ey", lane: "side")
    _ = try await test.store.insert(new)
    let leased = try #require(try await test.store.claim().first)
    let operation = leased.operation
    #expect(operation.id == new.id)
    #expect(operation.type == new.type)
    #expect(operation.orderingKey == "k\0ey")
    #expect(operation.lane == "side")
    #expect(operation.idempotencyKey == new.idempotencyKey)
    #expect(operation.payload == new.payload)
    #expect(operation.enqueued == test.time.now)
  }

  @Test(.requirement("O9"), arguments: Kind.allCases)
  func `only the head of an ordering key runs, and other keys pass it`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    for text in ["a1", "a2", "b1", "a3"] {
      _ = try await test.store.insert(.note(text, orderedBy: String(text.prefix(1))))
    }
    _ = try await test.store.insert(.note("free"))
    let first = try await test.store.claim()
    #expect(first.map(\.text) == ["a1", "b1", "free"])
    #expect(try await test.store.snapshot().blocked == 2)
    #expect(try await test.store.settle(first[0].lease, OperationVerdict(.done)))
    #expect(try await test.store.claim().map(\.text) == ["a2"])
  }

  @Test(.requirement("O9"), arguments: Kind.allCases)
  func `ordering keys and lanes of any bytes work`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    let lane = Lane(rawValue: "l\0ane")
    for (text, key) in [("a", "k\0a"), ("b", "k\0b"), ("a2", "k\0a"), ("c", "")] {
      _ = try await test.store.insert(.note(text, orderedBy: key, lane: lane))
    }
    let first = try await test.store.claim()
    #expect(first.map(\.text) == ["a", "b", "c"])
    for leased in first { _ = try await test.store.settle(leased.lease, OperationVerdict(.done)) }
    #expect(try await test.store.claim().map(\.text) == ["a2"])
  }

  @Test(.requirement("O25"), arguments: Kind.allCases)
  func `the end of a head makes the next one ready in the same step`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    for text in ["a", "b"] { _ = try await test.store.insert(.note(text, orderedBy: "k")) }
    let head = try #require(try await test.store.claim().first)
    _ = try await test.store.settle(head.lease, OperationVerdict(.done))
    let snapshot = try await test.store.snapshot()
    #expect(snapshot.blocked == 0)
    #expect(snapshot.ready == 1)
  }

  @Test(.requirement("O2"), arguments: Kind.allCases)
  func `an answer under an old token changes nothing`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    _ = try await test.store.insert(.note("a"))
    let old = try #require(try await test.store.claim().first)
    let (store, report) = try await test.crash()
    #expect(report.recovered == 1)
    let new = try #require(try await store.claim().first)
    #expect(new.lease.token > old.lease.token)
    #expect(try await !store.confirms(old.lease))
    #expect(try await store.confirms(new.lease))
    for next in [OperationVerdict.Next.done, .ready, .dead(.refused, followers: .holdKey)] {
      #expect(try await !store.settle(old.lease, OperationVerdict(next)))
    }
    #expect(try await store.snapshot().running == 1)
    #expect(try await store.settle(new.lease, OperationVerdict(.done)))
    #expect(try await !store.settle(new.lease, OperationVerdict(.done)))
    #expect(try await store.ledger().count(.done) == 1)
  }

  @Test(.requirement("O1"), arguments: Kind.allCases)
  func `three lost runs in a row end as a dead letter that says so`(kind: Kind) async throws {
    var test = try await StoreUnderTest(kind)
    _ = try await test.store.insert(.note("pill"))
    for run in 1...3 {
      let leased = try #require(try await test.store.claim().first)
      #expect(leased.operation.effect == (run == 1 ? .notSent : .sentUnknown))
      let (store, report) = try await test.crash()
      #expect(report.recovered == 1)
      #expect(report.quarantined == (run == 3 ? 1 : 0))
      test = test.with(store)
    }
    let letter = try #require(try await test.store.deadLetters(after: nil, limit: 10).first)
    #expect(letter.reason == .crashed)
    #expect(letter.operation.attempts == 0)
    #expect(try await test.store.ledger().isBalanced)
  }

  @Test(.requirement("O1"), arguments: Kind.allCases)
  func `what lost its last run is tried alone, and innocents get away`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    for text in ["a", "pill", "c"] { _ = try await test.store.insert(.note(text)) }
    #expect(try await test.store.claim().count == 3)
    let (store, _) = try await test.crash()
    _ = try await store.insert(.note("new"))
    let busy = try await store.claim(
      ClaimRequest(limit: 4, types: NewOperation.types, isAlone: false))
    #expect(busy.operations.isEmpty)
    #expect(busy.isExclusive)
    for text in ["a", "pill", "c"] {
      let claim = try await store.claim(
        ClaimRequest(limit: 4, types: NewOperation.types, isAlone: true))
      #expect(claim.operations.map(\.text) == [text])
      #expect(claim.isExclusive)
      for leased in claim.operations {
        _ = try await store.settle(leased.lease, OperationVerdict(.done))
      }
    }
    #expect(try await store.claim().map(\.text) == ["new"])
  }

  @Test(.requirement("O19"), arguments: Kind.allCases)
  func `unknown kinds are parked without an attempt until a worker knows them`(
    kind: Kind
  ) async throws {
    let test = try await StoreUnderTest(kind)
    _ = try await test.store.insert(.note("old", orderedBy: "k", kind: "future"))
    _ = try await test.store.insert(.note("next", orderedBy: "k"))
    _ = try await test.store.insert(.note("other"))
    #expect(try await test.store.claim().map(\.text) == ["other"])
    #expect(try await test.store.snapshot().parked == 1)
    _ = try await test.store.promote(NewOperation.types)
    #expect(try await test.store.snapshot().parked == 1)
    let future = NewOperation.types.union([PayloadType(kind: "future", version: 1)])
    _ = try await test.store.promote(future)
    let claim = try await test.store.claim(
      ClaimRequest(limit: 9, types: future, isAlone: false))
    #expect(claim.operations.map(\.text) == ["old"])
    #expect(claim.operations.map(\.operation.attempts) == [0])
  }

  @Test(.requirement("O20"), arguments: Kind.allCases)
  func `what no build of today can read waits for the next opening`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    _ = try await test.store.insert(.note("a"))
    let leased = try #require(try await test.store.claim().first)
    _ = try await test.store.settle(leased.lease, OperationVerdict(.parked))
    _ = try await test.store.promote(NewOperation.types)
    #expect(try await test.store.claim().isEmpty)
    let (store, _) = try await test.crash()
    _ = try await store.promote(NewOperation.types)
    #expect(try await store.claim().map(\.text) == ["a"])
  }

  @Test(arguments: Kind.allCases)
  func `scheduled and waiting operations come back when they are due`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    for text in ["a", "b"] { _ = try await test.store.insert(.note(text)) }
    let both = try await test.store.claim()
    _ = try await test.store.settle(
      both[0].lease, OperationVerdict(.scheduled(after: .seconds(10)), attempts: 1))
    _ = try await test.store.settle(both[1].lease, OperationVerdict(.waiting(after: .seconds(4))))
    let snapshot = try await test.store.snapshot()
    #expect(snapshot.scheduled == 1)
    #expect(snapshot.waiting == 1)
    #expect(try await test.store.promote([]) == .seconds(4))
    test.time.advance(by: .seconds(4))
    #expect(try await test.store.promote([]) == .seconds(6))
    #expect(try await test.store.claim().map(\.text) == ["b"])
    test.time.advance(by: .seconds(6))
    #expect(try await test.store.promote([]) == nil)
    let again = try await test.store.claim()
    #expect(again.map(\.text) == ["a"])
    #expect(again.map(\.operation.attempts) == [1])
  }
}

extension StoreUnderTest {
  private init(_ store: any OutboxStore, like other: StoreUnderTest) {
    self.store = store
    (time, folder, limits) = (other.time, other.folder, other.limits)
  }

  /// The same test on the store that came after a crash.
  func with(_ store: any OutboxStore) -> StoreUnderTest { StoreUnderTest(store, like: self) }
}
