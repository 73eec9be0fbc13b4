// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// A schema of its own in the database that the tests share.
struct Place: Sendable {
  private static let count = Locked(0)

  let address: PostgresAddress
  let schema: String
  let connection: PostgresConnection

  /// Makes an empty place.
  ///
  /// - Parameter address: The database; the default is on the server that harmless tests share.
  /// - Throws: Where there is no server.
  init(at address: PostgresAddress? = nil) async throws {
    if let address {
      self.address = address
    } else {
      self.address = try await PostgresServer.common().address()
    }
    let number = Self.count.withLock { count in
      count += 1
      return count
    }
    schema = "place_\(number)"
    connection = try await PostgresConnection.patient(self.address)
  }

  /// A session that no limit ends, however long a busy machine stands still.
  func session() async throws -> PostgresConnection { try await .patient(address) }

  /// One more process that uses the place.
  ///
  /// Its lease is so long that its heart does not beat while a test takes it for dead.
  func store(
    limits: StoreLimits = StoreLimits(), lease: Duration = .seconds(600), connections: Int = 2,
    migrating: Bool = true, pooled: Bool = false, patience: Duration? = .patience,
    longestClaim: Duration = .seconds(15), now: (@Sendable () -> Date)? = nil
  ) -> PostgresStore {
    PostgresStore(
      at: address, schema: schema, limits: limits, lease: lease, maximumConnections: connections,
      migrating: migrating, pooled: pooled, patience: patience, longestClaim: longestClaim,
      now: now)
  }

  /// The same, opened.
  func opened(limits: StoreLimits = StoreLimits()) async throws -> PostgresStore {
    let store = store(limits: limits)
    _ = try await store.open()
    return store
  }

  /// One that has no heart, and keeps no order but when it is told to.
  func looking() async throws -> PostgresStore {
    let store = store()
    try await store.migrate()
    try await store.openToLook()
    return store
  }

  /// What the database itself says; `@` stands for the schema.
  @discardableResult
  func query(_ sql: String, _ values: [PostgresValue] = []) async throws -> PostgresRows {
    try await connection.query(sql.replacing("@", with: schema), values)
  }

  /// Several statements; `@` stands for the schema.
  func script(_ sql: String) async throws {
    try await connection.script(sql.replacing("@", with: schema))
  }
}

extension PostgresStore {
  /// Runs what is ready, one after the other, and answers what it was.
  func runAll() async throws -> [String] {
    var texts: [String] = []
    while let leased = try await claim(1).first {
      texts.append(leased.text)
      #expect(try await settle(leased.lease, OperationVerdict(.done)))
    }
    return texts
  }
}

/// Counts what went wrong in the background.
final class StorageFailures: OutboxObserver {
  let count = Locked(0)

  func observe(_ event: OutboxEvent) {
    if case .storageFailed = event.what { count.withLock { $0 += 1 } }
  }
}
