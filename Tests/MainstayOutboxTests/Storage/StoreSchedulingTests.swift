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

  @Test func `a claim looks at nothing of a kind that is paused, however much of it waits`()
    async throws
  {
    let test = try await StoreUnderTest(.sqlite)
    // Whatever a claim looks at that may not run here it sets aside, at most 1,000 at a time.
    let wishes = Wishes(constraints: [.power])
    _ = try await test.store.insert(
      contentsOf: (0..<1500).map { .note("\($0)", kind: "paused", wishes: wishes) })
    _ = try await test.store.insert(.note("free", wishes: Wishes(handicap: .seconds(9))))
    try await test.store.pause("paused")
    let types = NewOperation.types.union([PayloadType(kind: "paused", version: 1)])
    let claim = try await test.store.claim(
      ClaimRequest(limit: 2, types: types, isAlone: true, unmet: [.power]))
    #expect(claim.operations.map(\.text) == ["free"])
    #expect(!claim.isPartial)
    let causes = try await test.store.snapshot().causes
    #expect(causes.kindPaused == 1500 && causes.constraint == 0)
    await test.store.close()
  }
}
