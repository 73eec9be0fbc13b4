// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import Testing

/// What stands in a file where a number of its format belongs.
@Suite struct FormatNumberTests {
  @Test(arguments: ["'none'", "'3'", "x'00'", "2.5", "9e99"], ["min_reader", "min_writer"])
  func `what is no number of a format ends nothing`(value: String, key: String) async throws {
    let folder = try TemporaryFolder()
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    let id = try await store.insert(.note("a"))
    await store.close()
    let queue = try DatabaseQueue(patientAt: folder.database)
    try await queue.write { db in
      try db.execute(
        sql: "UPDATE mainstay_meta SET value = \(value) WHERE key = ?", arguments: [key])
    }
    try queue.close()
    let tool = SQLiteStore(at: folder.database)
    try await tool.openToLook()
    #expect(try await tool.operation(id) != nil)
    #expect(try await tool.findings() == [])
    await tool.close()
    let next = SQLiteStore(at: folder.database)
    _ = try await next.open()
    #expect(try await next.claim().map(\.text) == ["a"])
    await next.close()
  }
}
