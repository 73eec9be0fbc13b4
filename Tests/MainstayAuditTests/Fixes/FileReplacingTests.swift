// SPDX-License-Identifier: Apache-2.0

import AuditCommands
import Foundation
import Testing

@Suite struct FileReplacingTests {
  @Test func `a file that changed meanwhile is left as it is`() throws {
    let folder = try Folder()
    try folder.write("a.swift", "theirs")
    let failure = FileReplacing.failure(
      replacing: Array("old".utf8), by: Array("new".utf8), at: folder.file("a.swift"))
    #expect(failure == "it changed meanwhile, so it is left as it is")
    #expect(try folder.text("a.swift") == "theirs")
  }

  @Test func `a link stays one, and permissions stay`() throws {
    let folder = try Folder()
    try folder.write("deep/a.swift", "old")
    try folder.link("link.swift", to: "deep/a.swift")
    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o755]
    try FileManager.default.setAttributes(attributes, ofItemAtPath: folder.file("deep/a.swift"))
    let failure = FileReplacing.failure(
      replacing: Array("old".utf8), by: Array("new".utf8), at: folder.file("link.swift"))
    #expect(failure == nil)
    #expect(try folder.text("deep/a.swift") == "new")
    let link = try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link.swift"))
    #expect(link == "deep/a.swift")
    let found = try FileManager.default.attributesOfItem(atPath: folder.file("deep/a.swift"))
    #expect(found[.posixPermissions] as? Int == 0o755)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("deep")).count == 1)
  }

  @Test func `all names of a file stay names of it`() throws {
    let folder = try Folder()
    try folder.write("a.swift", "older")
    try FileManager.default.linkItem(
      atPath: folder.file("a.swift"), toPath: folder.file("b.swift"))
    let failure = FileReplacing.failure(
      replacing: Array("older".utf8), by: Array("new".utf8), at: folder.file("b.swift"))
    #expect(failure == nil)
    #expect(try folder.text("a.swift") == "new")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
  }

  @Test func `a file stays its owner's, whoever mends it`() throws {
    let folder = try Folder()
    try folder.write("a.swift", "old")
    // Only the administrator can give a file away.
    let (owner, group) = geteuid() == 0 ? (12_345, 23_456) : (geteuid(), getegid())
    try #require(chown(folder.file("a.swift"), owner, group) == 0)
    let failure = FileReplacing.failure(
      replacing: Array("old".utf8), by: Array("new".utf8), at: folder.file("a.swift"))
    #expect(failure == nil)
    let found = try FileManager.default.attributesOfItem(atPath: folder.file("a.swift"))
    #expect((found[.ownerAccountID] as? NSNumber)?.uint32Value == owner)
    #expect((found[.groupOwnerAccountID] as? NSNumber)?.uint32Value == group)
  }

  @Test func `a file that is gone stays gone`() throws {
    let folder = try Folder()
    let failure = FileReplacing.failure(replacing: [1], by: [2], at: folder.file("a.swift"))
    #expect(failure == "it cannot be written: no such file or directory")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }
}
