// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import PostgresTestSupport
import TestSupport
import Testing

/// A server that stands still: it takes connections, and says no more.
@Suite(.ends(withinMinutes: 5))
struct StoppedServerTests {
  /// The processes of a server.
  private func processes(
    _ server: PostgresServer, _ watcher: PostgresConnection
  ) async throws -> [Int32] {
    let file = server.folder.appending(path: "data/postmaster.pid")
    let first = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").first
    let rows = try await watcher.query("SELECT pid FROM pg_stat_activity")
    return [try #require(first.flatMap { Int32($0) })] + (try rows.map { Int32(try $0.int(0)) })
  }

  @Test func `an outbox whose server stands still is not opened for ever`() async throws {
    let server = try await PostgresServer()
    let watcher = try await PostgresConnection.patient(server.address())
    let all = try await processes(server, watcher)
    // One that stands still for ever would not end with the test.
    defer { for process in all { kill(process, SIGCONT) } }
    for process in all { kill(process, SIGSTOP) }
    let address = try PostgresAddress(server.text() + "?connect_timeout=1")
    var error: OutboxError?
    repeat {
      let store = PostgresStore(at: address)
      error = await #expect(throws: OutboxError.self) { _ = try await Outbox(store: store) {} }
      // Where the test itself stood still, nobody knew yet how the first attempt went.
    } while error?.details.hasPrefix("No connection came about within") == true && !Task.isCancelled
    #expect(error?.code == .failed)
    #expect(
      error?.details
        == "The server at \(address) does not answer in time: start it, or correct the "
        + "address.")
    for process in all { kill(process, SIGCONT) }
    let later = PostgresStore(at: try server.address(), patience: .patience, now: nil)
    let outbox = try await Outbox(store: later) {}
    await outbox.shutDown()
  }

  @Test func `tables do not grow for an hour where the server stands still`() async throws {
    let server = try await PostgresServer()
    let watcher = try await PostgresConnection.patient(server.address())
    // A step of somebody else, which may take long.
    try await watcher.query("BEGIN")
    try await watcher.query(
      "SELECT pg_advisory_xact_lock(hashtext('mainstay.migration'), hashtext('mainstay'))")
    // It must not be found to stand still before it does: two sessions in a row would be too late.
    let address = try PostgresAddress(server.text() + "?connect_timeout=20")
    let store = PostgresStore(
      at: address, patience: .patience, pulse: .milliseconds(10), now: nil)
    let opening = Task { _ = try await store.open() }
    let other = try await PostgresConnection.patient(server.address())
    try await other.sees(
      running: "pg_advisory_xact_lock(hashtext('mainstay.migration'), hashtext($1)")
    let all = try await processes(server, watcher)
    // One that stands still for ever would not end with the test.
    defer { for process in all { kill(process, SIGCONT) } }
    for process in all { kill(process, SIGSTOP) }
    let error = await #expect(throws: OutboxError.self) { try await opening.value }
    #expect(error?.code == .failed)
    #expect(
      error?.details
        == "The server at \(address) answers no more while the tables grow: look at it, "
        + "and open again; the step that it was at is undone.")
    await store.close()
    for process in all { kill(process, SIGCONT) }
    try await watcher.query("COMMIT")
    let later = PostgresStore(at: try server.address(), patience: .patience, now: nil)
    let outbox = try await Outbox(store: later) {}
    #expect(try await outbox.ledger().isBalanced)
    await outbox.shutDown()
  }
}
