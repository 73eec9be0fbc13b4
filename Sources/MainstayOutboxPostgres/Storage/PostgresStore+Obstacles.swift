// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
public import MainstayOutbox

extension PostgresStore {
  /// What stands in the way of an operation that is not finished; nil where there is none.
  public func obstacles(
    _ id: OperationID, unmet: Set<OperationConstraint>
  ) async throws -> [Obstacle]? {
    let rows = try await call(
      """
      SELECT cause, EXISTS (SELECT 1 FROM mainstay.pause AS p WHERE p.kind = o.kind), o.*
      FROM mainstay.operation AS o JOIN mainstay.op USING (id) WHERE o.uuid = $1::uuid
      """, [.text(id.description)])
    guard let row = rows.first else { return nil }
    let reading = OperationReading(row: row, offset: 2)
    // That it cannot be read is what stands in its way.
    guard let operation = try? reading.operation() else { return [.unreadable] }
    var found: [Obstacle] = []
    switch operation.state {
    case .leased: return [.running]
    case .scheduled, .waiting:
      if let due = operation.due { found.append(.notBefore(due, after: operation.failure)) }
    case .parked:
      let isUnreadable = try row.text(ifAny: 0) == "unreadable"
      found.append(isUnreadable ? .unreadable : .noWorker(operation.type))
    case .conflicted: found.append(.conflict)
    case .blocked: found += try await blockers(of: try reading.number, operation.orderingKey)
    case .ready, .dead: break
    }
    found += try await closures().filter { $0.lane == operation.lane }.map {
      .lane($0.lane, LaneClosure.Cause(rawValue: $0.cause) ?? .paused, until: $0.until)
    }
    if try row.bool(1) { found.append(.kindPaused(operation.type.kind)) }
    if operation.isWaitingForClaim {
      found += try await usedUpLimits(of: operation.type.kind)
      found += try await suspects(besides: operation, unmet)
    }
    return found
  }

  /// What the limits that all machines share let begin now, by kind.
  private static let shares = """
    (SELECT kind, concurrency, rate,
      (SELECT count(*) FROM mainstay.op AS o WHERE o.kind = k.kind AND o.owner IS NOT NULL)
        AS running,
      least(burst, tokens + rate * greatest(mainstay.clock() - refilled_at, 0) / 1000.0) AS turns
    FROM mainstay.kind_limit AS k)
    """

  /// The limits of all machines that hold a kind back.
  private func usedUpLimits(of kind: OperationKind) async throws -> [Obstacle] {
    let rows = try await call(
      """
      SELECT CASE WHEN running >= concurrency THEN concurrency END,
        CASE WHEN turns < 1 THEN least((1 - turns) / rate, 31536000) END
      FROM \(Self.shares) AS s WHERE kind = $1
      """, [.text(kind.rawValue)])
    guard let row = rows.first else { return [] }
    let busy = try row.int(ifAny: 0).map { Obstacle.typeIsBusy(Int($0)) }
    let limited = try row.double(ifAny: 1).map { Obstacle.rateLimited(.seconds($0)) }
    return [busy, limited].compactMap(\.self)
  }

  private func blockers(of row: Int64, _ orderingKey: String?) async throws -> [Obstacle] {
    let rows = try await call(
      """
      (SELECT 'needs', uuid FROM mainstay.op JOIN mainstay.dep ON needs = id
        WHERE op = $1 ORDER BY id)
      UNION ALL (SELECT 'needsDead', uuid FROM mainstay.dead JOIN mainstay.dep ON needs = id
        WHERE op = $1 ORDER BY id)
      UNION ALL (SELECT 'follows', uuid FROM mainstay.op WHERE ordering_key = $2 AND id <> $1
        AND (state <> 'blocked' OR id < $1) ORDER BY id LIMIT 1)
      UNION ALL (SELECT 'followsDead', uuid FROM mainstay.dead
        WHERE ordering_key = $2 AND holds_key ORDER BY id)
      """, [.int(row), .bytes(orderingKey.map { Data($0.utf8) })])
    return try rows.compactMap { row in
      guard let id = UUID(uuidString: try row.text(1)).map(OperationID.init) else { return nil }
      return switch try row.text(0) {
      case "needs": .needs(id)
      case "needsDead": .needsDeadLetter(id)
      case "follows": .follows(id)
      default: .followsDeadLetter(id)
      }
    }
  }

  /// What lost its last run is tried alone, the oldest first, and before everything else.
  private func suspects(
    besides operation: StoredOperation, _ unmet: Set<OperationConstraint>
  ) async throws -> [Obstacle] {
    let row = try await call(
      """
      SELECT uuid, EXISTS (SELECT 1 FROM mainstay.op WHERE owner = $2)
      FROM mainstay.op WHERE state = 'ready' AND crashes > 0
        AND kind NOT IN (SELECT kind FROM mainstay.pause UNION ALL
          SELECT kind FROM \(Self.shares) AS s WHERE running >= concurrency OR turns < 1)
        AND (constraints IS NULL OR NOT constraints && $3::text[])
        AND (expires_at IS NULL OR expires_at > coalesce($1::bigint, mainstay.clock())
          OR effect NOT IN ('notSent', 'refused'))
        AND lane IN (
        SELECT name FROM mainstay.lane
        WHERE (cause IS NULL OR until <= coalesce($1::bigint, mainstay.clock()))
          AND coalesce(rest_until, 0) <= coalesce($1::bigint, mainstay.clock()))
      ORDER BY id LIMIT 1
      """, [time, .int(try owner), .texts(unmet.map(\.rawValue))]
    ).first
    guard let row, let id = UUID(uuidString: try row.text(0)).map(OperationID.init) else {
      return []
    }
    guard id == operation.id else { return [.letsPass(id)] }
    return try row.bool(1) ? [.runsAlone] : []
  }
}
