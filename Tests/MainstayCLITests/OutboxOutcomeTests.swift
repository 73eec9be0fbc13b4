// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import MainstayOutbox
import TestSupport
import Testing

/// What the program leaves of what an app remembers.
@Suite(.ends(withinMinutes: 5)) struct OutboxOutcomeTests {
  private let place = OutboxFolder()

  @Test func `a decision forgets none of the outcomes that the app keeps`() async throws {
    let outbox = try await place.open()
    let dead = try await place.enqueueBad(outbox).description
    let late = try await place.enqueueLate(outbox).description
    await outbox.shutDown()
    try await SQLiteFile.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO mainstay_outcome (uuid, kind, reason, at)
        SELECT randomblob(16), 'note', 'done', 1800000000000 FROM n
      """, in: place.url)
    _ = try await place.run("discard", place.file, dead)
    _ = try await place.run("cancel", place.file, late)
    let queue = try SQLiteFile.open(place.url)
    let count = try await queue.read { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM mainstay_outcome")
    }
    try queue.close()
    #expect(count == 3002)
    try place.remove()
  }
}
