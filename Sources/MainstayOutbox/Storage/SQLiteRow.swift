// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import GRDB
internal import Mainstay

/// Times as they lie on disk: whole milliseconds since 1970, cut to what makes sense.
extension Date {
  private static let latest = 253_402_300_799_000.0  // the end of the year 9999

  package var milliseconds: Int64 {
    let value = timeIntervalSince1970 * 1000
    guard value.isFinite else { return 0 }
    return Int64(min(max(value, 0), Self.latest).rounded())
  }

  package init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}

extension Duration {
  /// Whole milliseconds, rounded up: a wait is never shorter than was asked for.
  package var milliseconds: Int64 { Int64((clamped.inSeconds * 1000).rounded(.up)) }
}

extension OperationID {
  package var data: Data { withUnsafeBytes(of: uuid.uuid) { Data($0) } }

  init?(data: Data) {
    guard data.count == 16 else { return nil }
    var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &bytes) { _ = data.copyBytes(to: $0) }
    self.init(UUID(uuid: bytes))
  }
}

extension Row {
  /// The value of a column; nil where it is empty, or of another type than this library writes.
  ///
  /// Nothing holds the rows of a damaged file to the types of their columns, and GRDB ends the
  /// process where a value cannot be converted.
  func legal<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
    (self[column] as DatabaseValue?).flatMap(Value.fromDatabaseValue)
  }

  /// The same, or what stands for a value that is not legal.
  func legal<Value: DatabaseValueConvertible>(_ column: String, or substitute: Value) -> Value {
    legal(column) ?? substitute
  }
}

extension Row {
  /// The value at a place, of which ``legal(_:)`` says more: looking for a name takes longer.
  func legal<Value: DatabaseValueConvertible>(at place: Int) -> Value? {
    (self[place] as DatabaseValue?).flatMap(Value.fromDatabaseValue)
  }
}

/// A row of `op` or `dead` as an operation; both have these columns.
enum OperationRow {
  static let common = """
    id, uuid, kind, version, lane, ordering_key, enqueued_at, expires_at, attempt, crashes, \
    effect, lease_token, idem_key, error_code, error_message, payload, priority, rank, \
    constraints, expendable, merges, checkpoint, timeout, error_words
    """
  /// What has to be known of an operation that goes.
  static let leaving = "id, uuid, kind, ordering_key, length(payload) AS bytes"

  /// The places of ``leaving``.
  enum Leaving: Int {
    case id, uuid, kind, orderingKey, bytes
  }

  /// Whether sending an operation again cannot repeat its effect.
  static let isSafe = "effect IN ('notSent', 'refused')"
  /// Whether it has not expired at a moment, the argument, or may have had its effect all the same.
  static let isWanted = "(expires_at IS NULL OR expires_at > ? OR NOT \(isSafe))"
  static let op = common + ", state, run_at, unreachable, cancelled"

  /// How a row begins.
  enum Layout {
    /// With the columns of ``op``.
    case op
    /// With those of ``common``, and not with what ``op`` has besides.
    case common
    /// With any, such as those of an older format.
    case any
  }

  /// - Throws: ``OutboxError`` `corrupted` where a value is not what this library writes.
  static func operation(
    _ row: Row, state: OperationState? = nil, layout: Layout = .op
  ) throws -> StoredOperation {
    do {
      return try decoded(OperationColumns(row, layout), state)
    } catch {
      let number = (row["id"] as DatabaseValue?).flatMap(Int64.fromDatabaseValue) ?? 0
      throw OutboxError(.corrupted, details: "row \(number) is not legal", underlying: error)
    }
  }

  /// A dead letter; nil where it is not legal.
  static func deadLetter(_ row: Row) -> DeadLetter? {
    guard let operation = try? operation(row, state: .dead, layout: .common),
      let reason = (row["reason"] as DatabaseValue?).flatMap(String.fromDatabaseValue),
      let since = (row["since"] as DatabaseValue?).flatMap(Int64.fromDatabaseValue),
      let holdsKey = (row["holds_key"] as DatabaseValue?).flatMap(Bool.fromDatabaseValue)
    else { return nil }
    return DeadLetter(
      operation: operation, reason: DeadLetter.Reason(rawValue: reason),
      since: Date(milliseconds: since), holdsKey: holdsKey)
  }

