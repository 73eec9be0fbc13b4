// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
public import MainstayOutbox

extension PostgresStore {
  /// How many operations one statement takes in at most, and how many bytes.
  private static let stride = (count: 2000, bytes: 8 << 20)

  /// Keeps an operation; returns when the server has it on its disk.
  ///
  /// Callers that arrive while others are on their way share the next statement.
  public func insert(_ operation: NewOperation) async throws -> OperationID {
    _ = try owner
    try operation.checkLengths()
    do {
      let id = try await inserts.submit(operation) { [self] operations, patience in
        try await take(operations, patience: limit(of: patience)) {
          try await self.run($0, $1)
        }
      }
      announce()
      return id
    } catch {
      throw Self.thrown(error)
    }
  }

  /// Keeps several operations, or none of them; returns when the server has them on its disk.
  public func insert(contentsOf operations: [NewOperation]) async throws -> [OperationID] {
    _ = try owner
    guard !operations.isEmpty else { return [] }
    for operation in operations { try operation.checkLengths() }
    do {
      let ids = try await Task { [self] in
        let parts = Self.parts(of: operations)
        return try await pool.transaction { connection in
          // A statement takes what it needs in one order; several of them take all of it first.
          if parts.count > 1 {
            let locks = LockColumns(operations, isBounded: isBounded)
            try await connection.query(sql(Self.lock), locks.values)
          }
          var ids: [OperationID] = []
          for part in parts {
            let answers = try await take(part, patience: .null) { [self] text, values in
              try await connection.query(sql(text), values)
            }
            for answer in answers { ids.append(try answer.get()) }
          }
          return ids
        }
      }.value
      announce()
      return ids
    } catch {
      if (error as? OutboxError)?.code == .full { await dropExpired() }
      throw Self.thrown(error)
    }
  }

  /// Drops some of what has expired, for the next one who comes.
  ///
  /// What went for a batch that found no room all the same is there again, and the batch would find
  /// as much each time.
  private func dropExpired() async {
    // Where it fails, the batch is refused all the same, and says why.
    _ = try? await run(
      "SELECT mainstay.expire(1000, $1, coalesce($2::bigint, mainstay.clock()))",
      [keepsOutcomes, time])
  }

  /// Operations in parts that one statement can take.
  static func parts(of operations: [NewOperation]) -> [[NewOperation]] {
    var parts: [[NewOperation]] = []
    var bytes = 0
    for operation in operations {
      bytes += operation.payload.count
      if let last = parts.last, last.count < stride.count, bytes <= stride.bytes {
        parts[parts.count - 1].append(operation)
      } else {
        parts.append([operation])
        bytes = operation.payload.count
      }
    }
    return parts
  }

  private var isBounded: Bool { limits.maximumPending != nil || limits.maximumBytes != nil }

  private typealias Query =
    @Sendable (_ text: String, _ values: [PostgresValue]) async throws -> PostgresRows

  /// Takes operations in, one answer for each.
  ///
  /// Those without wishes that others could stand against go by one statement. It leaves out those
  /// whose idempotency key is taken, and these go by all rules, as everything else does. What goes
  /// wrong then is theirs alone: the others are kept already, and must not be sent once more.
  private func take(
    _ operations: [NewOperation], patience: PostgresValue, _ query: Query
  ) async throws -> [Result<OperationID, any Error>] {
    guard !isBounded, operations.allSatisfy(\.isPlain) else {
      return try await takeByAllRules(operations, patience, query)
    }
    let rows = try await query(Self.plain, PlainColumns(operations).values + [time, patience])
    // Each row is one that was kept.
    if rows.count == operations.count { return operations.map { .success($0.id) } }
    let kept = Set(try rows.map { try $0.text(0) })
    let others = operations.filter { !kept.contains($0.id.description) }
    guard !others.isEmpty else { return operations.map { .success($0.id) } }
    let rest: [Result<OperationID, any Error>]
    do {
      rest = try await takeByAllRules(others, patience, query)
    } catch {
      guard !kept.isEmpty else { throw error }
      rest = others.map { _ in .failure(error) }
    }
    var answers = rest.makeIterator()
    return operations.map { operation in
      kept.contains(operation.id.description)
        ? .success(operation.id) : answers.next() ?? .success(operation.id)
    }
  }

  private func takeByAllRules(
    _ operations: [NewOperation], _ patience: PostgresValue, _ query: Query
  ) async throws -> [Result<OperationID, any Error>] {
    let bounds: [PostgresValue] = [
      .int(limits.maximumPending.map(Int64.init)), .int(limits.maximumBytes.map(Int64.init)),
      keepsOutcomes, time, patience,
    ]
    let values = try PlainColumns(operations).values + WishColumns(operations).values + bounds
    let rows = try await query(Self.byAllRules, values)
    return try zip(operations, rows).map { try answer($0, $1) }
  }

  private func answer(
    _ operation: NewOperation, _ row: PostgresRow
  ) throws -> Result<OperationID, any Error> {
    if let uuid = try row.text(ifAny: 1).flatMap(UUID.init(uuidString:)) {
      return .success(OperationID(uuid))
    }
    let key = operation.wishes.uniqueKey?.value ?? ""
    let error =
      switch try row.text(0) {
      case "keyReused":
        OutboxError(
          .keyReused, details: "the key \(operation.idempotencyKey) has another payload")
      case "duplicate":
        OutboxError(.duplicate, details: "\(operation.type.kind) “\(key)” is waiting already")
      case "full": OutboxError(.full, details: "\(address) holds no more")
      default: OutboxError(.changedMeanwhile, details: "\(operation.id) met another one")
      }
    return .failure(error)
  }

  private static let lock = """
    SELECT mainstay.lock_arrivals(
      $1::text[], $2::bytea[], $3::uuid[], $4::bytea[], $5, true)
    """

  private static let plain = """
    SELECT mainstay.take_plain($1::uuid[], $2::text[], $3::integer[], $4::text[], $5::bytea[],
      $6::text[], $7::bytea[], $8::bigint[], $9::text[], $10::integer[], $11::bigint[],
      $12::bigint[], $13::boolean[], $14::bigint, $15::integer)
    """

  private static let byAllRules = """
    SELECT code, uuid FROM mainstay.take_all(array(
      SELECT (g.uuid, g.kind, g.version, g.lane, g.ordering_key, g.idem_key, g.payload, g.lifetime,
        g.effect, g.priority, g.handicap, g.delay, g.unique_key, g.if_taken,
        CASE WHEN g.constraints IS NOT NULL
          THEN array(SELECT jsonb_array_elements_text(g.constraints::jsonb)) END,
        g.expendable, string_to_array(g.needs, ',')::uuid[], g.policy, g.earlier, g.expected,
        g.merged, g.timeout, g.base)::mainstay.arrival
      FROM unnest($1::uuid[], $2::text[], $3::integer[], $4::text[], $5::bytea[], $6::text[],
        $7::bytea[], $8::bigint[], $9::text[], $10::integer[], $11::bigint[], $12::bigint[],
        $13::boolean[], $14::bytea[], $15::text[], $16::text[], $17::text[], $18::text[],
        $19::uuid[], $20::bytea[], $21::bytea[], $22::bigint[], $23::bytea[])
      WITH ORDINALITY AS g (uuid, kind, version, lane, ordering_key, idem_key, payload, lifetime,
        effect, priority, handicap, delay, expendable, unique_key, if_taken, constraints, needs,
        policy, earlier, expected, merged, timeout, base, place)
      ORDER BY g.place), $24::bigint, $25::bigint, $26::boolean, $27::bigint,
      $28::integer)
    """
}
