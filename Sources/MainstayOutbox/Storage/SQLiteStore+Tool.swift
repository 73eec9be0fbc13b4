// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import GRDB
internal import Mainstay

/// For tools, which are told of a file and not whose it is.
extension SQLiteStore {
  /// Uses a file of an outbox alone, or the tables of one among those of an app: that database is
  /// left as it is otherwise, and is never mended here.
  ///
  /// How many outcomes are kept is the app's business: nothing is forgotten.
  ///
  /// - Parameter url: The file, which is there.
  /// - Returns: A store that is not open yet.
  /// - Throws: ``OutboxError`` where the file of an app cannot be opened.
  package static func ofWhoever(at url: URL) throws -> SQLiteStore {
    let limits = StoreLimits(maximumOutcomes: .max)
    guard isSharedWithApp(url) else { return SQLiteStore(at: url, limits: limits) }
    var configuration = Configuration()
    configuration.label = "Mainstay.Outbox.Tool"
    configuration.busyMode = .timeout(5)
    do {
      let path = url.path(percentEncoded: false)
      return SQLiteStore(
        in: try DatabaseQueue(path: path, configuration: configuration), limits: limits)
    } catch {
      throw OutboxError(error, path: url.path(percentEncoded: false))
    }
  }

  private static func isSharedWithApp(_ url: URL) -> Bool {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    // What cannot be read says itself what is wrong, where it is opened.
    let isShared = try? DatabaseQueue(
      path: url.path(percentEncoded: false), configuration: configuration
    ).read(isSharedWithApp)
    return isShared ?? false
  }

  /// Whether tables of others stand in a file.
  static func isSharedWithApp(_ db: Database) throws -> Bool {
    guard try !OlderSchema.isPresent(db) else { return false }
    return try Bool.fetchOne(
      db,
      sql: """
        SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table'
          AND name NOT GLOB 'mainstay_*' AND name NOT GLOB 'sqlite_*'
          AND name <> 'grdb_migrations')
        """) ?? false
  }
}