  private static func decoded(
    _ columns: OperationColumns, _ known: OperationState?
  ) throws -> StoredOperation {
    guard
      let id = OperationID(data: try columns[.uuid]),
      let key = IdempotencyKey(try columns[.idempotencyKey] as String),
      let state = try known ?? OperationState(rawValue: columns[.state]),
      // Dead letters have a table of their own.
      state != .dead || known == .dead
    else {
      throw OutboxError(.corrupted, details: "id, key or state")
    }
    // A certainty that only a newer build knows is none here.
    let effect = EffectCertainty(rawValue: try columns[.effect]) ?? .sentUnknown
    let code = try (columns.optional(.errorCode) as String?).flatMap { ErrorCode($0) }
    let message: String? = try columns.optional(.errorMessage)
    let words: String? = try columns.optionalLater(.errorWords)
    let due: Int64? = try columns.optionalLater(.runAt)
    let expires: Int64? = try columns.optional(.expiresAt)
    let orderingKey: Data? = try columns.optional(.orderingKey)
    return StoredOperation(
      id: id,
      type: PayloadType(
        kind: OperationKind(rawValue: try columns[.kind]), version: try columns[.version]),
      lane: Lane(rawValue: try columns[.lane]),
      orderingKey: orderingKey.map { String(decoding: $0, as: UTF8.self) },
      idempotencyKey: key, payload: try columns[.payload], state: state,
      attempts: bounded(try columns[.attempts]),
      unreachable: bounded(try columns.later(.unreachable) ?? 0),
      lostRuns: bounded(try columns[.lostRuns]), effect: effect,
      failure: code.flatMap { code in
        message.map { FailureNote(code: code, message: $0, column: words) }
      },
      due: due.map(Date.init(milliseconds:)),
      enqueued: Date(milliseconds: try columns[.enqueuedAt]),
      expires: expires.map(Date.init(milliseconds:)),
      priority: try priority(columns), constraints: try constraints(columns),
      isCancelled: try columns.later(.isCancelled) ?? false,
      isExpendable: try columns.later(.isExpendable) ?? false,
      merges: bounded(try columns.later(.merges) ?? 0),
      checkpoint: try columns.optionalLater(.checkpoint), timeout: try timeout(columns))
  }

  /// A count that can be counted on from, whatever is in the file.
  private static func bounded(_ count: Int) -> Int { min(max(count, 0), 1 << 31) }

  /// A row that was saved from a file of an older format has none of what came later.
  private static func priority(_ columns: OperationColumns) throws -> OperationPriority {
    guard let priority: Int = try columns.later(.priority) else { return .normal }
    let _: Int64 = try columns[.rank]
    return OperationPriority(rawValue: priority) ?? .normal
  }

  /// A limit that no build writes is none.
  private static func timeout(_ columns: OperationColumns) throws -> Duration? {
    let timeout: Int64? = try columns.optionalLater(.timeout)
    return timeout.flatMap { $0 > 0 ? .milliseconds($0) : nil }
  }

  private static func constraints(
    _ columns: OperationColumns
  ) throws -> Set<OperationConstraint> {
    try (columns.optionalLater(.constraints) as String?).map(constraints(in:)) ?? []
  }

  /// The constraints that a row has; the opposite of ``text(of:)``.
  static func constraints(in text: String) throws -> Set<OperationConstraint> {
    let names = try JSONDecoder().decode([String].self, from: Data(text.utf8))
    return Set(names.map(OperationConstraint.init(rawValue:)))
  }

  /// How constraints are written; nil for none.
  static func text(of constraints: Set<OperationConstraint>) throws -> String? {
    guard !constraints.isEmpty else { return nil }
    let names = constraints.map(\.rawValue).sorted()
    return String(decoding: try JSONEncoder().encode(names), as: UTF8.self)
  }
}

extension OutboxError {
  /// A failure of the database, in the words of this library.
  init(_ error: any Error, path: String) {
    guard let error = error as? DatabaseError else {
      let error = error as? OutboxError ?? OutboxError(.failed, details: path, underlying: error)
      self = DeviceLock.explained(error, by: DeviceLock.file(at: path))
      return
    }
    let code: Code =
      switch error.resultCode {
      case .SQLITE_FULL: .diskFull
      // There was no room for the index of the log.
      case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE: .diskFull
      case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_IOERR, .SQLITE_AUTH:
        .unavailable
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupted
      case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
      default: .failed
      }
    let message = error.message ?? "no message"
    let failure = OutboxError(
      code, details: "\(path): SQLite \(error.extendedResultCode.rawValue) (\(message))",
      underlying: error)
    self = DeviceLock.explained(failure, by: DeviceLock.file(at: path))
  }
}
