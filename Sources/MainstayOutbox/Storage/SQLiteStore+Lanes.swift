// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB
internal import Mainstay

extension SQLiteStore {
  /// How much is moved by one transaction, so that a jump of the clock or a million rows never keep
  /// others from the file for long.
  private static let stride = 1000

  /// Makes ready what is due, and tells when the next thing is.
  public func promote(_ types: Set<PayloadType>) async throws -> Duration? {
    try await recoverOthers()
    try await followClock()
    renewReserve()
    while true {
      let step = try await promoteSome(types)
      // Only what is on the disk is not to be done again.
      state.withLock { state in
        if step.wasSetBack { state.latest = step.date }
      }
      // What nobody wants any more must not run, however much of it there is.
      if step.expired < Self.stride { return step.due }
    }
  }

  private typealias Step = (date: Int64, wasSetBack: Bool, expired: Int, due: Duration?)

  private func promoteSome(_ types: Set<PayloadType>) async throws -> Step {
    try await write(.normal) { [self] db, _ in
      let date = now().milliseconds
      let wasSetBack = state.withLock { state in state.latest.map { date < $0 } ?? false }
      if wasSetBack { try Self.settleClocks(db, at: date) }
      try db.cachedStatement(
        sql: """
          UPDATE mainstay_op SET state = 'ready', run_at = NULL, wait = NULL WHERE id IN
            (SELECT id FROM mainstay_op WHERE run_at <= ? ORDER BY run_at LIMIT \(Self.stride))
          """
      ).execute(arguments: [date])
      try Self.forgetOpenLanes(db, at: date)
      try Self.unpark(types, db)
      let expired = try departure(db).expire(atMost: Self.stride)
      return (date, wasSetBack, expired, try Self.nextDue(after: date, db))
    }
  }

  /// Takes up room again some time after it was given up.
  private func renewReserve() {
    guard host == nil else { return }
    let date = now()
    let isTime = state.withLock { state in
      guard date.timeIntervalSince(state.reserveChecked ?? .distantPast) >= 60 else { return false }
      state.reserveChecked = date
      return true
    }
    if isTime { reserve.take() }
  }

  /// What closed lanes until now is over; what keeps none closed would be read by each claim.
  static func forgetOpenLanes(_ db: Database, at date: Int64) throws {
    try db.cachedStatement(sql: "DELETE FROM mainstay_lane WHERE cause IS NULL OR until <= ?")
      .execute(arguments: [date])
    try db.cachedStatement(sql: "DELETE FROM mainstay_rest WHERE until <= ?")
      .execute(arguments: [date])
  }

  private static func unpark(_ types: Set<PayloadType>, _ db: Database) throws {
    for type in types {
      try db.cachedStatement(
        sql: """
          UPDATE mainstay_op SET state = 'ready', cause = NULL
          WHERE state = 'parked' AND kind = ? AND version = ? AND cause = 'unknownType'
          """
      ).execute(arguments: [type.kind.rawValue, type.version])
    }
  }

  private static func nextDue(after date: Int64, _ db: Database) throws -> Duration? {
    // What is no time is damage, and is never due; it sorts behind all times.
    let next = try DatabaseValue.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT min(t) FROM (
            SELECT min(run_at) AS t FROM mainstay_op WHERE run_at IS NOT NULL
            UNION ALL SELECT min(until) FROM mainstay_lane WHERE until > ?1
            UNION ALL SELECT min(until) FROM mainstay_rest WHERE until > ?1
            UNION ALL SELECT min(expires_at) FROM mainstay_op WHERE expires_at > ?1)
          """), arguments: [date])
    return next.flatMap(Int64.fromDatabaseValue).map { .milliseconds(max($0 - date, 0)) }
  }

  /// Makes ready at once whatever waits because the network could not be reached.
  public func expedite(unimportantAfter delay: Duration) async throws {
    let delay = delay.milliseconds
    try await write(.normal) { [self] db, _ in
      let (date, normal) = (date(), Int64(OperationPriority.normal.rawValue))
      if delay > 0 {
        try db.execute(sql: Self.shorteningUnreached, arguments: [date, delay, normal])
      }
      try db.execute(sql: Self.readyingUnreached, arguments: [delay > 0 ? normal : .min])
    }
  }

  package static let shorteningUnreached = """
    UPDATE mainstay_op SET run_at = ?1 + ?2, wait = ?2
    WHERE state = 'scheduled' AND unreachable > 0 AND priority < ?3 AND run_at > ?1 + ?2
    """

  package static let readyingUnreached = """
    UPDATE mainstay_op SET state = 'ready', run_at = NULL, wait = NULL, unreachable = 0
    WHERE state = 'scheduled' AND unreachable > 0 AND priority >= ?
    """

  /// Makes ready what a constraint holds back: the next claim looks at them anew.
  public func reconsider() async throws {
    try await write(.normal) { db, _ in
      try db.execute(
        sql: """
          UPDATE mainstay_op SET state = 'ready', cause = NULL
          WHERE state = 'waiting' AND run_at IS NULL
          """)
    }
  }

  /// The lanes that are closed for a cause.
  public func lanes(closedFor cause: LaneClosure.Cause) async throws -> [Lane] {
    try await closedLanes().filter { $0.cause == cause.rawValue }.map(\.lane)
  }

  /// Closes a lane.
  public func close(_ lane: Lane, _ closure: LaneClosure) async throws {
    try await write(.full) { [self] db, _ in
      try Self.close(lane, closure, at: date(), db)
    }
  }

  /// A rest stands beside whatever else closes a lane; a weaker cause leaves a stronger one alone.
  static func close(
    _ lane: Lane, _ closure: LaneClosure, at date: Int64, _ db: Database
  ) throws {
    if let rest = closure.rest?.milliseconds {
      try db.cachedStatement(
        sql: """
          INSERT INTO mainstay_rest (lane, until, wait) VALUES (?1, ?2, ?3)
          ON CONFLICT (lane) DO UPDATE SET until = ?2, wait = ?3 WHERE until < ?2
          """
      ).execute(arguments: [lane.rawValue, date + rest, rest])
      return
    }
    let wait = closure.duration?.milliseconds
    let stronger = LaneClosure.Cause.allCases.filter { $0.strength > closure.cause.strength }
    try db.execute(
      sql: """
        INSERT INTO mainstay_lane (name, cause, until, wait) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (name) DO UPDATE SET cause = ?2, until = ?3, wait = ?4
        WHERE cause IS NULL OR until <= ?5
          OR cause NOT IN (\(stronger.map { "'\($0.rawValue)'" }.joined(separator: ", ")))
        """,
      arguments: [
        lane.rawValue, closure.cause.rawValue, wait.map { date + $0 }, wait, date,
      ])
  }

  /// Opens a lane; with a cause, only where it was closed for that one.
  public func reopen(_ lane: Lane, closedFor cause: LaneClosure.Cause?) async throws {
    try await write(.full) { db, _ in
      try db.execute(
        sql: """
          DELETE FROM mainstay_lane WHERE name = ?1 AND (?2 IS NULL OR cause = ?2)
          """, arguments: [lane.rawValue, cause?.rawValue])
      guard cause == nil || cause == .throttled else { return }
      try db.execute(
        sql: "DELETE FROM mainstay_rest WHERE lane = ?", arguments: [lane.rawValue])
    }
  }
}
