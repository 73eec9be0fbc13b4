// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// The file of a database, changed behind its owner's back.
enum SQLiteFile {
  static func execute(_ sql: String, in url: URL) async throws {
    let queue = try DatabaseQueue(path: url.path(percentEncoded: false))
    try await queue.writeWithoutTransaction { db in try db.execute(sql: sql) }
    try queue.close()
  }
}
