// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import GRDB
internal import Mainstay

/// For tools that look at a file while an app may use it.
extension SQLiteStore {
  /// Opens the file to be looked at only: nothing is changed, taken back or brought up to date.
  ///
  /// - Throws: ``OutboxError`` `unavailable` where there is no file or it cannot be read. It is
  ///   `newerFormat` where this build cannot read it, `corrupted` where it is no database, and
  ///   `failed` where an app has to bring it up to date first.
  package func openToLook() async throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw OutboxError(.unavailable, details: "\(path) is not there")
    }
    // To be asked before anything is opened: a pipe without a writer would hold the look up.
    let resolved = url.resolvingSymlinksInPath().path(percentEncoded: false)
    let type = try? FileManager.default.attributesOfItem(atPath: resolved)[.type]
    guard !isFolder.boolValue, type as? FileAttributeType == .typeRegular else {
      let kind = isFolder.boolValue ? "is a folder" : "is no file"
      throw OutboxError(.unavailable, details: "\(path) \(kind)")
    }
    guard !DamagedFile.isForeign(url) else {
      throw OutboxError(.corrupted, details: "\(path) is no database")
    }
    var configuration = Configuration()
    configuration.label = "Mainstay.Outbox.Look"
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    do {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try await Self.onWriter(of: queue) { [path] db in try Self.checkToLook(path, db) }
      let connection = Connection(queue: queue, owner: 0, lock: nil)
      state.withLock { $0.connection = connection }
    } catch {
      throw OutboxError(error, path: path)
    }
  }

  private static func checkToLook(_ path: String, _ db: Database) throws {
    guard try Schema.isPresent(db) || OlderSchema.isPresent(db) else {
      throw OutboxError(.corrupted, details: "\(path) is no outbox")
    }
    let format = try Schema.format(db)
    guard format.minimumReader <= Schema.format else {
      throw newerFormat(path, needs: format.minimumReader, to: "read")
    }
    guard try Schema.isPresent(db), try Schema.hasColumns(db) else {
      throw OutboxError(
        .failed,
        details: "\(path) has an older format; an app of this version brings it up to date")
    }
  }

  /// The lanes that are closed, by name.
  package func closedLanes() async throws -> [(lane: Lane, cause: String, until: Date?)] {
    try await read { [now] db in
      try Self.closures(db, at: now().milliseconds).map {
        (Lane(rawValue: $0.lane), $0.cause, $0.until.map(Date.init(milliseconds:)))
      }
    }
  }

  /// Looks at every page and every index of the file.
  ///
  /// - Parameter progress: Told now and then how many rows have been looked at, and of how many;
  ///   none before all pages have been.
  /// - Returns: What is wrong, a sentence each; empty where all is well.
  /// - Throws: ``OutboxError`` where nothing can be looked at.
  package func findings(
    _ progress: @escaping @Sendable (_ rows: Int, _ total: Int) -> Void
  ) async throws -> [String] {
    try await readAtOnce(within: nil) { db in
      // mainstay:ignore MS204 -- a bar without an end, for a file that is looked at for damage
      progress(0, (try? Arrival.load(db).pending) ?? 0)
      var findings = try String.fetchAll(db, sql: "PRAGMA integrity_check(20)")
        .filter { $0 != "ok" }
      guard findings.isEmpty else { return findings }
      let foreign = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check")
      findings += foreign.prefix(20).map { row in
        "A row of \(row.legal("table", or: "a table")) belongs to one that is not there."
      }
      let ledger = try Self.ledger(db)
      if !ledger.isBalanced {
        let gone = ledger.receipts.reduce(0) { $0 &+ $1.count }
        findings.append(
          """
          The ledger does not balance: \(ledger.enqueued) were accepted, \(ledger.pending) are \
          pending, \(ledger.dead) are dead letters, and receipts count \(gone).
          """)
      }
      findings += try Self.wrongCounters(ledger, db)
      let total = ledger.pending + ledger.dead
      var rows = 0
      func look(_ sql: String, _ words: String, _ isLegal: (Row) -> Bool) throws {
        let all = try Row.fetchCursor(db, sql: sql)
        while let row = try all.next() {
          rows += 1
          if rows.isMultiple(of: 500) { progress(rows, total) }
          guard !isLegal(row) else { continue }
          findings.append("Row \(Int64.fromDatabaseValue(row["id"]) ?? 0) is \(words)")
        }
      }
      try look("SELECT \(OperationRow.op) FROM mainstay_op", "no operation.") {
        (try? OperationRow.operation($0)) != nil
      }
      let words = """
        no dead letter, and can neither be redriven nor discarded: keep a copy of the file, and \
        open it with the build of the app that wrote the row.
        """
      let columns = OperationRow.common + ", reason, since, holds_key"
      try look("SELECT \(columns) FROM mainstay_dead", words) {
        OperationRow.deadLetter($0) != nil
      }
      return findings
    }
  }

  /// What the counters say that the limits go by, where it is not so.
  private static func wrongCounters(
    _ ledger: OutboxLedger, _ db: Database
  ) throws -> [String] {
    let load = try Arrival.load(db)
    let bytes = try Int.fetchOne(db, sql: "SELECT sum(length(payload)) FROM mainstay_op") ?? 0
    // It counts when it is used: what was counted now may be something else by then.
    func cure(_ key: String, _ count: String) -> String {
      """
      While nothing uses the file, set it right: \
      UPDATE mainstay_meta SET value = (SELECT \(count) FROM mainstay_op) WHERE key = '\(key)'
      """
    }
    var found: [String] = []
    if load.pending != ledger.pending {
      found.append(
        """
        The counter says \(load.pending), and \(ledger.pending) are pending. \
        \(cure("pending", "count(*)"))
        """)
    }
    if load.bytes != bytes {
      found.append(
        """
        The counter says \(load.bytes) bytes, and the payloads that wait have \(bytes). \
        \(cure("bytes", "coalesce(sum(length(payload)), 0)"))
        """)
    }
    return found
  }

  /// What has changed in the file, and whether others have it open.
  package func changesOfOthers() async throws -> (
    activity: LogStateMachine.Activity, isShared: Bool
  ) {
    try await read { db in
      let version = try Int64.fetchOne(db, sql: "PRAGMA data_version") ?? 0
      let owners = try Int.fetchOne(
        db.cachedStatement(sql: "SELECT count(*) FROM (SELECT 1 FROM mainstay_owner LIMIT 2)"))
      let activity = LogStateMachine.Activity(own: db.totalChangesCount, others: version)
      return (activity, owners ?? 0 > 1)
    }
  }
}
