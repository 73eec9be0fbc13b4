// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit
import Testing

@Suite struct FocusTests {
  private static let bad = "do { try save() } catch {}\n"

  @Test func `only files that matter are told of`() async {
    let sources = ["a.swift", "b.swift", "c.swift"].map { AuditSource(path: $0, text: Self.bad) }
    let report = await Audit().run(sources, focus: ["b.swift", "none.swift"])
    #expect(report.findings.map(\.path) == ["b.swift"])
    #expect(report.files == 1)
    #expect(await Audit().run(sources, focus: []).files == 0)
  }

  @Test func `what is no text is a problem, and the rest is looked at`() async {
    let sources = [
      AuditSource(path: "a.swift", text: Self.bad),
      AuditSource(path: "binary.swift", bytes: [0x7F, 0x45, 0x00, 0x01]),
      AuditSource(path: "latin.swift", bytes: Array("let a = 1\n// caf".utf8) + [0xE9, 0x0A]),
      AuditSource(path: "large.swift", bytes: [UInt8](repeating: 0x20, count: 5 << 20)),
    ]
    let report = await Audit().run(sources, jobs: 2)
    #expect(report.findings.map(\.path) == ["a.swift"])
    #expect(
      report.problems.map { "\($0.path): \($0.reason)" } == [
        "binary.swift: it is no text",
        "large.swift: it has 5 MB; the most is 4 MB",
        "latin.swift: it is no UTF-8 from line 2 on",
      ])
  }

  @Test func `the place within its project tells what a file is`() async {
    let test = AuditSource(
      path: "/elsewhere/x.swift", bytes: Array(Self.bad.utf8), place: "Tests/x.swift")
    #expect(await Audit().run([test]).findings.isEmpty)
  }
}
