// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// The power goes at every call to the disk while a file of an older build is brought up to date.
@Suite(.requirement("O20", "A54"), .ends(withinMinutes: 10)) struct OlderFormatCutTests {
  private static let stride = RandomDose.isTorture ? 1 : 4
  /// How many lots are drawn for each call.
  private static let lots: UInt64 = RandomDose.isTorture ? 8 : 1

  @Test(arguments: OlderFile.allCases)
  func `afterwards it is as it was or as it should be, and nothing is lost`(
    format: OlderFile
  ) async throws {
    let folder = try TemporaryFolder()
    try format.write(to: folder.database)
    let file = try Data(contentsOf: folder.database)
    let before = try Self.dump(folder.database)
    var (older, newer) = (0, 0)
    var nth = 1
    var isOver = false
    while !isOver {
      for lot in 0..<Self.lots {
        let disk = try FaultyDisk()
        disk.put(besideAs: "-reserve")
        try file.write(to: disk.database)
        disk.cut(at: nth)
        isOver = await Self.open(disk) == nil
        try disk.restart(seed: UInt64(nth) << 8 + lot)
        let left = try Self.dump(copyOf: disk)
        if left == before { older += 1 } else { newer += 1 }
        let violations = try await Self.check(disk, format, isOlder: left == before)
        #expect(violations == [], "\(format), cut at \(nth), lot \(lot)")
      }
      nth += Self.stride
    }
    #expect(older > 0 && newer > 0, "\(older) as before, \(newer) as after")
  }

  /// - Returns: What opening it threw.
  private static func open(_ disk: FaultyDisk) async -> (any Error)? {
    let store = SQLiteStore(
      at: disk.database, now: { Date(timeIntervalSince1970: 1_795_351_956) })
    do { _ = try await store.open() } catch { return error }
    disk.cut(at: 0)
    store.abandon()
    return nil
  }

  private static func check(
    _ disk: FaultyDisk, _ format: OlderFile, isOlder: Bool
  ) async throws -> [String] {
    var found: [String] = []
    let tables = try await tables(copyOf: disk)
    let isMixed = tables.contains("mainstay_op") == tables.contains("op")
    if isMixed || isOlder != tables.contains("op") { found.append("it has \(tables.sorted())") }
    let store = SQLiteStore(
      at: disk.database, now: { Date(timeIntervalSince1970: 1_795_351_956) })
    let report = try await store.open()
    if let salvage = report.salvage { found.append("it was taken for damaged: \(salvage)") }
    found += try await store.findings()
    let operations = try await store.operations(after: nil, limit: 99)
    let expected = ["3", "4", "5", "6", "7", "8", "9"]
    let texts = operations.map { String(decoding: $0.payload, as: UTF8.self) }
    if texts != expected.map({ "{\"text\":\"\($0)\"}" }) { found.append("there are \(texts)") }
    let lost = operations.first { $0.idempotencyKey.rawValue == "key-4" }
    if lost?.lostRuns != 1 || lost?.effect != .sentUnknown { found.append("its lost run is lost") }
    if try await store.conflicts().count != 1 { found.append("its conflict is lost") }
    if try await store.deadLetters(after: nil, limit: 9).count != 1 {
      found.append("its dead letter is lost")
    }
    await store.close()
    return found
  }

  /// What a copy of the file holds: opening the file itself would change it.
  private static func dump(copyOf disk: FaultyDisk) throws -> [String] {
    try withCopy(of: disk, dump)
  }

  private static func tables(copyOf disk: FaultyDisk) async throws -> Set<String> {
    try withCopy(of: disk) { url in
      try rows(url) { try String.fetchSet($0, sql: "SELECT name FROM sqlite_schema") }
    }
  }

  private static func withCopy<T>(of disk: FaultyDisk, _ body: (URL) throws -> T) throws -> T {
    let copy = try TemporaryFolder()
    for suffix in ["", "-wal", "-journal"] where disk.companions.contains(suffix) {
      let name = disk.database.lastPathComponent + suffix
      try FileManager.default.copyItem(
        at: disk.url.appending(path: name), to: copy.url.appending(path: name))
    }
    return try body(copy.database)
  }

  private static func rows<T>(_ url: URL, _ body: (Database) throws -> T) throws -> T {
    let queue = try DatabaseQueue(patientAt: url)
    defer { try? queue.close() }
    return try queue.read(body)
  }

  /// All rows of all tables.
  private static func dump(_ url: URL) throws -> [String] {
    try rows(url) { db in
      let tables = try String.fetchAll(
        db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      return try tables.flatMap { table in
        try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1").map {
          "\(table): \($0.debugDescription)"
        }
      }
    }
  }
}

/// A file as an older build left it.
enum OlderFile: String, CaseIterable {
  case formatOne, formatTwo

  func write(to url: URL) throws {
    switch self {
    case .formatOne: try FormatOneFile.write(to: url)
    case .formatTwo: try FormatTwoFile.write(to: url)
    }
  }
}
