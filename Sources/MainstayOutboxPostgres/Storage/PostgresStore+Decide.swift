// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
public import MainstayOutbox

extension PostgresStore {
  /// Makes ready what is due, takes back what dead processes had leased, and tells when the next
  /// thing is due.
  public func promote(_ types: Set<PayloadType>) async throws -> Duration? {
    let types = Array(types)
    while true {
      let row = try await ask(
        """
        SELECT p.next, (SELECT min(alive_until) - mainstay.clock() + 1 FROM mainstay.owner AS w
          WHERE w.id <> $1 AND $5 IS NULL AND w.alive_until >= 0
            AND EXISTS (SELECT 1 FROM mainstay.op WHERE owner = w.id)), p.is_partial,
          r.given_up::text
        FROM \(Self.recovery) AS r
          CROSS JOIN LATERAL mainstay.promote($6::text[], $7::integer[], $4, $5::bigint) AS p
        """,
        try recoveryValues() + [
          .texts(types.map(\.kind.rawValue)), .ints(types.map { Int64($0.version) }),
        ])
      tellGivenUp(try row.text(3))
      // What nobody wants any more must not run, however much of it there is; and what was left
      // to a worker has its turn before all that is enqueued from now on.
      if try row.bool(2) { continue }
      // Somebody may be dead: what it has leased is taken back as soon as its lease is over.
      let times = [try row.int(ifAny: 0), try row.int(ifAny: 1).map { max($0, 1) }]
      return times.compactMap { $0 }.min().map { .milliseconds($0) }
    }
  }

  /// Takes back what dead owners had leased.
  func recover() async throws -> (recovered: Int, quarantined: Int) {
    let row = try await ask(
      "SELECT recovered, quarantined, given_up::text FROM \(Self.recovery)", try recoveryValues())
    tellGivenUp(try row.text(2))
    return (Int(try row.int(0)), Int(try row.int(1)))
  }

  /// Tells which operations were given up, by a list of their ids, kinds and reasons.
  private func tellGivenUp(_ list: String) {
    guard list != "[]" else { return }
    let rows = try? JSONDecoder().decode([[String]].self, from: Data(list.utf8))
    for row in rows ?? [] where row.count == 3 {
      guard let id = UUID(uuidString: row[0]).map(OperationID.init) else { continue }
      let reason = DeadLetter.Reason(rawValue: row[2])
      givenUp.continuation.yield(
        GivenUp(id: id, kind: OperationKind(rawValue: row[1]), reason: reason))
    }
  }

  private static let recovery = "mainstay.recover($1, $2::integer, $3::integer, $4, $5::bigint)"

  private func recoveryValues() throws -> [PostgresValue] {
    [
      .int(try owner), .int(Int64(OperationStateMachine.maximumLostRuns)),
      .int(Int64(OperationAttempt.maximumKept)), keepsOutcomes, time,
    ]
  }

  /// Makes an operation ready that waits for a time; false where none does.
  public func hasten(_ id: OperationID) async throws -> Bool {
    let found =
      try await call(
        """
        UPDATE mainstay.op SET state = 'ready', cause = NULL, run_at = NULL, start_at = NULL
        WHERE uuid = $1::uuid AND state IN ('scheduled', 'waiting') AND run_at IS NOT NULL
        RETURNING 1
        """, [.text(id.description)]
      ).count > 0
    if found { announce() }
    return found
  }

  /// Closes a lane, for all processes.
  public func close(_ lane: Lane, _ closure: LaneClosure) async throws {
    _ = try await call(
      "SELECT mainstay.close_lane($1, $2, $3::bigint, $4::bigint)",
      [
        .text(lane.rawValue), .text(closure.cause.rawValue),
        .int(closure.duration?.milliseconds), time,
      ])
  }

