// SPDX-License-Identifier: Apache-2.0

import ChildSupport
import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres

/// Where effects happen: it counts each of them, and refuses who comes with an older lease.
///
/// Its tables are `effects(key, token, worker)`, where nothing keeps a key from standing twice, and
/// `fences(key, token)` with the newest lease that has asked for a key.
struct OtherSide: Sendable {
  let pool: PostgresPool
  let name: String
  let journal: Journal

  /// Writes down what happened.
  func note(_ what: String, _ details: String) throws { try journal.append([name, what, details]) }

  /// Waits a little, on the server.
  func rest() async {
    _ = try? await pool.read { try await $0.query("SELECT pg_sleep(0.02)") }
  }

  /// Lets an effect happen once.
  func apply(_ key: IdempotencyKey, _ token: Int64) async throws {
    let isNewest = try await transaction { connection in
      guard try await Self.raise(key, token, connection) else { return false }
      try await connection.query(
        "INSERT INTO effects SELECT $1, $2, $3, clock_timestamp() FROM pg_sleep(0.02)",
        [.text(key.rawValue), .int(token), .text(name)])
      return true
    }
    if !isNewest {
      try note("fenced", key.rawValue)
      throw AppError.http(status: 503, isRepeatable: false)
    }
  }

  /// Whether an effect has happened; from now on nobody with an older lease lets it happen.
  func knows(_ key: IdempotencyKey, _ token: Int64) async throws -> Bool {
    try await transaction { connection in
      _ = try await Self.raise(key, token, connection)
      return try await connection.query(
        "SELECT FROM effects WHERE key = $1", [.text(key.rawValue)]
      ).count > 0
    }
  }

  private func transaction<T: Sendable>(
    _ body: @Sendable (PostgresConnection) async throws -> T
  ) async throws -> T {
    do {
      return try await pool.transaction(body)
    } catch let error as PostgresError {
      guard error.kind != .cancelled else { throw CancellationError() }
      throw AppError.http(status: 503, isRepeatable: !error.mayHaveHappened)
    }
  }

  /// Locks a key until the end of the transaction.
  ///
  /// - Returns: Whether nobody with a newer lease has asked before.
  private static func raise(
    _ key: IdempotencyKey, _ token: Int64, _ connection: PostgresConnection
  ) async throws -> Bool {
    let rows = try await connection.query(
      """
      INSERT INTO fences VALUES ($1, $2) ON CONFLICT (key) \
      DO UPDATE SET token = greatest(fences.token, excluded.token) RETURNING token
      """, [.text(key.rawValue), .int(token)])
    return try rows.first?.int(0) == token
  }
}

extension OtherSide: OutboxObserver {
  func observe(_ event: OutboxEvent) {
    switch event.what {
    case .leaseLost: try? note("lease-lost", event.id?.description ?? "")
    case .gaveUp(let reason, _): try? note("gave-up", "\(reason)")
    default: break
    }
  }
}
