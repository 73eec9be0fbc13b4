// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import MainstayOutboxPostgres

struct Upload: QueuedOperation {
  static let kind: OperationKind = "upload"
}

let store = PostgresStore(at: try PostgresAddress("postgresql://app@localhost/shop"))
let outbox = try await Outbox(store: store) {
  Worker(for: Upload.self) { _, _ in }
}
try await outbox.enqueue(Upload())
