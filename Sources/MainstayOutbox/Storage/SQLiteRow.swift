// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// Times as they lie on disk: whole milliseconds since 1970, cut to what makes sense.
extension Date {
  private static let latest = 253_402_300_799_000.0  // the end of the year 9999

  var milliseconds: Int64 {
    let value = timeIntervalSince1970 * 1000
    guard value.isFinite else { return 0 }
    return Int64(min(max(value, 0), Self.latest).rounded())
  }

  init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension Duration {
  /// Whole milliseconds, rounded up: a wait is never shorter than was asked for.
  var milliseconds: Int64 { Int64((clamped.inSeconds * 1000).rounded(.up)) }
}

extension OperationID {
  var data: Data { withUnsafeBytes(of: uuid.uuid) { Data($0) } }

  init?(data: Data) {
    guard data.count == 16 else { return nil }
    var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &bytes) { _ = data.copyBytes(to: $0) }
    self.init(UUID(uuid: bytes))
  }
}

/// A row of `op` or `dead` as an operation; both have these columns.
enum OperationRow {
  static let common = """
    id, uuid, kind, version, lane, ordering_key, enqueued_at, expires_at, attempt, crashes, \
    effect, lease_token, idem_key, error_code, error_message, payload
    """
  static let op = common + ", state, run_at, unreachable"

  /// - Throws: ``OutboxError`` `corrupted` where a value is not what this library writes.
  static func operation(_ row: Row, state: OperationState? = nil) throws -> StoredOperation {
    guard
      let id = OperationID(data: row["uuid"]),
      let key = IdempotencyKey(row["idem_key"] as String),
      let state = state ?? OperationState(rawValue: row["state"])
    else {
      throw OutboxError(.corrupted, details: "row \(row["id"] as Int64? ?? 0) is not legal")
    }
    // A certainty that only a newer build knows is none here.
    let effect = EffectCertainty(rawValue: row["effect"]) ?? .sentUnknown
    let code = (row["error_code"] as String?).flatMap { ErrorCode($0) }
    let message: String? = row["error_message"]
    let due: Int64? = row.hasColumn("run_at") ? row["run_at"] : nil
    return StoredOperation(
      id: id,
      type: PayloadType(kind: OperationKind(rawValue: row["kind"]), version: row["version"]),
      lane: Lane(rawValue: row["lane"]),
      orderingKey: (row["ordering_key"] as Data?).map { String(decoding: $0, as: UTF8.self) },
      idempotencyKey: key,
      payload: row["payload"], state: state, attempts: row["attempt"],
      unreachable: row.hasColumn("unreachable") ? row["unreachable"] : 0,
      lostRuns: row["crashes"], effect: effect,
      failure: code.flatMap { code in message.map { FailureNote(code: code, message: $0) } },
      due: due.map(Date.init(milliseconds:)),
      enqueued: Date(milliseconds: row["enqueued_at"]),
      expires: (row["expires_at"] as Int64?).map(Date.init(milliseconds:)))
  }
}

extension OutboxError {
  /// A failure of the database, in the words of this library.
  init(_ error: any Error, path: String) {
    guard let error = error as? DatabaseError else {
      self = error as? OutboxError ?? OutboxError(.failed, details: path, underlying: error)
      return
    }
    let code: Code =
      switch error.resultCode {
      case .SQLITE_FULL: .diskFull
      case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_IOERR, .SQLITE_AUTH:
        .unavailable
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupted
      case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
      default: .failed
      }
    let message = error.message ?? "no message"
    self.init(
      code, details: "\(path): SQLite \(error.extendedResultCode.rawValue) (\(message))",
      underlying: error)
  }
}
