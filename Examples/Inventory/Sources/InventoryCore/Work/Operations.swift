// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import MainstayOutbox

/// What the queue keeps: which work of which item; all else is read when it is run.
package protocol ItemOperation: QueuedOperation where Output == NoOutput {
  var work: UUID { get }
  var item: UUID { get }
  init(work: UUID, item: UUID)
}

/// Puts the fields of an item into its twin; a book that was scanned is looked up first.
package struct SyncTwin: ItemOperation {
  package static let kind: OperationKind = "sync-twin"
  package let work: UUID
  package let item: UUID

  package init(work: UUID, item: UUID) { (self.work, self.item) = (work, item) }
}

/// Deletes the twin of an item.
package struct DeleteTwin: ItemOperation {
  package static let kind: OperationKind = "delete-twin"
  package let work: UUID
  package let item: UUID

  package init(work: UUID, item: UUID) { (self.work, self.item) = (work, item) }
}

/// Uploads a photo.
package struct UploadPhoto: ItemOperation {
  package static let kind: OperationKind = "upload-photo"
  package let work: UUID
  package let item: UUID

  package init(work: UUID, item: UUID) { (self.work, self.item) = (work, item) }
}
