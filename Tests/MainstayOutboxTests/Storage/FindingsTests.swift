// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// What is wrong in a file that SQLite itself calls whole.
@Suite(.requirement("O33", "A54"), .ends(withinMinutes: 5)) struct FindingsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func opened() async throws -> SQLiteStore {
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    return store
  }

  private func change(_ sql: String) throws {
    let queue = try DatabaseQueue(path: folder.database.path(percentEncoded: false))
    try queue.write { db in try db.execute(sql: sql) }
    try queue.close()
  }

  @Test func `dead letters and counters that are wrong are found`() async throws {
    let first = try await opened()
    for text in ["a", "bb", "c"] { _ = try await first.insert(.note(text)) }
    for leased in try await first.claim(2) {
      let verdict = OperationVerdict(.dead(.refused, followers: .holdKey))
      #expect(try await first.settle(leased.lease, verdict))
    }
    #expect(try await first.findings() == [])
    let bytes = try await first.snapshot().bytes
    await first.close()
    try change("UPDATE mainstay_dead SET since = 'soon' WHERE id = 1")
    try change("UPDATE mainstay_meta SET value = value + 5 WHERE key = 'bytes'")
    let second = try await opened()
    let found = try await second.findings()
    #expect(found.count == 2)
    #expect(
      found.first?.hasPrefix(
        "The counter says \(bytes + 5) bytes, and the payloads that wait have \(bytes).") == true)
    #expect(found.last?.hasPrefix("Row 1 is no dead letter") == true)
    #expect(try await second.deadLetters(after: nil, limit: 9).count == 1)
    await second.close()
    let cure = try #require(found.first?.components(separatedBy: "set it right: ").last)
    try change(cure)
    let third = try await opened()
    #expect(try await third.findings().count == 1)
    await third.close()
  }
}
