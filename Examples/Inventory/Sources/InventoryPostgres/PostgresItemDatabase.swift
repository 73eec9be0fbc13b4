// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation
internal import GRDB
internal import InventoryCore
internal import Mainstay
internal import MainstayOutboxPostgres

/// A transaction of a server, for statements that are run one after the other on one thread.
///
/// The thread waits for each answer, so it must be none of those that tasks share.
final class PostgresItemDatabase: ItemDatabase {
  private let connection: PostgresConnection
  /// Whether a statement has changed something.
  private(set) var hasWritten = false

  init(_ connection: PostgresConnection) { self.connection = connection }

  func run(_ sql: String, _ arguments: ItemArguments) throws {
    if try ask(sql, arguments).affected > 0 { hasWritten = true }
  }

  func row(_ sql: String, _ arguments: ItemArguments) throws -> Row? {
    let rows = try ask(sql, arguments)
    return try rows.first.map { try Self.row($0, rows.columns) }
  }

  func rows(_ sql: String, _ arguments: ItemArguments) throws -> [Row] {
    let rows = try ask(sql, arguments)
    return try rows.map { try Self.row($0, rows.columns) }
  }

  private func ask(_ sql: String, _ arguments: ItemArguments) throws -> PostgresRows {
    let (text, values) = (Self.numbered(sql), arguments.map(PostgresValue.init))
    let (connection, isThere) = (connection, DispatchSemaphore(value: 0))
    let answer = Locked<Result<PostgresRows, any Error>?>(nil)
    Task {
      let result: Result<PostgresRows, any Error>
      do { result = .success(try await connection.query(text, values)) } catch {
        result = .failure(error)
      }
      answer.withLock { $0 = result }
      isThere.signal()
    }
    isThere.wait()
    guard let result = answer.withLock({ $0 }) else { throw PostgresError(.lost, "No answer.") }
    return try result.get()
  }

  /// With `$1` and so on in place of each `?`; there is none in a literal.
  private static func numbered(_ sql: String) -> String {
    var number = 0
    return sql.split(separator: "?", omittingEmptySubsequences: false).reduce(into: "") {
      if number > 0 { $0 += "$\(number)" }
      $0 += $1
      number += 1
    }
  }

  /// A row as the items read it, whatever it comes from.
  private static func row(_ row: PostgresRow, _ columns: [PostgresRows.Column]) throws -> Row {
    var fields: [String: (any DatabaseValueConvertible)?] = [:]
    for (place, column) in columns.enumerated() {
      let value: (any DatabaseValueConvertible)? =
        switch column.type {
        case .int: try row.int(ifAny: place)
        case .bool: try row.bool(ifAny: place)
        case .bytes: try row.data(ifAny: place)
        case .double, .uuid, .text, .other: try row.text(ifAny: place)
        }
      fields.updateValue(value, forKey: column.name)
    }
    return Row(fields)
  }
}

extension PostgresValue {
  /// The value of an argument.
  fileprivate init(_ argument: (any DatabaseValueConvertible)?) {
    self =
      switch argument?.databaseValue.storage {
      case nil, .null: .null
      case .int64(let number): .int(number)
      case .double(let number): .double(number)
      // PostgreSQL keeps no zero characters in a text; what is shown comes from the bytes.
      case .string(let text): .text(text.replacing("\0", with: ""))
      case .blob(let data): .bytes(data)
      }
  }
}
