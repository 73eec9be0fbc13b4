// SPDX-License-Identifier: Apache-2.0
// The example on the page about when an operation runs.

import Foundation
import Mainstay
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

struct API: Sendable {
  func upload(_ photo: UploadPhoto) async throws {}
  func publish(_ item: PublishItem) async throws {}
}

let api = API()

// snippet.show
var configuration = Outbox.Configuration()
configuration.connectivity = ConnectivityMonitor()
configuration.unmetConstraints = [.unmetered]
let outbox = try await Outbox(at: url, configuration: configuration) {
  Worker(for: UploadPhoto.self) { photo, _ in try await api.upload(photo) }
  Worker(for: PublishItem.self) { item, _ in try await api.publish(item) }
}

let upload = try await outbox.enqueue(
  UploadPhoto(id: id),
  options: EnqueueOptions(priority: .low, constraints: [.unmetered]))
try await outbox.enqueue(
  PublishItem(id: id),
  options: EnqueueOptions(
    uniqueKey: .init("publish-\(id)", ifTaken: .replace), dependencies: .init([upload])))
