// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation
package import InventoryCore
internal import Mainstay
internal import MainstayOutbox
package import MainstayOutboxPostgres

/// The items in a database that several processes share.
///
/// Changes are made one after the other, as in a file: each takes the same lock first. It uses the
/// connections of the package, where an app would use those of its own library.
package final class PostgresItems: ItemPlace {
  private let address: PostgresAddress
  private let pool: PostgresPool
  /// Tells this process from the others.
  private let origin = UUID().uuidString
  /// By it newcomers see that somebody is here.
  private let presence: PostgresPresence
  private static let threads = DispatchQueue(
    label: "Inventory.PostgresItems", attributes: .concurrent)

  /// Opens a database, and makes the tables where they are missing.
  ///
  /// - Parameter address: The database.
  /// - Throws: `InventoryError` that names it.
  package init(_ address: PostgresAddress) async throws(InventoryError) {
    self.address = address
    presence = PostgresPresence(address)
    // All changes take turns by one lock: on a busy machine that takes longer than a row's.
    let turns = PostgresConnection.Settings(statement: .seconds(30), lock: .seconds(30))
    pool = PostgresPool(address, options: PostgresPool.Options(size: 8, connection: turns))
    do {
      try await prepare()
    } catch let error as InventoryError {
      await pool.close()
      throw error
    } catch {
      await pool.close()
      let cause = (error as? PostgresError).map { OutboxError($0) } ?? error
      throw InventoryError(.database, path: address.description, underlying: cause)
    }
  }

  /// Makes the tables, or the steps that an older version has not known.
  private func prepare() async throws {
    let steps = PostgresSchema.steps
    let format = try await pool.transaction { connection in
      try await connection.query("SELECT pg_advisory_xact_lock(hashtext('inventory'))")
      let there = try await connection.query("SELECT to_regclass('inventory.meta') IS NOT NULL")
      var format: Int? = 0
      if try there.first?.bool(0) == true {
        let rows = try await connection.query(
          "SELECT value FROM inventory.meta WHERE key = 'format'")
        format = try rows.first.flatMap { Int(try $0.text(0)) }
      }
      guard let format, (0..<steps.count).contains(format) else { return format }
      try await connection.script(
        """
        CREATE SCHEMA IF NOT EXISTS inventory;
        SET LOCAL search_path = inventory;
        \(steps[format...].joined(separator: "\n"))
        UPDATE meta SET value = '\(steps.count)' WHERE key = 'format';
        """)
      return steps.count
    }
    guard format == steps.count else {
      throw InventoryError(.newerFormat, path: address.description)
    }
  }

  package var isShared: Bool { true }

  package func write<T: Sendable>(
    _ body: @escaping @Sendable (any ItemDatabase) throws -> T
  ) async throws -> (value: T, hasWritten: Bool) {
    try await translating {
      try await pool.transaction { [origin] connection in
        try await connection.query(
          """
          SELECT set_config('search_path', 'inventory', true),
            set_config('inventory.origin', $1, true), pg_advisory_xact_lock(hashtext('inventory'))
          """, [.text(origin)])
        return try await Self.onThread {
          let database = PostgresItemDatabase(connection)
          let value = try body(database)
          return (value, database.hasWritten)
        }
      }
    }
  }

  package func read<T: Sendable>(
    _ body: @escaping @Sendable (any ItemDatabase) throws -> T
  ) async throws -> T {
    try await translating {
      try await pool.transaction { connection in
        try await connection.script(
          """
          SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;
          SET LOCAL search_path = inventory
          """)
        return try await Self.onThread { try body(PostgresItemDatabase(connection)) }
      }
    }
  }

  /// The first one of all processes sets everything right, and those who come meanwhile wait.
  package func settling(_ body: (_ isFirst: Bool) async throws -> Void) async throws {
    try await translating { try await presence.begin(body) }
  }

  package func watchOthers(_ changed: @escaping @Sendable (String?) async -> Void) async {
    let listener = PostgresListener(address, channels: ["inventory"])
    await withTaskCancellationHandler {
      for await event in listener.events {
        switch event {
        case .heard(let note):
          let words = note.payload.split(separator: " ")
          if words.count == 2, words[0] != origin { await changed(String(words[1])) }
        case .listening(mayHaveMissed: true): await changed(nil)
        case .listening, .interrupted: break
        }
      }
    } onCancel: {
      listener.stop()
    }
  }

  package func close() {
    presence.close()
    Task { [pool] in await pool.close() }
  }

  private static func onThread<T: Sendable>(
    _ body: @escaping @Sendable () throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      threads.async { continuation.resume(with: Result { try body() }) }
    }
  }

  private func translating<T>(_ body: () async throws -> T) async throws -> T {
    do {
      return try await body()
    } catch let error as PostgresError {
      guard error.kind != .cancelled else { throw CancellationError() }
      throw AppError.database(error)
    }
  }
}

extension AppError {
  /// What the app says where the database does not do what it should.
  fileprivate static func database(_ error: PostgresError) -> AppError {
    let cause = OutboxError(error)
    let isLasting = [.unavailable, .diskFull, .corrupted].contains(cause.code)
    return AppError(
      code: "inventory.database", kind: .storage,
      disposition: isLasting ? .needsUser : .transient(),
      title: isLasting ? "Nothing can be saved" : "Your change could not be saved",
      message: isLasting
        ? "The database that keeps the inventory takes no changes."
        : "The database that keeps the inventory did not answer in time.",
      suggestion: "Try again in a moment.", details: cause.details,
      metadata: [
        "http.status": "503", "inventory.storage": error.kind == .conflict ? "busy" : "failed",
      ], underlying: [cause])
  }
}
