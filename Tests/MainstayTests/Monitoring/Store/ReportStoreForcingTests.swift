// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// What is on the disk: a file that was written, forced, named, and whose name was forced.
@Suite(.requirement("B42", "A54")) struct ReportStoreForcingTests {
  private let folder: ReportFolder
  private let refusals = Refusals()

  init() throws { folder = try ReportFolder() }

  private func store(_ probe: StoreProbe? = nil) throws -> ReportStore {
    try ReportStore(
      at: folder.store, .anywhere, replies: .otlp, transport: ScriptedService(),
      probe: probe ?? refusals.probe())
  }

  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.sorted() ?? []
  }

  @Test func `what cannot be forced onto the disk is not said to be there`() async throws {
    let store = try store()
    #expect(await store.status.condition == .writing)
    refusals.refuse(.force, ".report", with: EIO)
    #expect(await store.keep(.sample()) == .keptInMemory)
    #expect(store.keepNow(.sample(.critical)) == .keptInMemory)
    #expect(names == ["ledger"], "neither a file nor the half of one is left")
    #expect(await store.status.condition == .unwritable(String(cString: strerror(EIO))))
    refusals.end()
    #expect(await store.keep(.sample()) == .kept)
    #expect(folder.files.count == 3 && names.count == 4)
    #expect(await store.ledger.isBalanced)
  }

  @Test func `where the ledger cannot be forced onto the disk, the folder is not used`()
    async throws
  {
    refusals.refuse(.force, "ledger", with: EIO)
    let store = try store()
    #expect(await store.keep(.sample()) == .keptInMemory)
    #expect(names.isEmpty)
    refusals.end()
    #expect(await store.keep(.sample()) == .kept)
    #expect(folder.files.count == 2)
    // From now on it is written where it lies.
    refusals.refuse(.force, "ledger", with: EIO, times: 1)
    #expect(await store.drain() == .finished)
    await store.shutDown()
    let ledger = try await self.store().ledger
    #expect(ledger.captured == 2 && ledger.sent == 2 && ledger.isBalanced)
  }

  @Test func `a file is written, forced, named, and then its name is forced`() async throws {
    let events = Log()
    let folder = folder
    let size: @Sendable () -> String = {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      let sizes = names.filter { $0.contains(".report") }.map { name in
        let file = try? FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
        return "\(name.hasSuffix(".report") ? "file" : "temporary") \(file?[.size] ?? 0)"
      }
      return sizes.joined(separator: ", ")
    }
    let store = try store(
      StoreProbe(reached: { events.add("\($0.rawValue)") }) { call, _ in
        events.add("\(call): \(size())")
        return nil
      })
    _ = await store.status
    let before = events.lines.count
    #expect(await store.keep(.sample(bytes: 1_000)) == .kept)
    let name = try #require(folder.files.first)
    let length = try folder.bytes(name).count
    #expect(
      Array(events.lines.dropFirst(before).prefix(8)) == [
        "fileBegun", "fileHalfWritten", "write: temporary \(length / 2)",
        "force: temporary \(length)", "fileWritten", "fileNamed", "sync: file \(length)",
        "folderSynced",
      ])
  }
}
