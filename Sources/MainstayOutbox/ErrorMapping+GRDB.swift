// SPDX-License-Identifier: Apache-2.0

internal import GRDB
public import Mainstay

extension ErrorMapping {
  /// This mapping with the errors of GRDB added, by their result codes of SQLite.
  ///
  /// A record that is not there any more is `notFound`, and a row that cannot be read `decoding`.
  /// It is for an app that reads a database of its own; an ``Outbox`` throws ``OutboxError``. The
  /// statement and its arguments are left out: they may say anything.
  ///
  /// - Returns: This mapping and those of GRDB's errors.
  public func addingDatabaseErrors() -> ErrorMapping {
    adding(DatabaseError.self) { error in
      .sqlite(
        result: Int(error.extendedResultCode.rawValue), message: error.message, cause: error)
    }
    .adding(RecordError.self) { .recordMissing($0) }
    .adding(RowDecodingError.self) { .decoding($0) }
  }
}

// What GRDB's errors say of themselves holds the statement, keys and whole rows.

extension DatabaseError: ReticentError {
  package var recordedText: String { message ?? "" }
}

extension RecordError: ReticentError {
  package var recordedText: String {
    switch self {
    case .recordNotFound(let table, _): "Key not found in table \(table)"
    }
  }
}

extension RowDecodingError: ReticentError {
  package var recordedText: String { "" }
}
