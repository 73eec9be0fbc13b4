// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

private enum Old: Error { case first, second(Int) }

private func file() -> String {
  FileManager.default.temporaryDirectory.appending(path: "groups-\(UUID().uuidString).txt").path
}

private func coded(_ code: ErrorCode) -> AppError {
  AppError(
    code: code, kind: .denied, disposition: .permanent, title: "Denied", message: "It was denied.")
}

private func explained(_ names: [String: String]) -> ErrorGroups {
  ErrorGroups(names.map { ($0.key, coded("a") as any Error) }.sorted { $0.0 < $1.0 }) { _ in
    Fingerprint.explain(coded("a"))
  }.renamed(names)
}

extension ErrorGroups {
  /// The same names in groups that are named by keys.
  fileprivate func renamed(_ keys: [String: String]) -> ErrorGroups {
    ErrorGroups(entries.map { ($0.name, coded("a") as any Error) }, keys: keys)
  }

  private init(_ errors: [(String, any Error)], keys: [String: String]) {
    var keysInOrder = errors.compactMap { keys[$0.0] }[...]
    self.init(errors) { Fingerprint.explain($0, key: keysInOrder.popFirst()) }
  }
}

@Suite(.requirement("B41")) struct ErrorGroupsTests {
  private let groups = ErrorGroups([
    "old.first": Old.first, "denied": coded("shop.denied"), "old.second": Old.second(4),
  ])

  @Test func `code, tier and group of every error are listed`() {
    #expect(groups.entries.map(\.name) == ["denied", "old.first", "old.second"])
    #expect(groups.entries.map(\.code) == ["shop.denied", "-", "-"])
    #expect(groups.entries.map(\.tier) == ["code", "type", "type"])
    #expect(groups.entries[0].fingerprint == Fingerprint(of: coded("shop.denied")).description)
    #expect(groups.entries[1].components.hasSuffix("case=first"))
  }

  @Test func `what was written is read again`() throws {
    #expect(try ErrorGroups(text: groups.text) == groups)
    let odd = ErrorGroups(["a\tb\n#c": coded("x"), "": coded("y"), "a b  c": coded("x")])
    #expect(try ErrorGroups(text: odd.text) == odd)
    #expect(Set(odd.entries.map(\.name)).count == 3)
  }

  @Test func `line ends of two bytes end lines, too`() throws {
    #expect(try ErrorGroups(text: groups.text.replacing("\n", with: "\r\n")) == groups)
    let error = try #require(throws: ErrorGroups.Unreadable.self) {
      try ErrorGroups(text: "# x\r\n\r\nx\r\n")
    }
    #expect(error.line == 3)
  }

  @Test func `a file that says the same passes, and the environment's wish rewrites it`() throws {
    let path = file()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try groups.check(against: path, rewriting: true)
    try groups.check(against: path, rewriting: false)
  }

  @Test func `a change that moves a group is told with what changed`() throws {
    let path = file()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try groups.check(against: path, rewriting: true)
    let after = ErrorGroups([
      "denied": coded("shop.refused"), "old.first": Old.first, "new": coded("new"),
    ])
    let moved = try #require(throws: ErrorGroups.Moved.self) {
      try after.check(against: path, rewriting: false)
    }
    let text = moved.description
    #expect(text.contains("! denied has moved"))
    #expect(text.contains("code=shop.denied") && text.contains("code=shop.refused"))
    #expect(text.contains("+ new: 1-") && text.contains("- old.second: 1-"))
    #expect(!text.contains("old.first"))
    #expect(text.contains("MAINSTAY_REWRITE_GROUPS=1"))
  }

  @Test func `a file that is missing lists nothing`() {
    #expect(throws: ErrorGroups.Moved.self) {
      try groups.check(against: file(), rewriting: false)
    }
  }

  @Test(arguments: ["x", "a\tb\tc\t1-zz\te", "a\tb\tc\td"])
  func `a line that is none is named`(_ line: String) throws {
    let error = try #require(throws: ErrorGroups.Unreadable.self) {
      try ErrorGroups(text: "# x\n\n" + line)
    }
    #expect(error.line == 3)
    #expect(error.description.contains(line))
  }

  @Test func `a migration says what is split and merged before it happens`() {
    let old = explained(["a": "1", "b": "1", "c": "2", "d": "3", "e": "4"])
    let new = explained(["a": "1", "b": "5", "c": "6", "d": "6", "e": "7"])
    let migration = old.migration(to: new)
    #expect(migration.splits.map { $0.parts.values.flatMap(\.self).sorted() } == [["a", "b"]])
    #expect(migration.merges.map { $0.parts.values.flatMap(\.self).sorted() } == [["c", "d"]])
    #expect(migration.renamed == 1)
    #expect(!migration.isHarmless)
    #expect(migration.description.contains("split 1-") && migration.description.contains("(a)"))
    #expect(old.migration(to: old).isHarmless)
  }
}
