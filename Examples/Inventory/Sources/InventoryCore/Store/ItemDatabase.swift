// SPDX-License-Identifier: Apache-2.0

package import GRDB

/// The arguments of a statement.
package typealias ItemArguments = [(any DatabaseValueConvertible)?]

/// What the statements of the items are run on, within a transaction.
///
/// They are written so that SQLite and PostgreSQL both read them, with `?` for each argument.
package protocol ItemDatabase {
  /// Runs a statement.
  func run(_ sql: String, _ arguments: ItemArguments) throws

  /// The first row of a question.
  func row(_ sql: String, _ arguments: ItemArguments) throws -> Row?

  /// All rows of a question.
  func rows(_ sql: String, _ arguments: ItemArguments) throws -> [Row]
}

extension ItemDatabase {
  func run(_ sql: String) throws { try run(sql, []) }
  func row(_ sql: String) throws -> Row? { try row(sql, []) }
  func rows(_ sql: String) throws -> [Row] { try rows(sql, []) }
}

// What every change does is compiled once: that took a third of its time.
extension Database: ItemDatabase {
  package func run(_ sql: String, _ arguments: ItemArguments) throws {
    try cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
  }

  package func row(_ sql: String, _ arguments: ItemArguments) throws -> Row? {
    try Row.fetchOne(cachedStatement(sql: sql), arguments: StatementArguments(arguments))
  }

  package func rows(_ sql: String, _ arguments: ItemArguments) throws -> [Row] {
    try Row.fetchAll(cachedStatement(sql: sql), arguments: StatementArguments(arguments))
  }
}
