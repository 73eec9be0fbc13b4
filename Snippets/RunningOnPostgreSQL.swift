// SPDX-License-Identifier: Apache-2.0
// The examples on the page about an outbox on PostgreSQL.

import Foundation
import MainstayOutbox
import MainstayOutboxPostgres

struct SendReceipt: QueuedOperation {
  static let kind: OperationKind = "send-receipt"
  var order: Int
}

// snippet.open
let address = try PostgresAddress("postgresql://app@db.internal/shop?sslmode=verify-full")
let store = PostgresStore(at: address)
let outbox = try await Outbox(store: store) {
  Worker(for: SendReceipt.self) { receipt, context in
    print("receipt for \(receipt.order), under \(context.idempotencyKey)")
  }
}
try await store.limit(SendReceipt.kind, concurrency: 20, perSecond: 50, burst: 10)
// snippet.end

// snippet.rights
let maintenance = PostgresStore(
  at: try PostgresAddress("postgresql://owner@db.internal/shop"))
try await maintenance.migrate()
print(PostgresStore.schemaSQL())
// snippet.end

// snippet.statement
let statement = try PostgresEnqueue(
  SendReceipt(order: 7), options: EnqueueOptions(orderedBy: "order-7"))
print(statement.text, statement.parameters)
// snippet.end
