// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

/// What the queue keeps: which work of which item; all else is read when it is run.
protocol ItemOperation: QueuedOperation where Output == NoOutput {
  var work: UUID { get }
  var item: UUID { get }
  init(work: UUID, item: UUID)
}

/// Puts the fields of an item into its twin; a book that was scanned is looked up first.
struct SyncTwin: ItemOperation {
  static let kind: OperationKind = "sync-twin"
  let work: UUID
  let item: UUID
}

/// Deletes the twin of an item.
struct DeleteTwin: ItemOperation {
  static let kind: OperationKind = "delete-twin"
  let work: UUID
  let item: UUID
}

/// Uploads a photo.
struct UploadPhoto: ItemOperation {
  static let kind: OperationKind = "upload-photo"
  let work: UUID
  let item: UUID
}
