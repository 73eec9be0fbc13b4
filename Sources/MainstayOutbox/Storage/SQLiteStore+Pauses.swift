// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// Kinds of which nothing is leased.
extension SQLiteStore {
  /// Leases nothing of a kind until it is resumed.
  public func pause(_ kind: OperationKind) async throws {
    try await write(.full) { db, _ in
      try db.execute(
        sql: "INSERT OR IGNORE INTO mainstay_pause (kind) VALUES (?)", arguments: [kind.rawValue])
    }
  }

  /// Goes on with a kind that was paused.
  public func resume(_ kind: OperationKind) async throws {
    try await write(.full) { db, _ in
      try db.execute(
        sql: "DELETE FROM mainstay_pause WHERE kind = ?", arguments: [kind.rawValue])
    }
  }

  /// The kinds that are paused, by name.
  public func pausedKinds() async throws -> [OperationKind] {
    try await read { db in
      try Self.pausedIfKnown(db).sorted().map(OperationKind.init(rawValue:))
    }
  }

  static func paused(_ db: Database) throws -> Set<String> {
    try String.fetchSet(db.cachedStatement(sql: "SELECT kind FROM mainstay_pause"))
  }

  /// The same in a file that may only be looked at, and be of a time before there were any.
  static func pausedIfKnown(_ db: Database) throws -> Set<String> {
    try Schema.has("mainstay_pause", db) ? paused(db) : []
  }
}

extension ClaimRequest {
  /// The same for what is not of some kinds.
  ///
  /// What is paused is passed by as what others read: its runs cost one look each, and nothing of
  /// it is set aside, since this owner has said that it reads it.
  func without(_ kinds: Set<String>) -> ClaimRequest {
    guard !kinds.isEmpty else { return self }
    var request = ClaimRequest(
      limit: limit, types: types.filter { !kinds.contains($0.kind.rawValue) }, isAlone: isAlone,
      limits: limits, unmet: unmet, passesSuspects: passesSuspects)
    request.tried = tried
    return request
  }
}
