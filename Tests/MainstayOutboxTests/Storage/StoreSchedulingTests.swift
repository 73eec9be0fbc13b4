// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// When an operation runs, beyond what every store does alike.
@Suite(.requirement("C13")) struct StoreSchedulingTests {
  typealias Wishes = NewOperation.Wishes

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

  @Test(.requirement("O4"))
  func `a clock that is set back while the process runs makes nothing wait for it`() async throws {
    let test = try await StoreUnderTest(.sqlite)
    _ = try await test.store.insert(.note("late", wishes: Wishes(delay: .seconds(60))))
    _ = try await test.store.insert(.note("now"))
    let leased = try #require(try await test.store.claim().first)
    _ = try await test.store.settle(leased.lease, OperationVerdict(.scheduled(after: .seconds(5))))
    #expect(try await test.store.promote(NewOperation.types) == .seconds(5))
    test.time.advance(by: .seconds(-365 * 86_400))
    #expect(try await test.store.promote(NewOperation.types) == .seconds(5))
    test.time.advance(by: .seconds(5))
    #expect(try await test.store.promote(NewOperation.types) == .seconds(55))
    #expect(try await test.store.claim().map(\.text) == ["now"])
    test.time.advance(by: .seconds(55))
    _ = try await test.store.promote(NewOperation.types)
    #expect(try await test.store.claim().map(\.text) == ["late"])
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
}
