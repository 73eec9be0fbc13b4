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
    let queue = try DatabaseQueue(patientAt: folder.database)
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

  @Test func `a file that others write balances whenever somebody looks at it`() async throws {
    let busy = try await opened()
    let look = SQLiteStore(at: folder.database)
    try await look.openToLook()
    let isOver = Box(false)
    async let work: Void = {
      while !isOver.value {
        _ = try await busy.insert(.note("a"))
        for leased in try await busy.claim() {
          _ = try await busy.settle(leased.lease, OperationVerdict(.done))
        }
      }
    }()
    for _ in 0..<300 {
      #expect(try await look.ledger().isBalanced)
      #expect(try await look.findings() == [])
    }
    isOver.value = true
    try await work
    await look.close()
    await busy.close()
  }

  @Test func `a cure counts when it is used, and not before`() async throws {
    let first = try await opened()
    _ = try await first.insert(.note("a"))
    try change("UPDATE mainstay_meta SET value = value + 5 WHERE key = 'pending'")
    let found = try #require(try await first.findings().first)
    let cure = try #require(found.components(separatedBy: "set it right: ").last)
    _ = try await first.insert(.note("b"))
    try change(cure)
    #expect(try await first.findings() == [])
    await first.close()
  }

  @Test func `values of other types than were written end no process`() async throws {
    let first = try await opened()
    for text in ["a", "b", "c"] { _ = try await first.insert(.note(text)) }
    #expect(try await first.claim().count == 3)
    first.abandon()
    try change("UPDATE mainstay_op SET crashes = 'many' WHERE id = 1")
    try change("UPDATE mainstay_op SET cancelled = x'' WHERE id = 2")
    try change("UPDATE mainstay_op SET enqueued_at = 'then', rank = x'01' WHERE id = 3")
    try change("UPDATE mainstay_owner SET lock = x'ff'")
    try change("INSERT INTO mainstay_lane (name, cause, until) VALUES (x'ff', x'ff', 'soon')")
    let second = SQLiteStore(at: folder.database)
    #expect(try await second.open().recovered == 3)
    _ = try await second.snapshot()
    let leased = try #require(try await second.claim().first)
    #expect(leased.text == "a" && leased.operation.lostRuns == 1)
    try change("UPDATE mainstay_op SET cancelled = x'00', lane = x'ff' WHERE state = 'leased'")
    let verdict = OperationVerdict(.ready, attempts: 1, effect: .refused)
    #expect(try await second.settle(leased.lease, verdict))
    _ = try await second.promote(NewOperation.types)
    _ = try await second.snapshot()
    // What is no operation is set aside, and stands in nobody's way.
    for _ in 0..<4 { _ = try await second.claim() }
    _ = try await second.insert(.note("d"))
    #expect(try await second.claim().map(\.text) == ["d"])
    await second.close()
  }
}
