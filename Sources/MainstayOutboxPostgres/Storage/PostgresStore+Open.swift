// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
public import MainstayOutbox

extension PostgresStore {
  /// Opens the database for one more process, and takes back what dead ones had leased.
  ///
  /// - Throws: `OutboxError` `unavailable` where the server cannot be used as it is, `failed`
  ///   where it does not answer, `newerFormat` where the tables belong to a newer build; the
  ///   details say what to do.
  public func open() async throws -> OpeningReport {
    do {
      try await prepareTables(isMigrating: isMigrating)
      let start = Timeline.live.now
      let entered = try await enter()
      let isWanted = state.withLock { state in
        guard state.owner == nil, !state.isClosed else { return false }
        state.owner = entered
        state.renewedAt = start
        return true
      }
      guard isWanted else {
        _ = try? await run("SELECT mainstay.leave($1)", [.int(entered)])
        throw OutboxError(.busy, details: "\(address) was opened twice")
      }
      let report: OpeningReport
      do {
        report = try await recovered()
      } catch {
        // It can be tried again, as where the server is restarting.
        state.withLock { $0.owner = nil }
        _ = try? await run("SELECT mainstay.leave($1)", [.int(entered)])
        throw error
      }
      startHeart()
      startHousekeeping()
      return report
    } catch {
      throw Self.thrown(error)
    }
  }

  /// Takes back what dead processes had leased.
  private func recovered() async throws -> OpeningReport {
    var report = OpeningReport()
    (report.recovered, report.quarantined) = try await recover()
    // What no build of then could read may be read now.
    while try await ask("SELECT mainstay.read_anew()").bool(0) {}
    // To count a long queue would keep this process from it: it is only told.
    if try await isShort() { report.isBalanced = try await ledger().isBalanced }
    return report
  }

  /// Whether what waits, and what was given up, is counted at once.
  private func isShort() async throws -> Bool {
    try await ask(
      """
      SELECT (SELECT count(*) FROM (SELECT id FROM mainstay.op LIMIT 10001) AS o) <= 10000
        AND (SELECT count(*) FROM (SELECT id FROM mainstay.dead LIMIT 10001) AS d) <= 10000
      """
    ).bool(0)
  }

  /// Brings the tables up to date, and does nothing else: for a user with the right to create
  /// tables, before others open the database with `migrating: false`.
  ///
  /// - Throws: `OutboxError`, as ``open()``.
  public func migrate() async throws {
    do {
      try await prepareTables(isMigrating: true)
    } catch {
      throw Self.thrown(error)
    }
  }

  /// The statements by which the tables come into being, for whoever runs them by hand.
  ///
  /// They are for an empty schema, and are taken as a whole or not at all.
  ///
  /// - Parameter schema: The schema, by the same rules as for a store; the default is `mainstay`.
  /// - Returns: One transaction.
  public static func schemaSQL(schema: String = "mainstay") -> String {
    precondition(Migration.isLegal(schema: schema), Migration.illegal(schema: schema))
    let steps = Migration.all.map(\.script).joined(separator: "\n\n")
    return Migration.text(
      "BEGIN;\n\n\(Migration.home)\n\n\(Migration.ledger)\n\n\(steps)\n\nCOMMIT;\n", schema: schema)
  }

  private var tables: Tables {
    Tables(pool: pool, address: address, schema: schema, pulse: pulse)
  }

  /// Brings the tables up to date where that is wanted, and looks whether they are.
  ///
  /// - Parameters:
  ///   - isMigrating: Whether it is wanted.
  ///   - keepsText: Whether texts are kept in them, and not bytes alone; the default is true.
  /// - Throws: `OutboxError` where the database cannot be used as it is, or ``PostgresError``.
  func prepareTables(isMigrating: Bool, keepsText: Bool = true) async throws {
    try checkSchema()
    if keepsText { try await tables.checkEncoding() }
    // Before the tables grow: who waits for somebody else's step has to see it afterwards.
    try await checkIsolation()
    try await tables.prepare(isMigrating: isMigrating)
  }

  /// Refuses sessions that would not see what others have committed meanwhile.
  ///
  /// A session asks for what it needs when it is opened, which neither a pooler nor the options of
  /// an address need to heed.
  private func checkIsolation() async throws {
    let rows = try await run("SELECT current_setting('transaction_isolation')")
    guard let level = try rows.first?.text(0),
      level != PostgresConnection.Settings.isolation
    else { return }
    throw OutboxError(
      .unavailable,
      details: "Statements at \(address) are \(level), and an outbox has to see what others have "
        + "committed meanwhile: take the option out of the address, or ALTER ROLE … SET "
        + "default_transaction_isolation = 'read committed'.")
  }

  func checkSchema() throws {
    guard Migration.isLegal(schema: schema) else {
      throw OutboxError(.unavailable, details: Migration.illegal(schema: schema))
    }
  }

  /// Opens the database to be looked at only: nothing is leased, taken back or brought up to date.
  ///
  /// - Throws: `OutboxError`, as ``open()``, and `failed` where an app has to bring the tables up
  ///   to date first.
  package func openToLook() async throws {
    do {
      try checkSchema()
      let present = try await tables.look()
      try tables.check(present, reads: true)
      guard !present.steps.isEmpty else {
        throw OutboxError(
          .unavailable, details: "\(address) holds no outbox in its schema \(schema)")
      }
      guard present.next == nil else {
        throw OutboxError(
          .failed,
          details: "The tables in schema \(schema) of \(address) have an older format; an app of "
            + "this version brings them up to date")
      }
      // No process has this number.
      state.withLock { $0.owner = 0 }
    } catch {
      throw Self.thrown(error)
    }
  }

  /// Becomes one more owner.
  private func enter() async throws -> Int64 {
    let process = ProcessInfo.processInfo
    let rows = try await run(
      "SELECT mainstay.enter($1, $2, $3::integer)",
      [
        .text("\(process.hostName) \(process.processIdentifier)"), .int(lease.milliseconds),
        .int(Int64(Migration.format)),
      ])
    guard let row = rows.first else { throw OutboxError(.failed, details: "no answer") }
    return try row.int(0)
  }

  /// Becomes another owner: what the one before had leased was taken back, or is about to be.
  ///
  /// What still runs is cancelled first, so that nothing of the new owner is.
  ///
  /// - Parameter lost: The owner before; where somebody has done this already, nothing happens.
  /// - Throws: Where the server cannot be asked; then it is tried again with the next claim.
  func enterAgain(instead lost: Int64) async throws {
    let (isNeeded, isNews) = state.withLock { state in
      guard state.owner == lost, !state.isClosed else { return (false, false) }
      defer { state.areLeasesLost = true }
      return (true, !state.areLeasesLost)
    }
    guard isNeeded else { return }
    if isNews { leaseLosses.continuation.yield() }
    let start = Timeline.live.now
    let entered = try await enter()
    let isWanted = state.withLock { state in
      guard state.owner == lost, !state.isClosed else { return false }
      (state.owner, state.tokens) = (entered, [])
      (state.renewedAt, state.areLeasesLost) = (start, false)
      return true
    }
    if !isWanted { _ = try? await run("SELECT mainstay.leave($1)", [.int(entered)]) }
  }
}
