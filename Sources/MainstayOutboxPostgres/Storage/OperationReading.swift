// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

/// A row of the views `operation` and `dead_letter` as a value; both begin alike.
struct OperationReading {
  /// The columns in the order of the views.
  enum Column: Int {
    case id, uuid, kind, version, lane, orderingKey, enqueuedAt, expiresAt, attempts, lostRuns
    case effect, leaseToken, idempotencyKey, errorCode, errorMessage, payload, priority, rank
    case constraints, isExpendable, merges, checkpoint, timeout, errorWords, state, runAt
    case unreachable, isCancelled, reason, since, holdsKey
  }

  let row: PostgresRow
  /// How many columns stand before those of the view.
  var offset = 0

  private func place(_ column: Column) -> Int { column.rawValue + offset }

  private func number(_ column: Column) throws -> Int { Int(try row.int(place(column))) }

  private func date(_ column: Column) throws -> Date? {
    try row.int(ifAny: place(column)).map(Date.init(milliseconds:))
  }

  /// The number of the row.
  var number: Int64 { get throws { try row.int(place(.id)) } }

  /// The identity; nil where the row has none.
  var id: OperationID? {
    get throws { try row.uuid(ifAny: place(.uuid)).map(OperationID.init) }
  }

  /// - Throws: `OutboxError` `corrupted` where a value is not what this library writes.
  func operation(_ state: OperationState? = nil) throws -> StoredOperation {
    guard
      let uuid = try row.uuid(ifAny: place(.uuid)),
      let key = IdempotencyKey(try row.text(place(.idempotencyKey))),
      let state = try state ?? OperationState(rawValue: row.text(place(.state))),
      let enqueued = try date(.enqueuedAt)
    else {
      throw OutboxError(.corrupted, details: "row \(try number) is not legal")
    }
    return StoredOperation(
      id: OperationID(uuid),
      type: PayloadType(
        kind: OperationKind(rawValue: try row.text(place(.kind))), version: try number(.version)),
      lane: Lane(rawValue: try row.text(place(.lane))),
      orderingKey: try row.data(ifAny: place(.orderingKey)).map {
        String(decoding: $0, as: UTF8.self)
      },
      idempotencyKey: key, payload: try row.data(place(.payload)), state: state,
      attempts: try number(.attempts), unreachable: try number(.unreachable),
      lostRuns: try number(.lostRuns),
      // A certainty that only a newer build knows is none here.
      effect: EffectCertainty(rawValue: try row.text(place(.effect))) ?? .sentUnknown,
      failure: try failure(), due: try date(.runAt), enqueued: enqueued,
      expires: try date(.expiresAt),
      priority: OperationPriority(rawValue: try number(.priority)) ?? .normal,
      constraints: try constraints(), isCancelled: try row.bool(place(.isCancelled)),
      isExpendable: try row.bool(place(.isExpendable)), merges: try number(.merges),
      checkpoint: try row.data(ifAny: place(.checkpoint)),
      // A limit that no build writes is none.
      timeout: try row.int(ifAny: place(.timeout)).flatMap { $0 > 0 ? .milliseconds($0) : nil })
  }

  func deadLetter() throws -> DeadLetter {
    DeadLetter(
      operation: try operation(.dead),
      reason: DeadLetter.Reason(rawValue: try row.text(place(.reason))),
      since: try date(.since) ?? Date(milliseconds: 0), holdsKey: try row.bool(place(.holdsKey)))
  }

  private func failure() throws -> FailureNote? {
    try FailureNote(
      code: row.text(ifAny: place(.errorCode)), message: row.text(ifAny: place(.errorMessage)),
      column: row.text(ifAny: place(.errorWords)))
  }

  private func constraints() throws -> Set<OperationConstraint> {
    guard let text = try row.text(ifAny: place(.constraints)) else { return [] }
    let names = try JSONDecoder().decode([String].self, from: Data(text.utf8))
    return Set(names.map(OperationConstraint.init(rawValue:)))
  }
}

extension FailureNote {
  /// What is noted of a failure; nil where nothing is.
  init?(code: String?, message: String?, column: String? = nil) {
    guard let code = code.flatMap({ ErrorCode($0) }), let message else { return nil }
    self.init(code: code, message: message, column: column)
  }
}

extension PostgresRows {
  /// The operations in these rows; one that is not legal must not hide the others.
  var operations: [StoredOperation] {
    compactMap { row in
      // Whoever claims it parks it and says so.
      try? OperationReading(row: row).operation()
    }
  }

  /// The dead letters in these rows.
  var deadLetters: [DeadLetter] {
    compactMap { row in
      // Whoever looks for others must not be stopped by it.
      try? OperationReading(row: row).deadLetter()
    }
  }
}
