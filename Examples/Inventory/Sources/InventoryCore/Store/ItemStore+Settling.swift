// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

/// An operation of the outbox, as far as the items have to know it.
struct KnownOperation: Sendable {
  let id: String
  let work: UUID
  let item: UUID
  let kind: Work.Kind
  let key: IdempotencyKey
  /// Whether it was given up.
  let isDead: Bool
}

extension ItemStore {
  /// How many changes the outbox should have.
  func queuedCount() async throws(AppError) -> Int {
    try await read { db in
      let sql = "SELECT count(*) AS count FROM work WHERE state IN ('queued', 'conflicted')"
      return try db.row(sql)?["count"] ?? 0
    }
  }

  /// Makes the changes here and the operations of the outbox the same, after one of the files was
  /// damaged, lost, or written while the process died.
  ///
  /// - Parameters:
  ///   - operations: All that the outbox has, in their order.
  ///   - isForgetful: Whether the outbox may have lost dead letters; otherwise one that is missing
  ///     was discarded.
  /// - Returns: How many changes have to be handed to the outbox again.
  /// - Throws: `AppError` where the file cannot be read or written.
  func settle(
    with operations: [KnownOperation], isForgetful: Bool
  ) async throws(AppError) -> Int {
    let (time, salvage) = (time, salvage)
    return try await write { db in
      for operation in operations { try Self.adopt(operation, at: time, db) }
      let known = Set(operations.map(\.work))
      let dead = isForgetful ? ", 'dead'" : ""
      let rows = try db.rows(
        "SELECT * FROM work WHERE state IN ('queued', 'conflicted'\(dead)) ORDER BY seq")
      var count = 0
      for work in try rows.map(Work.init) where !known.contains(work.id) {
        if try Self.handOverAgain(work, besides: known, db) { count += 1 }
      }
      if let salvage {
        if !salvage.isComplete { count += try Self.intendWhatDiffers(at: time, db) }
        try ItemSalvage.forget(db)
      }
      return count
    }
  }

  /// What the outbox says stands; a change that is missing here is made again from it.
  private static func adopt(
    _ operation: KnownOperation, at time: Timestamp, _ db: any ItemDatabase
  ) throws {
    guard let work = try Work.find(operation.work, db) else {
      return try remake(operation, at: time, db)
    }
    guard work.state != .done else { return }
    var state = work.state == .conflicted ? Work.State.conflicted : .queued
    if operation.isDead { state = .dead }
    // A change that was made up for a photo takes over the key that was accepted.
    let key = work.state == .intended ? operation.key : work.key
    try db.run(
      "UPDATE work SET operation = ?, key = ?, state = ? WHERE id = ?",
      [operation.id, key.rawValue, state.rawValue, work.id.text])
  }

  /// Makes a change again: it sends the item as it is, and a deletion needs no more than its id.
  ///
  /// Without an item the worker gives the operation up, in words, so that somebody hears of it.
  private static func remake(
    _ operation: KnownOperation, at time: Timestamp, _ db: any ItemDatabase
  ) throws {
    var record = try ItemRecord.find(operation.item, db)
    if operation.kind == .delete {
      var deleted = record ?? .tombstone(operation.item, at: time)
      deleted.deleted = deleted.deleted ?? time
      try deleted.save(db)
      record = deleted
    }
    let isTaken = "SELECT 1 FROM work WHERE key = ?"
    guard record != nil,
      try db.row(isTaken, [operation.key.rawValue]) == nil
    else { return }
    try Work.insert(
      operation.work, operation.kind, of: operation.item, key: operation.key,
      state: operation.isDead ? .dead : .queued, at: time, db)
    // It may have been sent: then the service is asked first, and not before it has settled.
    try db.run(
      "UPDATE work SET operation = ?, sent_at = ? WHERE id = ?",
      [operation.id, time.milliseconds, operation.work.text])
  }

  /// - Returns: False where a later change has made it pointless.
  private static func handOverAgain(
    _ work: Work, besides known: Set<UUID>, _ db: any ItemDatabase
  ) throws -> Bool {
    if try isOvertaken(work, besides: known, db) {
      try db.run("DELETE FROM conflict WHERE work = ?", [work.id.text])
      try Work.set(.done, of: work.id, db)
      return false
    }
    try db.run(
      """
      UPDATE work SET operation = NULL,
        state = CASE state WHEN 'conflicted' THEN state ELSE 'intended' END WHERE id = ?
      """, [work.id.text])
    return true
  }

  /// Handed over again it would come after what once came after it: a change after the deletion, or
  /// an older photo after a newer one.
  private static func isOvertaken(
    _ work: Work, besides known: Set<UUID>, _ db: any ItemDatabase
  ) throws -> Bool {
    let sql = """
      SELECT * FROM work WHERE item = ? AND kind = ?
        AND seq > (SELECT seq FROM work WHERE id = ?)
      """
    func later(_ kind: Work.Kind) throws -> [Work] {
      let arguments: ItemArguments = [work.item.text, kind.rawValue, work.id.text]
      return try db.rows(sql, arguments).map(Work.init)
    }
    if work.kind == .photo, try !later(.photo).isEmpty { return true }
    guard work.kind != .delete else { return false }
    return try later(.delete).contains { $0.state == .done || known.contains($0.id) }
  }

  /// Where changes could not be read, whatever differs from what the service has is sent.
  private static func intendWhatDiffers(at time: Timestamp, _ db: any ItemDatabase) throws -> Int {
    let rows = try db.rows(
      """
      SELECT * FROM item WHERE uuid NOT IN (SELECT item FROM work WHERE state <> 'done')
      """)
    var count = 0
    for record in try rows.map(ItemRecord.init) {
      let isDeleted = record.deleted != nil
      guard isDeleted ? record.base != nil : record.base != record.fields else { continue }
      try Work.intend(
        isDeleted ? .delete : .put, of: record.id, key: IdempotencyKey(), at: time, db)
      count += 1
    }
    return count
  }
}
