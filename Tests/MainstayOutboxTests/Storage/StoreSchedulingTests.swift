// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// When an operation runs, in every store: priorities, delays, constraints, limits.
@Suite(.requirement("C13")) struct StoreSchedulingTests {
  typealias Kind = StoreUnderTest.Kind
  typealias Wishes = NewOperation.Wishes

  @Test(arguments: Kind.allCases)
  func `a higher priority runs first, and equal ones in the order of arrival`(
    kind: Kind
  ) async throws {
    let test = try await StoreUnderTest(kind)
    let late = Wishes(priority: .low, handicap: .seconds(60))
    for text in ["low1", "low2"] { _ = try await test.store.insert(.note(text, wishes: late)) }
    for text in ["high1", "high2"] { _ = try await test.store.insert(.note(text)) }
    let first = try await test.store.claim()
    #expect(first.map(\.text) == ["high1", "high2", "low1", "low2"])
    #expect(first.map(\.operation.priority) == [.normal, .normal, .low, .low])
  }

  @Test(arguments: Kind.allCases)
  func `what waited long enough is not overtaken any more`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    _ = try await test.store.insert(.note("old", wishes: Wishes(handicap: .seconds(60))))
    test.time.advance(by: .seconds(59))
    _ = try await test.store.insert(.note("a"))
    test.time.advance(by: .seconds(2))
    _ = try await test.store.insert(.note("b"))
    #expect(try await test.store.claim().map(\.text) == ["a", "old", "b"])
  }

  @Test(arguments: OperationPriority.allCases)
  func `each step of priority is worth one ageing`(priority: OperationPriority) {
    let steps = OperationPriority.highest.rawValue - priority.rawValue
    #expect(priority.handicap(ageing: .seconds(10)) == .seconds(10 * steps))
    #expect(priority.handicap(ageing: .zero) == .zero)
    #expect(priority.handicap(ageing: .seconds(Int64.max)) <= .seconds(366 * 86_400))
  }

  @Test(.requirement("O4"))
  func `a clock that went back a year starves nothing, and delays nothing longer`() async throws {
    let test = try await StoreUnderTest(.sqlite)
    _ = try await test.store.insert(.note("old"))
    _ = try await test.store.insert(
      .note("head", orderedBy: "k", wishes: Wishes(delay: .seconds(60))))
    _ = try await test.store.insert(
      .note("next", orderedBy: "k", wishes: Wishes(delay: .seconds(90))))
    test.time.advance(by: .seconds(-365 * 86_400))
    let next = test.with(try await test.crash().store)
    _ = try await next.store.insert(.note("new", wishes: Wishes(handicap: .seconds(1))))
    #expect(try await next.store.claim().map(\.text) == ["old", "new"])
    next.time.advance(by: .seconds(61))
    _ = try await next.store.promote(NewOperation.types)
    let head = try #require(try await next.store.claim().first)
    #expect(head.text == "head")
    next.time.advance(by: .seconds(30))
    _ = try await next.store.settle(head.lease, OperationVerdict(.done))
    #expect(try await next.store.claim().map(\.text) == ["next"])
  }

  @Test(arguments: Kind.allCases)
  func `a delayed operation is kept until its time, and holds its place`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    for (text, delay) in [("a", 60), ("b", nil), ("c", 120)] {
      let delay = delay.map { Duration.seconds($0) }
      _ = try await test.store.insert(.note(text, orderedBy: "k", wishes: Wishes(delay: delay)))
    }
    _ = try await test.store.insert(.note("free", wishes: Wishes(delay: .zero)))
    #expect(try await test.store.claim().map(\.text) == ["free"])
    #expect(try await test.store.promote(NewOperation.types) == .seconds(60))
    test.time.advance(by: .seconds(60))
    _ = try await test.store.promote(NewOperation.types)
    for text in ["a", "b"] {
      let leased = try #require(try await test.store.claim().first)
      #expect(leased.text == text)
      _ = try await test.store.settle(leased.lease, OperationVerdict(.done))
    }
    #expect(try await test.store.claim().isEmpty, "c is delayed on its own account")
    #expect(try await test.store.promote(NewOperation.types) == .seconds(60))
    test.time.advance(by: .seconds(60))
    _ = try await test.store.promote(NewOperation.types)
    #expect(try await test.store.claim().map(\.text) == ["c"])
  }

  @Test(arguments: Kind.allCases)
  func `a constraint that does not hold keeps back only those that name it`(
    kind: Kind
  ) async throws {
    let test = try await StoreUnderTest(kind)
    let wishes = Wishes(constraints: [.unmetered, .power])
    _ = try await test.store.insert(.note("photo", orderedBy: "k", wishes: wishes))
    _ = try await test.store.insert(.note("next", orderedBy: "k"))
    _ = try await test.store.insert(.note("text"))
    #expect(try await claim(test.store, unmet: [.unmetered]).map(\.text) == ["text"])
    #expect(try await test.store.snapshot().waiting == 1)
    #expect(try await claim(test.store, unmet: []).isEmpty, "it is looked at when it is asked for")
    try await test.store.reconsider()
    #expect(try await claim(test.store, unmet: [.power]).isEmpty)
    try await test.store.reconsider()
    let photo = try await claim(test.store, unmet: ["signed-in:ann"])
    #expect(photo.map(\.text) == ["photo"])
    #expect(photo.first?.operation.constraints == [.unmetered, .power])
  }

  private func claim(
    _ store: any OutboxStore, unmet: Set<OperationConstraint>
  ) async throws -> [LeasedOperation] {
    try await store.claim(
      ClaimRequest(limit: 9, types: NewOperation.types, isAlone: true, unmet: unmet)
    ).operations
  }

  @Test(arguments: Kind.allCases)
  func `a type whose workers are busy is passed by others`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind)
    let (note, other) = (
      PayloadType(kind: "note", version: 1), PayloadType(kind: "other", version: 1)
    )
    for text in ["n1", "n2", "n3"] { _ = try await test.store.insert(.note(text)) }
    for text in ["o1", "o2"] { _ = try await test.store.insert(.note(text, kind: "other")) }
    let claim = try await test.store.claim(
      ClaimRequest(limit: 3, types: [note, other], isAlone: true, limits: [note: 1]))
    #expect(claim.operations.map(\.text) == ["n1", "o1", "o2"])
    let none = try await test.store.claim(
      ClaimRequest(limit: 3, types: [note, other], isAlone: true, limits: [note: 0]))
    #expect(none.operations.isEmpty)
    #expect(try await test.store.snapshot().ready == 2)
  }

  @Test(.requirement("O19"))
  func `more than can be set aside at once is set aside by the next claims`() async throws {
    let test = try await StoreUnderTest(.sqlite)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<1500 {
        group.addTask {
          _ = try await test.store.insert(.note(String(number), kind: "from the future"))
        }
      }
      try await group.waitForAll()
    }
    _ = try await test.store.insert(.note("known", wishes: Wishes(handicap: .seconds(9))))
    let request = ClaimRequest(limit: 1, types: NewOperation.types, isAlone: true)
    let first = try await test.store.claim(request)
    #expect(first.isPartial)
    #expect(try await test.store.snapshot().parked >= 1000)
    let second = try await test.store.claim(request)
    #expect(!second.isPartial)
    #expect((first.operations + second.operations).map(\.text) == ["known"])
    #expect(try await test.store.snapshot().parked == 1500)
  }

  @Test(arguments: Kind.allCases)
  func `followers of a dead letter are dropped where their worker says so`(
    kind: Kind
  ) async throws {
    let test = try await StoreUnderTest(kind)
    for text in ["a", "b", "c"] { _ = try await test.store.insert(.note(text, orderedBy: "k")) }
    _ = try await test.store.insert(.note("sent", orderedBy: "k", effect: .sentUnknown))
    let head = try #require(try await test.store.claim().first)
    _ = try await test.store.settle(
      head.lease, OperationVerdict(.dead(.refused, followers: .dropFollowers)))
    let ledger = try await test.store.ledger()
    #expect(ledger.count(.followed) == 2 && ledger.isBalanced)
    #expect(try await test.store.claim().map(\.text) == ["sent"], "it may have been sent")
    #expect(try await test.store.snapshot().dead == 1)
  }
}
