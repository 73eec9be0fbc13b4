// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// A disk that gives back other bits than it was given.
@Suite(.requirement("O33", "A54"), .ends(withinMinutes: 10)) struct FlippedBitsTests {
  private static let cases: UInt64 = RandomDose.isTorture ? 2000 : 20
  private static let count = 60

  @Test func `whatever bits are wrong, the file is opened or kept whole, and the rest is saved`()
    async throws
  {
    let folder = try TemporaryFolder()
    let file = try await Self.file(in: folder)
    var saved = 0
    for seed in 0..<Self.cases {
      let other = try TemporaryFolder()
      let damaged = Self.flip(file, seed: seed)
      try damaged.write(to: other.database)
      // What was damaged while the power went.
      let path = other.database.path(percentEncoded: false)
      for suffix in ["-check", "-reserve"] {
        _ = FileManager.default.createFile(atPath: path + suffix, contents: nil)
      }
      let store = SQLiteStore(at: other.database)
      do {
        let report = try await store.open()
        if let salvage = report.salvage {
          saved += 1
          let kept = try #require(salvage.movedTo.first)
          #expect(try Data(contentsOf: URL(filePath: kept)) == damaged, "seed \(seed)")
          #expect(salvage.operations <= Self.count, "seed \(seed)")
          #expect(report.isBalanced, "seed \(seed)")
          #expect(try await store.findings() == [], "seed \(seed)")
        }
        _ = try await store.insert(.note("new"))
        _ = try await store.claim(100)
        await store.close()
      } catch let error as OutboxError {
        // A number may say that the file belongs to a newer build. A letter in the name of a table,
        // or the number of SQLite's own format, is wrong in a way that SQLite does not call damage.
        let codes: [OutboxError.Code] = [.newerFormat, .corrupted, .failed]
        #expect(codes.contains(error.code), "seed \(seed): \(error)")
        #expect(!"\(error)".contains("UNIQUE"), "seed \(seed): \(error)")
        await store.close()
        let isThere = try Data(contentsOf: other.database).count == damaged.count
        #expect(isThere, "seed \(seed)")
      }
    }
    #expect(saved > 0)
  }

  private static func file(in folder: TemporaryFolder) async throws -> Data {
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    try await withThrowingTaskGroup { group in
      for number in 0..<count {
        let text = "\(number)-" + String(repeating: "x", count: 200)
        group.addTask { _ = try await store.insert(.note(text, orderedBy: "k\(number % 7)")) }
      }
      try await group.waitForAll()
    }
    await store.close()
    return try Data(contentsOf: folder.database)
  }

  private static func flip(_ file: Data, seed: UInt64) -> Data {
    var generator = SeededGenerator(seed: seed)
    var file = file
    // Within a few pages, as where a block has gone bad.
    let page = Int.random(in: 0..<(file.count / 4096), using: &generator) * 4096
    for _ in 0..<Int.random(in: 1...40, using: &generator) {
      let place = page + Int.random(in: 0..<4096, using: &generator)
      file[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    }
    return file
  }
}
