// SPDX-License-Identifier: Apache-2.0

internal import GRDB
package import Mainstay

/// Whether the items can be written, from what the last write came to; nothing else is asked.
package final class StorageEvidence: Sendable {
  private let failure = Locked<AppError?>(nil)
  private let changed: @Sendable () -> Void

  /// Nothing has failed yet.
  ///
  /// - Parameter changed: Called when it is another answer than before.
  package init(changed: @escaping @Sendable () -> Void = {}) { self.changed = changed }

  /// Why nothing can be written; nil where the last write worked.
  package var reason: AppError? { failure.withLock(\.self) }

  /// Something was written.
  package func wrote() { note(nil) }

  /// A write failed; whatever says nothing about the storage is ignored, such as a change that was
  /// refused, or a file that is busy.
  package func failed(_ error: any Error) {
    // A shared place says so itself.
    if let error = error as? AppError, error.metadata["inventory.storage"] == "failed" {
      note(error)
    }
    // Others say nothing of the storage.
    guard let cause = error as? DatabaseError else { return }
    let codes: [ResultCode] = [
      .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_CORRUPT,
      .SQLITE_NOTADB, .SQLITE_PERM,
    ]
    guard codes.contains(cause.resultCode) else { return }
    note(ErrorMapping.inventory.map(cause))
  }

  private func note(_ error: AppError?) {
    let isNew = failure.withLock { failure in
      defer { failure = error }
      return (failure == nil) != (error == nil)
    }
    if isNew { changed() }
  }
}
