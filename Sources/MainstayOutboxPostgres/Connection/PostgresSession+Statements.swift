// SPDX-License-Identifier: Apache-2.0

internal import CLibpq
internal import Foundation
internal import Mainstay

// Asking a server, and never waiting for it for longer than was said.
extension PostgresSession {
  func answer(_ request: SessionRequest) -> Result<PostgresRows, PostgresError> {
    if request.isCancelled { return .failure(.cancelled) }
    let isInTransaction = PQtransactionStatus(connection) == PQTRANS_INTRANS
    do throws(PostgresError) {
      switch request.work {
      case .script(let sql):
        guard !sql.utf8.contains(0) else { throw Self.zeroByte }
        return .success(try send(request) { PQsendQuery(connection, sql) })
      case .query(let sql, let values):
        guard !sql.utf8.contains(0) else { throw Self.zeroByte }
        return .success(try query(sql, values, request, isInTransaction: isInTransaction))
      }
    } catch {
      // A transaction that loses its connection is rolled back; only its end may have come through.
      let isSafe = isInTransaction && !Self.endsTransaction(request.work)
      return .failure(error.mayHaveHappened(error.mayHaveHappened && !isSafe))
    }
  }

  private static let zeroByte = PostgresError(.value, "A statement holds a zero byte.")

  private static func endsTransaction(_ work: SessionRequest.Work) -> Bool {
    switch work {
    case .script: true
    case .query(let sql, _): ["commit", "end"].contains { sql.lowercased().hasPrefix($0) }
    }
  }

  private func query(
    _ sql: String, _ values: [PostgresValue], _ request: SessionRequest, isInTransaction: Bool
  ) throws(PostgresError) -> PostgresRows {
    let encoded = try EncodedValues(values)
    guard settings.preparedStatements > 0 else {
      return try send(request) {
        encoded.withPointers {
          PQsendQueryParams(connection, sql, $0, nil, $1, $2, $3, request.form)
        }
      }
    }
    do throws(PostgresError) {
      return try run(prepared(sql, request), encoded, request)
    } catch {
      // The tables have changed under the statement, or somebody else threw it away.
      guard ["0A000", "26000"].contains(error.sqlState) else { throw error }
      statements.remove(sql)
      guard !isInTransaction else {
        throw PostgresError(.conflict, sqlState: error.sqlState, error.text)
      }
      return try run(prepared(sql, request), encoded, request)
    }
  }

  private func run(
    _ name: String, _ encoded: EncodedValues, _ request: SessionRequest
  ) throws(PostgresError) -> PostgresRows {
    // A request to stop that comes before the server has begun stops nothing.
    if request.isCancelled { throw .cancelled }
    return try send(request) {
      encoded.withPointers { PQsendQueryPrepared(connection, name, $0, $1, $2, $3, request.form) }
    }
  }

  private func prepared(
    _ sql: String, _ request: SessionRequest
  ) throws(PostgresError) -> String {
    if let name = statements.name(of: sql) { return name }
    let name = statements.newName()
    do throws(PostgresError) {
      _ = try send(request) { PQsendPrepare(connection, name, sql, 0, nil) }
    } catch {
      // To prepare changes nothing.
      throw error.mayHaveHappened(false)
    }
    if let old = statements.add(sql, name: name) {
      _ = try send(request) { PQsendQuery(connection, "DEALLOCATE \(old)") }
    }
    return name
  }

  /// Sends something, and reads what the server says to it.
  private func send(
    _ request: SessionRequest, _ begin: () -> Int32
  ) throws(PostgresError) -> PostgresRows {
    guard begin() == 1 else {
      // Nothing was sent, as where a connection was found to be closed.
      isGivenUp =
        PQstatus(connection) == CONNECTION_BAD || PQtransactionStatus(connection) == PQTRANS_ACTIVE
      throw isGivenUp ? Self.lost : PostgresError(.value, "The statement cannot be sent.")
    }
    var exchange = Exchange(limit: .now + (request.limit ?? settings.statement) + settings.grace)
    while !exchange.isOver { step(&exchange, request) }
    if let cancellation = exchange.cancellation { waitForEnd(of: cancellation, exchange) }
    tellNotifications()
    if let error = exchange.error { throw named(error, exchange) }
    return exchange.rows
  }

  /// Why something failed, where it was this side that ended it.
  private func named(_ error: PostgresError, _ exchange: Exchange) -> PostgresError {
    guard exchange.cancellation != nil, error.sqlState == "57014" || !isSound else { return error }
    if exchange.isLate {
      return PostgresError(
        .timeout, sqlState: error.sqlState, mayHaveHappened: error.mayHaveHappened,
        "The server did not answer in time: look at its load and at the network.")
    }
    return PostgresError.cancelled.mayHaveHappened(error.mayHaveHappened)
  }
}

