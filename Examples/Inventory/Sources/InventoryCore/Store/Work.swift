// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// One thing that is still to be done about an item: what was intended, before and after the outbox
/// knows it.
struct Work: Sendable {
  enum Kind: String, Sendable {
    case put, delete, photo
  }

  enum State: String, Sendable {
    /// On the disk; the outbox may not know it yet.
    case intended
    /// The outbox has it.
    case queued
    /// Somebody has to decide.
    case conflicted
    /// Given up.
    case dead
    /// Nothing is left to do.
    case done
  }

  let id: UUID
  let item: UUID
  let kind: Kind
  /// The key by which the service knows it; that of the request that asked for it, if it had one.
  let key: IdempotencyKey
  let state: State
  /// The name of the operation in the outbox; nil where it may have none.
  let operation: String?
  /// What was sent, byte for byte: the same key must never carry another body.
  let body: Data?
  /// The version that it demanded; nil where it demanded that nothing is there.
  let precondition: Int?
  let sent: Timestamp?

  init(_ row: Row) throws {
    let name = try row.decode(String.self, forColumn: "id")
    guard let id = UUID(uuidString: name),
      let item = UUID(uuidString: try row.decode(forColumn: "item")),
      let kind = Kind(rawValue: try row.decode(forColumn: "kind")),
      let state = State(rawValue: try row.decode(forColumn: "state")),
      let key = IdempotencyKey(try row.decode(String.self, forColumn: "key"))
    else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "work \(name)") }
    self.id = id
    self.item = item
    self.kind = kind
    self.key = key
    self.state = state
    operation = try row.decode(forColumn: "operation")
    body = try row.decode(forColumn: "body")
    precondition = try row.decode(forColumn: "precondition")
    sent = try row.decode(Int64?.self, forColumn: "sent_at").map(Timestamp.init(milliseconds:))
  }

  static func find(_ id: UUID, _ db: any ItemDatabase) throws -> Work? {
    try db.row("SELECT * FROM work WHERE id = ?", [id.text]).map(Work.init)
  }

  /// Notes what is to be done, in the transaction of the change that asks for it.
  @discardableResult
  static func intend(
    _ kind: Kind, of item: UUID, key: IdempotencyKey, at time: Timestamp, _ db: any ItemDatabase
  ) throws -> UUID {
    let id = UUID()
    try insert(id, kind, of: item, key: key, state: .intended, at: time, db)
    return id
  }

  static func insert(
    _ id: UUID, _ kind: Kind, of item: UUID, key: IdempotencyKey, state: State, at time: Timestamp,
    _ db: any ItemDatabase
  ) throws {
    try db.run(
      "INSERT INTO work (id, item, kind, key, state, created_at) VALUES (?, ?, ?, ?, ?, ?)",
      [
        id.text, item.text, kind.rawValue, key.rawValue, state.rawValue, time.milliseconds,
      ])
  }

  static func set(_ state: State, of id: UUID, _ db: any ItemDatabase) throws {
    try db.run("UPDATE work SET state = ? WHERE id = ?", [state.rawValue, id.text])
    if state == .done {
      try db.run("UPDATE work SET body = NULL WHERE id = ?", [id.text])
    }
  }

  /// What was never applied may be sent with another body.
  static func unseal(_ id: UUID, _ db: any ItemDatabase) throws {
    try db.run(
      "UPDATE work SET body = NULL, sent_at = NULL, state = 'queued' WHERE id = ?",
      [id.text])
  }
}
