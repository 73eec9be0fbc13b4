// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands
import Foundation
import MainstayOutbox

#if Postgres
  import MainstayOutboxPostgres
#endif

/// Where the outbox of a command lies: in a file or in a database.
struct OutboxPlace {
  private let place: OutboxFile

  init(_ place: OutboxFile) {
    self.place = place
  }

  /// Whether the place is written as the address of a PostgreSQL database, in either of the forms
  /// that libpq takes: `./` before a file whose name begins like one makes it a file.
  private var isDatabase: Bool {
    let text = place.file.lowercased()
    return ["postgres://", "postgresql://"].contains { text.hasPrefix($0) }
      || text.split(whereSeparator: \.isWhitespace).contains { word in
        ["host=", "hostaddr=", "dbname="].contains { word.hasPrefix($0) }
      }
  }

  /// A store that is not open yet.
  ///
  /// - Parameter isChanged: Whether it is opened as an app does.
  /// - Returns: The store.
  /// - Throws: ``CommandFailure`` where the URL is none, or this build cannot open databases.
  func store(isChanged: Bool = false) throws -> any InspectableStore {
    guard isDatabase else {
      let url = URL(filePath: place.file)
      return isChanged ? try SQLiteStore.ofWhoever(at: url) : SQLiteStore(at: url)
    }
    #if Postgres
      // Older tables are left to the app that uses them.
      return PostgresStore(
        at: try address(), schema: place.schema, migrating: false, pooled: place.pooled)
    #else
      throw CommandFailure(
        status: .couldNotRun,
        message: "This build opens files alone: `swift build --traits CLI,Postgres` makes one for "
          + "databases.")
    #endif
  }

  /// How the place is shown: a file as it was typed, and a database without its password.
  ///
  /// - Throws: ``CommandFailure`` where the URL is none.
  func shown() throws -> String {
    #if Postgres
      if isDatabase { return try address().description }
    #endif
    return place.file
  }

  #if Postgres
    private func address() throws -> PostgresAddress {
      do throws(OutboxError) {
        return try PostgresAddress(place.file)
      } catch {
        throw CommandFailure(status: .wrongOptions, message: error.details)
      }
    }
  #endif
}
