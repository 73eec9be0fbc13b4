// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// What an earlier build of the app has queued is done by this one.
@Suite(.requirement("C13")) struct PayloadTests {
  @Test func `what waits in the queue of an earlier build means the same`() throws {
    let (work, item) = (UUID(7), UUID(8))
    let corpus = PayloadCorpus([
      "plain": SyncTwin(work: work, item: item), "plain": DeleteTwin(work: work, item: item),
      "plain": UploadPhoto(work: work, item: item),
    ]) {
      Worker(for: SyncTwin.self) { _, _ in }
      Worker(for: DeleteTwin.self) { _, _ in }
      Worker(for: UploadPhoto.self) { _, _ in }
    }
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    try corpus.check(against: folder.appending(path: "Payloads.tsv").path)
  }
}

extension UUID {
  fileprivate init(_ last: UInt8) {
    self.init(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last))
  }
}
