// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import InventoryCore
import Mainstay
import TestSupport
import Testing

/// Storage that cannot be written, as the status sees it; `BlackBoxTests` fills a real one.
@Suite(.ends(withinMinutes: 5), .requirement("A45")) struct StorageTests {
  @Test(arguments: [
    ResultCode.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_CORRUPT,
  ])
  func `a write that failed is evidence, and the next one that works heals it`(_ code: ResultCode) {
    let log = Log()
    let evidence = StorageEvidence { log.add("changed") }
    evidence.wrote()
    #expect(evidence.reason == nil && log.lines.isEmpty)
    evidence.failed(DatabaseError(resultCode: code))
    evidence.failed(DatabaseError(resultCode: code))
    #expect(evidence.reason != nil && log.lines.count == 1)
    evidence.wrote()
    #expect(evidence.reason == nil && log.lines.count == 2)
  }

  @Test(arguments: [ResultCode.SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_CONSTRAINT])
  func `a file that is busy and a change that is refused are no evidence`(_ code: ResultCode) {
    let evidence = StorageEvidence()
    evidence.failed(DatabaseError(resultCode: code))
    evidence.failed(AppError.http(status: 412))
    evidence.failed(CancellationError())
    #expect(evidence.reason == nil)
  }

  @Test func `the level is minimal until the next change that is saved`() async throws {
    try await inWorld { world in
      let inventory = try await world.open()
      let before = try await inventory.status()
      #expect(before.featureLevel == .full && before.features.allSatisfy(\.available))
      inventory.store.evidence.failed(DatabaseError(resultCode: .SQLITE_FULL))
      let status = try await inventory.status()
      #expect(status.featureLevel == .minimal)
      #expect(status.reasons.first?.contains("no room left") == true)
      let lost = status.features.filter { !$0.available }
      #expect(
        Set(lost.map(\.name)) == [
          "scan", "add", "edit", "photo", "delete", "enrichment", "sync",
        ])
      #expect(lost.allSatisfy { $0.reason?.isEmpty == false })
      // Reading proves nothing, and neither does a change that is refused.
      _ = try await inventory.store.items()
      await #expect(throws: AppError.self) { try await inventory.delete(UUID()) }
      #expect(try await inventory.status().featureLevel == .minimal)
      _ = try await inventory.add(ItemDraft(title: "Lamp"))
      #expect(try await inventory.status().featureLevel == .full)
      await inventory.shutDown()
    }
  }
}
