// SPDX-License-Identifier: Apache-2.0
// The example on the page about payloads of earlier builds.

import Foundation
import MainstayOutbox
import MainstayOutboxTesting

struct SendOrderV1: QueuedOperation {
  static let kind: OperationKind = "send-order"
  var name: String
}

struct SendOrder: QueuedOperation {
  static let kind: OperationKind = "send-order"
  static let version = 2
  var item: String
  var count: Int
  var note: String?
}

// snippet.show
let corpus = PayloadCorpus([
  "everything": SendOrder(item: "tea", count: 2, note: "no milk"),
  "least": SendOrder(item: "tea", count: 1, note: nil),
]) {
  Worker(for: SendOrder.self) { _, _ in }
    .upcasting(from: SendOrderV1.self) { SendOrder(item: $0.name, count: 1, note: nil) }
}
try corpus.check(against: "Tests/Payloads.tsv")
