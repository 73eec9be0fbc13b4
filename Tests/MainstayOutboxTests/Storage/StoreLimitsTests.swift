// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// Limits beyond what the suite says of all of them.
@Suite(.requirement("T6", "O36")) struct StoreLimitsTests {
  @Test func `two processes on one file share its limits`() async throws {
    let folder = try TemporaryFolder()
    let limits = StoreLimits(maximumPending: 2)
    let (one, other) = (
      SQLiteStore(at: folder.database, limits: limits),
      SQLiteStore(at: folder.database, limits: limits)
    )
    _ = try await one.open()
    _ = try await other.open()
    _ = try await one.insert(.note("a"))
    _ = try await other.insert(.note("b"))
    await #expect(throws: OutboxError(.full, details: "")) {
      _ = try await one.insert(.note("c"))
    }
    let first = try #require(try await other.claim(1).first)
    _ = try await other.settle(first.lease, OperationVerdict(.done))
    _ = try await one.insert(.note("c"))
    await one.close()
    await other.close()
  }

  @Test func `limits that make no sense stop the program`() async {
    await #expect(processExitsWith: .failure) { _ = InMemoryStore(limits: .init(maximumBytes: 0)) }
    await #expect(processExitsWith: .failure) {
      _ = InMemoryStore(limits: .init(maximumPending: -1))
    }
    await #expect(processExitsWith: .failure) {
      _ = InMemoryStore(limits: .init(maximumOutcomes: -1))
    }
  }
}