/// What goes to and fro for one statement.
private struct Exchange {
  /// When this side loses its patience.
  var limit: ContinuousClock.Instant
  var rows = PostgresRows()
  var error: PostgresError?
  var isOver = false
  /// That the server was asked to stop.
  var cancellation: Cancelling?
  var isLate = false

  mutating func lose() {
    error = error ?? PostgresSession.lost.mayHaveHappened(true)
    isOver = true
  }
}

/// A request to stop a statement, which goes over a connection of its own.
private final class Cancelling: Sendable {
  private let ended = Locked(false)
  var hasEnded: Bool { ended.withLock { $0 } }

  /// Sends it from another thread, since the way there may be blocked.
  init(_ connection: OpaquePointer, waking line: SessionLine) {
    guard let cancel = PQgetCancel(connection) else {
      ended.withLock { $0 = true }
      return
    }
    let address = UInt(bitPattern: cancel)
    let thread = Thread { [self] in
      if let cancel = OpaquePointer(bitPattern: address) {
        var problem = [CChar](repeating: 0, count: 256)
        _ = PQcancel(cancel, &problem, Int32(problem.count))
        PQfreeCancel(cancel)
      }
      ended.withLock { $0 = true }
      line.wakeFile.wake()
    }
    thread.name = "mainstay.postgres.cancel"
    thread.start()
  }
}

extension PostgresSession {
  private func step(_ exchange: inout Exchange, _ request: SessionRequest) {
    let left = PQflush(connection)
    if left < 0 { return finish(&exchange) }
    if left == 0 && PQisBusy(connection) == 0 { return read(&exchange) }
    stopIfNeeded(&exchange, request)
    guard !exchange.isOver else { return }
    // Where something was left inside of TLS all the same, it is read a moment later.
    let limit = usesTLS ? min(exchange.limit, .now + .milliseconds(50)) : exchange.limit
    let ready = line.wakeFile.wait(for: PQsocket(connection), writes: left > 0, until: limit)
    if ready.canRead || usesTLS, !consume() { finish(&exchange) }
  }

  /// Reads all that is there.
  private func read(_ exchange: inout Exchange) {
    while PQisBusy(connection) == 0 {
      guard let result = PQgetResult(connection) else {
        if PQstatus(connection) == CONNECTION_BAD { exchange.lose() }
        exchange.isOver = true
        return
      }
      take(result, &exchange)
      if exchange.isOver { return }
    }
  }

  /// Takes over what came.
  private func take(_ result: OpaquePointer, _ exchange: inout Exchange) {
    switch PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
      // Its rows are read where they lie.
      return exchange.rows = PostgresRows(adopting: result)
    default: break
    }
    defer { PQclear(result) }
    switch PQresultStatus(result) {
    case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
      isGivenUp = true
      exchange.error = PostgresError(.value, "COPY is not for this connection.")
      exchange.isOver = true
    default:
      guard exchange.error == nil else { return }
      var error = PostgresError(result: result)
      // What a server says while it goes away says nothing about the statement.
      let isOver = PQstatus(connection) == CONNECTION_BAD
      if isOver && error.kind == .statement { error = Self.lost }
      error.mayHaveHappened = isOver || error.kind == .lost
      exchange.error = error
    }
  }

  /// The connection is broken: what the server said before is still read.
  private func finish(_ exchange: inout Exchange) {
    while PQstatus(connection) == CONNECTION_BAD, let result = PQgetResult(connection) {
      take(result, &exchange)
    }
    isGivenUp = true
    exchange.lose()
  }

  private func stopIfNeeded(_ exchange: inout Exchange, _ request: SessionRequest) {
    let isLate = ContinuousClock.now >= exchange.limit
    guard isLate || (request.isCancelled && exchange.cancellation == nil) else { return }
    if exchange.cancellation != nil {
      // The server was asked to stop, and does not say that it did.
      isGivenUp = true
      return exchange.lose()
    }
    exchange.isLate = isLate
    exchange.limit = .now + settings.grace
    exchange.cancellation = Cancelling(connection, waking: line)
  }

  /// The next statement must not be hit by it.
  private func waitForEnd(of cancellation: Cancelling, _ exchange: Exchange) {
    let deadline = ContinuousClock.now + settings.grace
    while isSound && !cancellation.hasEnded {
      guard ContinuousClock.now < deadline else { return isGivenUp = true }
      _ = line.wakeFile.wait(for: -1, writes: false, until: deadline)
    }
  }
}
