// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// Fixes after which a file does not parse, among others.
@Suite struct SoundFixesTests {
  private static let code = "let a = 1\nlet b = 2\nlet c = 3\nlet d = 4\nlet e = 5\n"

  @Test(arguments: [[1], [3], [1, 4], [0, 1, 2, 3, 4], []])
  func `a broken fix keeps no other one from being made`(places: [Int]) async throws {
    let findings = (0..<5).map { line in
      finding(line, Edit(line * 10 + 8..<line * 10 + 9, places.contains(line) ? "(" : "9"))
    }
    let sound = await sound(findings)
    #expect(sound.broken.map { $0.line - 1 } == places)
    #expect(sound.run.fixed.map { $0.line - 1 } == (0..<5).filter { !places.contains($0) })
    let expected = (0..<5).map { line in
      let name = Array("abcde")[line]
      return "let \(name) = \(places.contains(line) ? line + 1 : 9)\n"
    }
    #expect(String(decoding: sound.run.bytes, as: UTF8.self) == expected.joined())
  }

  @Test func `a broken fix does not hide one in the same place`() async throws {
    let findings = [finding(0, Edit(4..<9, "(")), finding(0, Edit(8..<9, "9"))]
    let sound = await sound(findings)
    #expect(sound.broken == [findings[0]])
    #expect(sound.run.fixed == [findings[1]])
    #expect(String(decoding: sound.run.bytes, as: UTF8.self).hasPrefix("let a = 9\n"))
  }

  @Test func `a page may hold what did not parse before`() async throws {
    let page = "```swift\nlet = 1\n```\n\n```swift\nlet a = 1\n```\n"
    let places = page.utf8.indices.filter { page.utf8[$0] == UInt8(ascii: "1") }
      .map { page.utf8.distance(from: page.utf8.startIndex, to: $0) }
    let last = try #require(places.last)
    for (text, isSound) in [("9", true), ("(", false)] {
      let findings = [finding(5, Edit(last..<last + 1, text), path: "a.md")]
      let sound = await SoundFixes(
        findings, in: Array(page.utf8), path: "a.md", troubles: 1, unsafe: false)
      #expect(sound.broken.isEmpty == isSound)
      #expect(sound.run.fixed.isEmpty != isSound)
    }
  }

  private func sound(_ findings: [Finding]) async -> SoundFixes {
    await SoundFixes(
      findings, in: Array(Self.code.utf8), path: "a.swift", troubles: 0, unsafe: false)
  }

  private func finding(_ line: Int, _ edit: Edit, path: String = "a.swift") -> Finding {
    Finding(
      rule: "MS999", name: "made-up", severity: .warning, path: path, line: line + 1, column: 1,
      message: "m\(edit.replacement)", why: "w", endColumn: 2, source: "",
      anchor: Finding.Anchor(declaration: "", statement: 1), fix: .safe("mend", edit))
  }
}
