// SPDX-License-Identifier: Apache-2.0
// The example on the page about when an operation runs.

import Foundation
import MainstayOutbox

struct UploadPhoto: QueuedOperation {
  static let kind: OperationKind = "upload-photo"
  var id: UUID
}

struct PublishItem: QueuedOperation {
  static let kind: OperationKind = "publish-item"
  var id: UUID
}

let id = UUID()
let url = FileManager.default.temporaryDirectory.appending(path: "outbox.sqlite")
let outbox = try await Outbox(at: url) {
  Worker(for: UploadPhoto.self) { _, _ in }
  Worker(for: PublishItem.self) { _, _ in }
}

// snippet.show
let upload = try await outbox.enqueue(
  UploadPhoto(id: id),
  options: EnqueueOptions(priority: .low, constraints: [.unmetered]))
try await outbox.enqueue(
  PublishItem(id: id),
  options: EnqueueOptions(
    uniqueKey: .init("publish-\(id)", ifTaken: .replace), dependencies: .init([upload])))
