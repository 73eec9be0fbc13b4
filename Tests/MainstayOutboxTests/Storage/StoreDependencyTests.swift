// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// What has to be done before an operation, beyond what every store does alike.
@Suite(.requirement("O10")) struct StoreDependencyTests {
  typealias Kind = StoreUnderTest.Kind

  @Test(arguments: [(Kind.memory, 300), (.sqlite, 3_000)])
  func `a chain as long as you like ends at once`(kind: Kind, length: Int) async throws {
    let test = try await StoreUnderTest(kind)
    var last = try await test.store.insert(.note("head"))
    for _ in 0..<length {
      let needs = EnqueueOptions.Dependencies([last], ifGivenUp: .giveUp)
      last = try await test.store.insert(.note("next", wishes: .init(dependencies: needs)))
    }
    let head = try #require(try await test.store.claim(1).first)
    _ = try await test.store.settle(
      head.lease, OperationVerdict(.dead(.refused, followers: .holdKey)))
    let snapshot = try await test.store.snapshot()
    #expect(snapshot.dead == length + 1 && snapshot.pending == 0)
  }
}
