// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// Long looks at a file, and those who write to it meanwhile.
@Suite(.ends(withinMinutes: 5)) struct ReadingBesideTests {
  @Test func `an operation is accepted while somebody goes through all that waits`() async throws {
    let folder = try TemporaryFolder()
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    _ = try await store.insert(.note("a"))
    let accepted = DispatchSemaphore(value: 0)
    let findings = try await store.findings { rows, _ in
      guard rows == 0 else { return }
      Task {
        _ = try? await store.insert(.note("b"))
        accepted.signal()
      }
      accepted.wait()
    }
    #expect(findings == [], "it reads all as of one moment")
    let snapshot = try await store.snapshot()
    #expect(snapshot.ready == 2, "what was accepted before is seen")
    await store.close()
    await #expect(throws: OutboxError(.shutDown, details: "")) { _ = try await store.snapshot() }
    let left = try FileManager.default.contentsOfDirectory(
      atPath: folder.url.path(percentEncoded: false))
    #expect(left.sorted() == ["outbox.sqlite", "outbox.sqlite-reserve"])
  }
}
