// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// What becomes of a state that cannot be written.
@Suite(.ends(withinMinutes: 2)) struct StateSavingFailureTests {
  private let clock = ManualClock()
  private let told = Log()

  /// A client whose folder is not there, and what brings that back and tidies up.
  private func withoutFolder(
    _ body: (StateClient<[String]>, URL, () throws -> Void) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "state-\(UUID().uuidString)")
    let url = folder.appending(path: "cart.json")
    let (client, _) = try await StateClient.open(
      "cart", keptIn: url, or: [String](), clock: clock
    ) { [told] in told.add($0.map { _ in "failed" } ?? "saved") }
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(client, url) {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
  }

  @Test func `somebody is told, and the client writes again without another change`() async throws {
    try await withoutFolder { client, url, mend in
      try await client.update { $0 = ["kept in memory"] }
      await told.lines(atLeast: 1)
      #expect(told.lines == ["failed"] && !FileManager.default.fileExists(atPath: url.path))
      #expect(await client.saveFailure != nil)
      // Still not: it waits longer, and says no more of it.
      await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(1))
      await clock.sleepers(atLeast: 1)
      try mend()
      clock.advance(by: .seconds(2))
      await told.lines(atLeast: 2)
      #expect(told.lines == ["failed", "saved"])
      #expect(await client.saveFailure == nil)
      let (second, _) = try await StateClient.open("cart", keptIn: url, or: [String]())
      #expect(await second.state == ["kept in memory"])
    }
  }

  @Test func `another change writes at once, and the waiting one with it`() async throws {
    try await withoutFolder { client, url, mend in
      try await client.update { $0 = ["one"] }
      await told.lines(atLeast: 1)
      await clock.sleepers(atLeast: 1)
      try mend()
      try await client.update { $0 = ["two"] }
      await told.lines(atLeast: 2)
      try await client.save()
      #expect(told.lines == ["failed", "saved"])
      let (second, _) = try await StateClient.open("cart", keptIn: url, or: [String]())
      #expect(await second.state == ["two"])
    }
  }
}
