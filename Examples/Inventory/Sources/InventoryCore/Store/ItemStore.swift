// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import GRDB
package import Mainstay

/// The items, and the work that they ask for.
///
/// A change and the work that it asks for are one transaction, so that neither is ever there
/// without the other; the outbox, which is kept apart, is told afterwards.
package final class ItemStore: Sendable {
  let place: any ItemPlace
  let now: @Sendable () -> Date
  /// Whether they can be written.
  package let evidence: StorageEvidence
  /// What was saved of a damaged file, until it has been settled with the outbox.
  package let salvage: ItemSalvage?

  /// Opens a file, and creates it where it is missing; a damaged one is replaced by what can be
  /// read of it.
  ///
  /// - Parameters:
  ///   - url: The file; its folder must exist. A lock lies beside it: one process uses it at a
  ///     time.
  ///   - evidence: Told what writes come to.
  ///   - now: The time of day, for stamps.
  /// - Throws: `InventoryError` that names the path.
  package convenience init(
    at url: URL, evidence: StorageEvidence = StorageEvidence(),
    now: @escaping @Sendable () -> Date
  ) async throws(InventoryError) {
    let opened = try Opened(url, at: now())
    self.init(
      in: ItemFile(opened), evidence: evidence, salvage: opened.salvage, now: now)
  }

  /// Uses a place that was opened before.
  init(
    in place: any ItemPlace, evidence: StorageEvidence, salvage: ItemSalvage? = nil,
    now: @escaping @Sendable () -> Date
  ) {
    self.place = place
    self.salvage = salvage
    self.now = now
    self.evidence = evidence
  }

  var time: Timestamp { Timestamp(now()) }

  /// What is there for good on return, or nothing of it; a cancelled caller does not take it back.
  func write<T: Sendable>(
    _ body: @escaping @Sendable (any ItemDatabase) throws -> T
  ) async throws(AppError) -> T {
    do {
      let (value, hasWritten) = try await place.write(body)
      // What changes nothing does not reach the disk, and proves nothing.
      if hasWritten { evidence.wrote() }
      return value
    } catch {
      evidence.failed(error)
      throw ErrorMapping.inventory.map(error)
    }
  }

  /// Writes something, where the last write failed: so the app hears when it can write again,
  /// though nobody changes anything.
  func tryAgain() async throws(AppError) {
    guard evidence.reason != nil else { return }
    let text = time.text
    try await write { db in
      try db.run(
        """
        INSERT INTO meta (key, value) VALUES ('tried', ?)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value
        """, [text])
    }
  }

  func read<T: Sendable>(
    _ body: @escaping @Sendable (any ItemDatabase) throws -> T
  ) async throws(AppError) -> T {
    do { return try await place.read(body) } catch { throw ErrorMapping.inventory.map(error) }
  }

  /// The level that makes a commit survive a power cut: 2 is FULL.
  package func synchronousLevel() async throws(AppError) -> Int {
    try await read { try $0.row("PRAGMA synchronous")?["synchronous"] ?? -1 }
  }

  /// Leaves the items; later calls fail.
  package func close() { place.close() }
}

extension AppError {
  // Made anew each time: each is a failure of its own.
  static var closed: AppError {
    AppError(
      code: "inventory.closed", kind: .storage, disposition: .transient(),
      title: "The app is being stopped", message: "It does not read or save anything any more.",
      suggestion: "Start it again, then try again.", metadata: ["http.status": "503"])
  }
}
