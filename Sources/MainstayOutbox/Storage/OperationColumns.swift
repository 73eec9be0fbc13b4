// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The values of a row, found by their places: looking for their names takes longer than reading
/// them.
///
/// A value is what was written, also where SQLite could make another type of it: the row may be one
/// that a cursor stands at.
struct OperationColumns {
  /// The columns in the order of `OperationRow.op`.
  enum Column: Int, CaseIterable {
    case id, uuid, kind, version, lane, orderingKey, enqueuedAt, expiresAt, attempts, lostRuns
    case effect, leaseToken, idempotencyKey, errorCode, errorMessage, payload, priority, rank
    case constraints, isExpendable, merges, checkpoint, timeout, errorWords, state, runAt
    case unreachable, isCancelled
  }

  private static let names = OperationRow.op.split(separator: ", ").map(String.init)
  private static let commonCount = OperationRow.common.split(separator: ", ").count

  private let row: Row
  /// Where each column is; nil where they are in order.
  private let places: [Int?]?
  /// How many of them there are, where they are in order.
  private let count: Int

  init(_ row: Row, _ layout: OperationRow.Layout) {
    self.row = row
    switch layout {
    case .op: (places, count) = (nil, Self.names.count)
    case .common: (places, count) = (nil, Self.commonCount)
    case .any:
      let present = Array(row.columnNames)
      places = Self.names.map { present.firstIndex(of: $0) }
      count = Self.names.count
    }
  }

  /// The value of a column.
  ///
  /// - Throws: Where there is no such column, or its value is of another type.
  subscript<Value: DatabaseValueConvertible>(
    column: Column
  ) -> Value {
    get throws {
      guard let place = place(column) else { throw OutboxError(.corrupted, details: "\(column)") }
      return try row.decode(Value.self, atIndex: place)
    }
  }

  /// The value of a column that may be empty.
  ///
  /// - Throws: Where there is no such column, or its value is of another type.
  func optional<Value: DatabaseValueConvertible>(
    _ column: Column
  ) throws -> Value? {
    guard let place = place(column) else { throw OutboxError(.corrupted, details: "\(column)") }
    return try row.decode(Value?.self, atIndex: place)
  }

  /// The value of a column that older formats do not have; nil where it is missing.
  ///
  /// - Throws: Where its value is of another type.
  func later<Value: DatabaseValueConvertible>(
    _ column: Column
  ) throws -> Value? {
    try place(column).map { try row.decode(Value.self, atIndex: $0) }
  }

  /// The value of a column that older formats do not have, and that may be empty.
  ///
  /// - Throws: Where its value is of another type.
  func optionalLater<Value: DatabaseValueConvertible>(
    _ column: Column
  ) throws -> Value? {
    try place(column).flatMap { try row.decode(Value?.self, atIndex: $0) }
  }

  private func place(_ column: Column) -> Int? {
    guard let places else { return column.rawValue < count ? column.rawValue : nil }
    return places[column.rawValue]
  }
}
