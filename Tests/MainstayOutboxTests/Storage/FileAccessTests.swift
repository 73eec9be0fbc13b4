// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// Several users work with one file, and a tool of root's does.
@Suite struct FileAccessTests {
  private let folder: TemporaryFolder
  private var path: String { folder.database.path(percentEncoded: false) }

  init() throws { folder = try TemporaryFolder() }

  private func attributes(_ path: String) throws -> [FileAttributeKey: Any] {
    try FileManager.default.attributesOfItem(atPath: path)
  }

  private func mode(_ path: String) throws -> Int? {
    try attributes(path)[.posixPermissions] as? Int
  }

  private func set(_ attributes: [FileAttributeKey: Any], _ path: String) throws {
    try FileManager.default.setAttributes(attributes, ofItemAtPath: path)
  }

  private func locks() throws -> [String] {
    let folder = folder.url.path(percentEncoded: false)
    return try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasPrefix("outbox.sqlite-owner-") }.map { folder + "/" + $0 }
  }

  @Test func `who may use the database sees whether an owner lives`() async throws {
    let first = SQLiteStore(at: folder.database)
    _ = try await first.open()
    await first.close()
    try set([.posixPermissions: 0o640], path)
    let second = SQLiteStore(at: folder.database)
    _ = try await second.open()
    let lock = try #require(try locks().first)
    #expect(try mode(lock) == 0o640)
    await second.close()
  }

  @Test func `what an owner of an earlier boot had is taken back, though nobody may open its lock`()
    async throws
  {
    let dead = SQLiteStore(at: folder.database)
    _ = try await dead.open()
    _ = try await dead.insert(.note("a"))
    #expect(try await dead.claim().count == 1)
    dead.abandon()
    let lock = try #require(try locks().first)
    try set([.posixPermissions: 0], lock)
    let queue = try DatabaseQueue(patientAt: folder.database)
    try await queue.write { try $0.execute(sql: "UPDATE mainstay_owner SET boot = 'earlier'") }
    try queue.close()
    let store = SQLiteStore(at: folder.database)
    #expect(try await store.open().recovered == 1)
    #expect(try locks().count == 1, "its own is left")
    await store.close()
  }

  @Test(arguments: [0o600, 0o640, 0o664])
  func `a file that was mended is for those for whom the damaged one was`(mode: Int) async throws {
    try Data(repeating: 0x41, count: 10_000).write(to: folder.database)
    try set([.posixPermissions: mode], path)
    let (owner, group) = geteuid() == 0 ? (12_345, 23_456) : (geteuid(), getegid())
    // Only the administrator can give a file away.
    try #require(chown(path, owner, group) == 0)
    let store = SQLiteStore(at: folder.database)
    #expect(try await store.open().salvage != nil)
    let after = try attributes(path)
    #expect(after[.posixPermissions] as? Int == mode)
    #expect((after[.ownerAccountID] as? NSNumber)?.uint32Value == owner)
    #expect((after[.groupOwnerAccountID] as? NSNumber)?.uint32Value == group)
    await store.close()
  }

  @Test func `a lock that nobody holds and no owner has goes at the next opening`() async throws {
    let living = SQLiteStore(at: folder.database)
    _ = try await living.open()
    let own = try #require(try locks().first)
    let stray = [path + "-owner-old", path + "-owner-new"]
    for lock in stray { #expect(FileManager.default.createFile(atPath: lock, contents: nil)) }
    try set([.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], stray[0])
    let other = SQLiteStore(at: folder.database)
    _ = try await other.open()
    let left = try locks()
    #expect(left.count == 3 && !left.contains { $0.hasSuffix("-owner-old") }, "\(left)")
    #expect(left.contains(own))
    #expect(left.contains { $0.hasSuffix("-owner-new") }, "it may be about to be locked")
    await other.close()
    await living.close()
  }
}
