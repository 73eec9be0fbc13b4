// SPDX-License-Identifier: Apache-2.0

internal import GRDB
public import Mainstay

extension ErrorMapping {
  /// This mapping with the errors of GRDB added, by their result codes of SQLite.
  ///
  /// It is for an app that reads a database of its own; an ``Outbox`` throws ``OutboxError``. The
  /// statement and its arguments are left out: they may say anything.
  ///
  /// - Returns: This mapping and that of `DatabaseError`.
  public func addingDatabaseErrors() -> ErrorMapping {
    adding(DatabaseError.self) { error in
      .sqlite(
        result: Int(error.extendedResultCode.rawValue), message: error.message, cause: error)
    }
  }
}
