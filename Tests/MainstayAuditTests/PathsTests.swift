// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit
import Testing

/// An audit that a program of its own runs, over folders.
@Suite struct PathsTests {
  @Test func `a folder is looked at, and what is not there is a problem`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { _ = try? FileManager.default.removeItem(at: folder) }
    let sources = folder.appending(path: "Sources/App")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    try "do { try save() } catch {}\n".write(
      to: sources.appending(path: "A.swift"), atomically: true, encoding: .utf8)
    let missing = folder.appending(path: "missing").path
    let report = await Audit().run(paths: [sources.path, missing])
    #expect(report.findings.map(\.rule) == ["MS201"])
    #expect(report.findings.first?.path.hasSuffix("Sources/App/A.swift") ?? false)
    #expect(report.files == 1)
    #expect(report.problems.map(\.path) == [missing])
  }
}
