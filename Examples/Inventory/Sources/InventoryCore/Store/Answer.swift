// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import GRDB
internal import Mainstay

/// What a write was answered, kept with its key so that a repetition gets the same.
package struct WriteAnswer: Sendable, Hashable {
  /// The item as it was when the write was accepted.
  package let item: Item
  /// The same as JSON, byte for byte as it is kept.
  package let document: Data
  /// Whether it was accepted before, under the same key.
  package let isReplay: Bool
}

/// A write as it came in: its key, and what tells it from another one.
struct WriteRequest: Sendable {
  let key: IdempotencyKey
  let fingerprint: String

  /// - Parameters:
  ///   - key: The key that the client gave; nil makes a new one.
  ///   - verb: What is asked for.
  ///   - parts: All that it depends on.
  init(_ key: IdempotencyKey?, _ verb: String, _ parts: Data...) {
    self.key = key ?? IdempotencyKey()
    // FNV-1a: it tells honest requests apart, and is no protection against people who search.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for part in parts {
      for byte in part { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      hash = (hash ^ 0xff) &* 0x100_0000_01b3
    }
    let sizes = parts.map { String($0.count) }.joined(separator: "+")
    fingerprint = "\(verb) \(sizes) \(String(hash, radix: 16))"
  }
}

extension ItemStore {
  /// Makes a change once for each key, in one transaction with its answer.
  func answering(
    _ request: WriteRequest,
    _ change: @escaping @Sendable (any ItemDatabase, Timestamp) throws -> ItemRecord
  ) async throws(AppError) -> WriteAnswer {
    let time = time
    return try await write { db in
      let sql = "SELECT fingerprint, item FROM answer WHERE key = ?"
      if let row = try db.row(sql, [request.key.rawValue]) {
        guard row["fingerprint"] == request.fingerprint else { throw AppError.keyReused }
        let document: Data = row["item"]
        let item = try JSONDecoder().decode(Item.self, from: document)
        return WriteAnswer(item: item, document: document, isReplay: true)
      }
      let taken = "SELECT 1 FROM work WHERE key = ?"
      guard try db.row(taken, [request.key.rawValue]) == nil else {
        throw AppError.keyReused
      }
      let item = try change(db, time).document(db)
      let document = try JSONEncoder.inventory.encode(item)
      try db.run(
        "INSERT INTO answer (key, fingerprint, item, created_at) VALUES (?, ?, ?, ?)",
        [
          request.key.rawValue, request.fingerprint, document, time.milliseconds,
        ])
      return WriteAnswer(item: item, document: document, isReplay: false)
    }
  }

  /// Forgets the answers and the finished work of more than 30 days ago, and photos that nobody
  /// sees any more.
  func prune() async throws(AppError) {
    let limit = time.milliseconds - 30 * 86_400_000
    try await write { db in
      try ForgottenPhotos.deleteAll(db)
      try db.run("DELETE FROM answer WHERE created_at < ?", [limit])
      try db.run(
        """
        DELETE FROM work WHERE state = 'done' AND created_at < ?
          AND id NOT IN (SELECT work FROM photo)
        """, [limit])
    }
  }
}

extension AppError {
  static var keyReused: AppError {
    AppError(
      code: "idempotency.key-reused", kind: .validation, disposition: .permanent,
      title: "This key was used already",
      message: "Another request came with the same Idempotency-Key. A key stands for one request.",
      suggestion: "Send it again under a new key.", metadata: ["http.status": "422"])
  }

  static func notThere(_ id: UUID) -> AppError {
    AppError(
      code: "inventory.not-found", kind: .notFound, disposition: .permanent, severity: .info,
      title: "This item isn’t there", message: "There is no item with the id \(id.text).",
      suggestion: "It may have been deleted. Look for it in the list.",
      metadata: ["http.status": "404"])
  }

  static func stale(_ version: Int) -> AppError {
    AppError(
      code: "inventory.stale", kind: .conflict, disposition: .needsUser,
      title: "The item has changed",
      message: "It is at version \(version) by now, so your change was made to an older one.",
      suggestion: "Load it again, then make your change.",
      metadata: ["http.status": "412", "inventory.version": String(version)])
  }
}
