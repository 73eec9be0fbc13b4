// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

extension PostgresPool {
  /// Runs a body in a transaction, which is committed when the body returns.
  ///
  /// Everything is done once more, up to five times, where the server asks for it, after a conflict
  /// with another transaction, and where the connection is lost before the end. So the body does
  /// nothing outside of the database. A body that throws is rolled back.
  ///
  /// - Returns: What the body returned.
  /// - Throws: What the body threw, or ``PostgresError``. Where the answer to the end of the
  ///   transaction is lost, that has the kind `lost` and says that it may have happened.
  package func transaction<T: Sendable>(
    _ body: @Sendable (PostgresConnection) async throws -> T
  ) async throws -> T {
    var attempt = 1
    while true {
      do {
        return try await attemptTransaction(body)
      } catch let error as PostgresError where attempt < 5 && Self.isWorthRepeating(error) {
        // Two that were in each other's way must not meet again at once.
        let pause = Duration.milliseconds(5 * (1 << attempt)) * chance.fraction()
        try await timeline.sleep(until: timeline.now + pause)
        attempt += 1
      }
    }
  }

  private static func isWorthRepeating(_ error: PostgresError) -> Bool {
    !error.mayHaveHappened && (error.kind == .conflict || error.kind == .lost)
  }

  private func attemptTransaction<T: Sendable>(
    _ body: @Sendable (PostgresConnection) async throws -> T
  ) async throws -> T {
    let (number, connection) = try await take()
    defer { giveBack(number, connection) }
    try await connection.begin(options.connection)
    let value: T
    do {
      value = try await body(connection)
      try Task.checkCancellation()
    } catch {
      // A connection that cannot be rolled back is thrown away when it is given back.
      await connection.rollBack()
      throw error is CancellationError ? PostgresError.cancelled : error
    }
    try await connection.commit()
    return value
  }
}

extension PostgresConnection {
  func begin(_ settings: Settings) async throws(PostgresError) {
    do {
      if settings.isPooled {
        try await script(settings.beginning)
      } else {
        try await query(settings.beginning)
      }
    } catch {
      // Nothing has been done in it yet.
      throw error.mayHaveHappened(false)
    }
  }

  /// Ends a transaction in any case; what goes wrong shows in whether the connection is reusable.
  func rollBack() async {
    guard isOpen, !isReusable else { return }
    do throws(PostgresError) {
      _ = try await queryShielded("ROLLBACK")
      // A connection that is closed rolls back, whatever the cause was.
    } catch {
      close()
    }
  }

  /// - Throws: ``PostgresError`` where it was rolled back, or where nobody knows.
  func commit() async throws(PostgresError) {
    let rows: PostgresRows
    do throws(PostgresError) {
      rows = try await queryShielded("COMMIT")
    } catch {
      await rollBack()
      throw error
    }
    guard rows.tag == "COMMIT" else {
      throw PostgresError(.statement, "The transaction was rolled back, since a part of it failed.")
    }
  }
}
