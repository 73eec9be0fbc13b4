// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import TestSupport
import Testing

/// The disk that the other tests trust: what is synced stays, what is not may go, and a connection
/// from before a cut never reaches what came after it.
@Suite(.requirement("A54")) struct FaultyDiskTests {
  private func open(_ disk: FaultyDisk, synchronous: String = "FULL") throws -> DatabaseQueue {
    var configuration = Configuration.patient
    configuration.prepareDatabase { db in
      _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
      try db.execute(sql: "PRAGMA synchronous = \(synchronous)")
    }
    return try DatabaseQueue(
      path: disk.database.path(percentEncoded: false), configuration: configuration)
  }

  private func rows(_ disk: FaultyDisk) throws -> [Int] {
    let queue = try open(disk)
    defer { try? queue.close() }
    return try queue.read { db in
      guard try db.tableExists("t") else { return [] }
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
      return try Int.fetchAll(db, sql: "SELECT a FROM t ORDER BY a")
    }
  }

  /// Writes ten rows, a transaction each, and cuts the power.
  private func rowsAfterCut(
    seed: UInt64, synchronous: String, isLying: Bool = false
  ) throws -> [Int] {
    let disk = try FaultyDisk()
    let queue = try open(disk, synchronous: synchronous)
    disk.setLying(isLying)
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY)")
      for number in 0..<10 { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number]) }
    }
    disk.cut(at: 0)
    #expect(throws: DatabaseError.self) {
      try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (99)") }
    }
    try? queue.close()
    try disk.restart(seed: seed)
    return try rows(disk)
  }

  @Test func `what is synced survives every cut`() throws {
    for seed in 0..<40 as Range<UInt64> {
      let rows = try rowsAfterCut(seed: seed, synchronous: "FULL")
      #expect(rows == Array(0..<10), "seed \(seed)")
    }
  }

  @Test(arguments: [("NORMAL", false), ("FULL", true)])
  func `what is not synced may be lost, and only the newest`(
    synchronous: String, isLying: Bool
  ) throws {
    var counts: Set<Int> = []
    for seed in 0..<40 as Range<UInt64> {
      let rows = try rowsAfterCut(seed: seed, synchronous: synchronous, isLying: isLying)
      #expect(rows == Array(0..<rows.count), "seed \(seed)")
      counts.insert(rows.count)
    }
    #expect(counts.contains(0) && counts.contains(10) && counts.count > 3, "\(counts)")
  }

  @Test func `a connection from before a cut gets nothing but errors`() throws {
    let disk = try FaultyDisk()
    let old = try open(disk)
    try old.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE t (a INTEGER)") }
    try disk.restart(seed: 1)
    let new = try open(disk)
    try new.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    for _ in 0..<2 {
      #expect(throws: DatabaseError.self) {
        try old.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
      }
    }
    try? old.close()
    try new.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
    try new.close()
    #expect(try rows(disk) == [1, 3])
  }

  @Test(arguments: FaultyDisk.Call.allCases)
  func `the call that was named fails, once or from then on`(call: FaultyDisk.Call) throws {
    let disk = try FaultyDisk()
    try open(disk).close()
    let usual = disk.count(call)
    // That the log cannot be deleted is no error; that the journal cannot is one.
    disk.fail(call, at: call == .delete ? 2 : 1)
    #expect(throws: DatabaseError.self) { try use(disk) }
    #expect(disk.count(call) > usual)
    try use(disk)
    disk.fail(call, at: 1, forever: true)
    for _ in 0..<2 { #expect(throws: DatabaseError.self) { try use(disk) } }
    disk.heal()
    try use(disk)
  }

  /// Makes calls of each kind.
  private func use(_ disk: FaultyDisk) throws {
    let queue = try DatabaseQueue(patientAt: disk.database)
    defer { try? queue.close() }
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (a INTEGER)")
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      _ = try db.checkpoint(.truncate)
      // Its journal is deleted.
      try db.execute(sql: "PRAGMA journal_mode = DELETE; INSERT INTO t VALUES (2)")
      try db.execute(sql: "PRAGMA journal_mode = WAL; INSERT INTO t VALUES (3)")
    }
  }

  @Test func `a disk that can only be read is read`() throws {
    let disk = try FaultyDisk()
    let queue = try open(disk)
    try queue.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE t (a INTEGER)") }
    disk.setReadOnly(true)
    #expect(throws: DatabaseError.self) {
      try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 0)
    #expect(throws: DatabaseError.self) {
      try DatabaseQueue(patientAt: disk.url.appending(path: "new"))
    }
    disk.setReadOnly(false)
    try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    try queue.close()
  }

  @Test func `a file elsewhere is none of its business`() throws {
    let disk = try FaultyDisk()
    disk.cut(at: 0)
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(patientAt: folder.database)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER)") }
    try queue.close()
    #expect(disk.changes == 0)
  }
}
