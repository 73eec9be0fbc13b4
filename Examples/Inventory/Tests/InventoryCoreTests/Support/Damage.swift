// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import InventoryCore
import TestSupport

// Files of the app, as a failing disk leaves them.
extension World {
  func items(_ suffix: String = "") -> URL { folder.appending(path: "items.sqlite\(suffix)") }

  var outbox: URL { folder.appending(path: "outbox.sqlite") }

  /// The damaged files of items that were kept, and their companions.
  var kept: [URL] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasPrefix("items.sqlite.damaged-") }.sorted()
        .map { folder.appending(path: $0) }
    }
  }

  /// The file of the items, whose lock is waited for as long as it takes: who writes may hold it
  /// for seconds.
  func database(checksKeys: Bool = true) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(Duration.patience / .seconds(1))
    configuration.foreignKeysEnabled = checksKeys
    return try DatabaseQueue(path: items().path, configuration: configuration)
  }

  func write(_ bytes: Data) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try bytes.write(to: items())
  }

  /// Makes items that the service has too, and leaves the app.
  @discardableResult
  func filled(_ count: Int) async throws -> [UUID] {
    let inventory = try await open { $0.maximumConcurrency = 32 }
    var ids: [UUID] = []
    for number in 0..<count {
      let draft = try ItemDraft(
        title: "Item \(number)", notes: String(repeating: "x", count: 300), quantity: 3)
      ids.append(try await inventory.add(draft).item.id)
    }
    try await inventory.drained()
    await inventory.shutDown()
    return ids
  }

  /// Overwrites the pages in the middle of a table.
  func damage(_ table: String = "item") throws {
    try overwrite { try $0.leaves(of: table).dropFirst().dropLast() }
  }

  /// Loses rows of the items' file; an index is damaged too, so that the file is seen to be.
  func lose(_ statements: [String]) throws {
    let queue = try database(checksKeys: false)
    try queue.write { db in for sql in statements { try db.execute(sql: sql) } }
    try queue.close()
    try overwrite { try $0.leaves(of: "sqlite_autoindex_item_1") }
  }

  /// Loses the outbox as a whole.
  func loseOutbox() throws {
    for suffix in ["-wal", "-shm", ""] {
      try? FileManager.default.removeItem(atPath: outbox.path + suffix)
    }
  }

  private func overwrite(_ choose: (Database) throws -> some Sequence<Int>) throws {
    let queue = try database()
    let (size, pages) = try queue.read { db in
      (try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0, Array(try choose(db)))
    }
    try queue.close()
    var data = try Data(contentsOf: items())
    for page in pages {
      let start = (page - 1) * size
      data.replaceSubrange(start..<(start + size), with: [UInt8](repeating: 0xee, count: size))
    }
    try data.write(to: items())
  }
}

extension Database {
  /// The pages that hold the rows of a table or an index, in their order.
  fileprivate func leaves(of name: String) throws -> [Int] {
    try Int.fetchAll(
      self, sql: "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path",
      arguments: [name])
  }
}
