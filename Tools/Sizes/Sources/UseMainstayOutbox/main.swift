// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox

struct Upload: QueuedOperation {
  static let kind: OperationKind = "upload"
}

let outbox = try await Outbox(at: URL(filePath: "outbox.sqlite")) {
  Worker(for: Upload.self) { _, _ in }
}
try await outbox.enqueue(Upload())
