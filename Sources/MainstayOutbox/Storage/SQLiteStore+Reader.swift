// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import Mainstay

/// Reading beside the connection that writes.
extension SQLiteStore {
  /// Reads all that it reads as of one moment: others may write between two statements.
  ///
  /// It is for what looks at all that waits. In a file of its own, a connection that only reads
  /// does it, so nobody who writes waits for it. What was committed before is always seen.
  func readAtOnce<T: Sendable>(
    within limit: Duration? = CallWatch.longLimit,
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    let connection = try open
    // One that only looks has a connection of its own anyway, and an app has readers.
    guard host == nil, connection.lock != nil else {
      return try await read(within: limit) { db in try Self.atOnce(db) { try body(db) } }
    }
    guard let reader = try reader() else {
      return try await read(within: limit) { db in try Self.atOnce(db) { try body(db) } }
    }
    do {
      return try await Self.onWriter(of: reader) { [self] db in
        try watched(db, of: reader, within: limit, by: readerWatch) {
          let result = Result { try Self.atOnce(db) { try body(db) } }
          // Afterwards, as each look does.
          try refuseUnreadable(db)
          return try result.get()
        }
      }
    } catch {
      throw suspect(error)
    }
  }

  /// The connection that only reads, opened where nobody has asked for it yet.
  ///
  /// It is nil where there can be no second one, as on some damaged disks: the one that writes says
  /// what is wrong then.
  private func reader() throws -> DatabaseQueue? {
    if let reader = state.withLock({ $0.reader }) { return reader }
    var configuration = Configuration()
    configuration.label = "Mainstay.Outbox.Reader"
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    }
    // What is asked is asked of the other connection then.
    guard let reader = try? DatabaseQueue(path: path, configuration: configuration) else {
      return nil
    }
    let (kept, isClosed) = state.withLock { state in
      if state.reader == nil, !state.isClosed { state.reader = reader }
      return (state.reader, state.isClosed)
    }
    // Another call may have opened one at the same time.
    if kept !== reader { try reader.close() }
    guard let kept, !isClosed else {
      throw OutboxError(.shutDown, details: "\(path) was closed")
    }
    return kept
  }

  /// Waits until nothing is being read beside the connection that writes.
  func finishReading() async {
    guard let reader = state.withLock({ $0.reader }) else { return }
    await Self.finishReading(reader)
  }

  static func finishReading(_ reader: DatabaseQueue) async {
    // One that is closed reads nothing.
    try? await onWriter(of: reader) { _ in }
  }
}
