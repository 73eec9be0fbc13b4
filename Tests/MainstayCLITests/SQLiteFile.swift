// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import TestSupport

/// The file of a database, changed behind its owner's back.
enum SQLiteFile {
  /// Opens it, and waits for its lock for as long as it takes: who writes may hold it for seconds.
  static func open(_ url: URL) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(Duration.patience / .seconds(1))
    return try DatabaseQueue(path: url.path(percentEncoded: false), configuration: configuration)
  }

  static func execute(_ sql: String, in url: URL) async throws {
    let queue = try open(url)
    try await queue.writeWithoutTransaction { db in try db.execute(sql: sql) }
    try queue.close()
  }
}
