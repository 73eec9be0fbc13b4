// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// What months of use, other rights and other machines do to the tables.
@Suite(.ends(withinMinutes: 2))
struct WearTests {
  private let types = ["note", "other"].map { PayloadType(kind: .init(rawValue: $0), version: 1) }

  @Test func `days that nobody was there for do not stop the coming ones`() async throws {
    let place = try await Place()
    let store = try await place.opened()
    let days = try await place.query(
      """
      SELECT relname FROM pg_class
      WHERE relnamespace = '@'::regnamespace AND relname ~ '^outcome_[0-9]{8}$' ORDER BY 1
      """
    ).map { try $0.text(0) }
    for day in days { try await place.query("DROP TABLE @.\(day)") }
    try await place.script(
      """
      CREATE TABLE @.outcome_20200101 PARTITION OF @.outcome
        FOR VALUES FROM (1577836800000) TO (1577923200000);
      INSERT INTO @.outcome (number, uuid, kind, reason, at)
        VALUES (1, gen_random_uuid(), 'note', 'done', @.clock());
      UPDATE @.step SET at = 0;
      """)
    _ = try await store.keepHouse()
    let now = try await place.query(
      """
      SELECT relname FROM pg_class
      WHERE relnamespace = '@'::regnamespace AND relname ~ '^outcome_[0-9]{8}$' ORDER BY 1
      """
    ).map { try $0.text(0) }
    #expect(now == Array(days.dropFirst()), "today has begun elsewhere, and the old day is over")
    await store.close()
  }
}
