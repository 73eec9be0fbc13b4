// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import TestSupport
import Testing

/// The rules of every store, kept by the one on PostgreSQL.
@Suite(.serialized)
struct PostgresConformanceTests {
  @Test(.ends(withinMinutes: 10), arguments: StoreConformance.rules)
  func `the store keeps the rules`(rule: StoreConformance.Rule) async {
    let suite = StoreConformance { now, limits in
      let place = try await Place()
      return StoreConformance.Place {
        place.store(limits: limits, now: now)
      } kill: { store in
        await (store as? PostgresStore)?.abandon()
      }
    }
    let found = await suite.violations(of: rule)
    #expect(found.isEmpty, "\(found)")
  }
}