  /// Opens a lane, for all processes; with a cause, only where it was closed for that one.
  public func reopen(_ lane: Lane, closedFor cause: LaneClosure.Cause?) async throws {
    _ = try await call(
      """
      UPDATE mainstay.lane SET
        cause = CASE WHEN $2::text IS NULL OR cause = $2 THEN NULL ELSE cause END,
        until = CASE WHEN $2::text IS NULL OR cause = $2 THEN NULL ELSE until END,
        rest_until = CASE WHEN $2::text IS NULL OR $2 = 'throttled' THEN NULL ELSE rest_until END
      WHERE name = $1
      """, [.text(lane.rawValue), .text(cause?.rawValue)])
    announce()
  }

  /// The lanes that are closed for a cause.
  public func lanes(closedFor cause: LaneClosure.Cause) async throws -> [Lane] {
    try await closures().filter { $0.cause == cause.rawValue }.map(\.lane)
  }

  /// Leases nothing of a kind until it is resumed, for all processes.
  public func pause(_ kind: OperationKind) async throws {
    _ = try await call(
      "INSERT INTO mainstay.pause (kind) VALUES ($1) ON CONFLICT DO NOTHING",
      [.text(kind.rawValue)])
  }

  /// Goes on with a kind that was paused, for all processes.
  public func resume(_ kind: OperationKind) async throws {
    _ = try await call("DELETE FROM mainstay.pause WHERE kind = $1", [.text(kind.rawValue)])
    announce()
  }

  /// The kinds that are paused, by name.
  public func pausedKinds() async throws -> [OperationKind] {
    try await call("SELECT kind FROM mainstay.pause ORDER BY kind COLLATE \"C\"").map { row in
      OperationKind(rawValue: try row.text(0))
    }
  }

  /// Puts a dead letter back, with its key and its place in the order; false where there is none.
  public func redrive(_ id: OperationID) async throws -> Bool {
    try await decide(
      "SELECT mainstay.redrive($1::uuid, $2::bigint)", [.text(id.description), time])
  }

  /// Throws a dead letter away; false where there is none.
  public func discard(_ id: OperationID) async throws -> Bool {
    try await decide(
      "SELECT mainstay.discard($1::uuid, $2, $3::bigint)",
      [.text(id.description), keepsOutcomes, time])
  }

  /// Keeps what the other side was heard to have of the record that an operation changes.
  public func learn(
    _ id: OperationID, _ news: RecordNews, conflicts fields: [FieldConflict]
  ) async throws -> Bool {
    try await decide(
      "SELECT mainstay.learn($1::uuid, $2, $3, $4::integer, $5)",
      [
        .text(id.description), .bytes(news.latest), .text(news.idempotencyKey?.rawValue),
        .int(Int64(news.merges)), .text(try FieldConflict.text(of: fields)?.withoutZeros),
      ])
  }

  /// Ends a conflict; false where there is none.
  public func resolve(
    _ id: OperationID, with resolution: StoredResolution
  ) async throws -> Bool {
    var (payload, key, version): (Data?, IdempotencyKey?, Int?)
    if case .replaced(let data, let idempotencyKey, let form) = resolution {
      (payload, key, version) = (data, idempotencyKey, form)
    }
    return try await decide(
      "SELECT mainstay.resolve($1::uuid, $2, $3, $4::integer, $5, $6::bigint)",
      [
        .text(id.description), .bytes(payload), .text(key?.rawValue),
        .int(version.map(Int64.init)), keepsOutcomes, time,
      ])
  }

  /// Takes back an operation that is not finished; nil where there is none.
  public func cancel(_ id: OperationID) async throws -> Cancellation? {
    let row = try await ask(
      "SELECT mainstay.cancel($1::uuid, $2, $3::bigint)",
      [.text(id.description), keepsOutcomes, time])
    let word = try row.text(ifAny: 0)
    // What it held back may go on, and whoever runs it must hear of it, with all hands full.
    if word != nil { announce(toAll: word == "stopping") }
    return switch word {
    case "cancelled": .cancelled
    case "stopping": .stopping
    case "mayHaveHappened": .mayHaveHappened
    default: nil
    }
  }

  /// Whether a decision found what it was about; others are told.
  private func decide(_ sql: String, _ values: [PostgresValue]) async throws -> Bool {
    let found = try await ask(sql, values).bool(0)
    if found { announce() }
    return found
  }
}
