// SPDX-License-Identifier: Apache-2.0

import MainstayOutboxPostgres
import TestSupport

/// Returns when something has become true; a test that waits for ever is ended by its limit.
func eventually(_ isTrue: () async throws -> Bool) async rethrows {
  while try await !isTrue(), !Task.isCancelled { await Task.yield() }
}

extension PostgresConnection {
  /// Opens a session that no limit ends, however long a busy machine stands still.
  static func patient(_ address: PostgresAddress) async throws -> PostgresConnection {
    try await open(address, settings: .patient)
  }

  /// Returns when a statement with these words runs in another session of the same database, and
  /// waits there for a lock or sleeps: one that is only being prepared is active as well.
  func sees(running words: String) async throws {
    try await eventually {
      let rows = try await query(
        """
        SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() \
        AND wait_event_type IN ('Lock', 'Timeout') AND position($1 in query) > 0 \
        AND datname = current_database()
        """, [.text(words)])
      return rows.count > 0
    }
  }
}
