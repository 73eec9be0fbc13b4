// SPDX-License-Identifier: Apache-2.0
// The example on the front page of MainstayOutbox.

import Foundation
import Mainstay
import MainstayOutbox

struct SyncTwin: QueuedOperation {
  static let kind: OperationKind = "sync-twin"
  var id: UUID
}

struct Service: Sendable {
  func put(_ twin: SyncTwin, key: IdempotencyKey) async throws {}
}

let api = Service()
let id = UUID()
let url = FileManager.default.temporaryDirectory.appending(path: "outbox.sqlite")

// snippet.show
let outbox = try await Outbox(at: url) {
  Worker(for: SyncTwin.self) { twin, context in
    try await api.put(twin, key: context.idempotencyKey)
  }
}
try await outbox.enqueue(SyncTwin(id: id), orderedBy: id)  // returns when it is on disk
