// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import PostgresTestSupport
import TestSupport
import Testing

/// An outbox whose server cannot be used, at first or later.
@Suite(.ends(withinMinutes: 10))
struct BadServerTests {
  private struct Note: QueuedOperation {
    static let kind: OperationKind = "note"
    var text: String
  }

  /// What opening an outbox fails with; where nobody answers, it says so after a while.
  private func refusal(_ text: String, isAway: Bool) async throws -> OutboxError {
    var error: OutboxError
    repeat {
      let store = PostgresStore(
        at: try PostgresAddress(text), patience: isAway ? nil : .patience, now: nil)
      error = try #require(
        await #expect(throws: OutboxError.self) { _ = try await Outbox(store: store) {} })
      // Where the test itself stood still, nobody knew yet how the first attempt went.
    } while error.details.hasPrefix("No connection came about within") && !Task.isCancelled
    return error
  }

  @Test func `an outbox that cannot be opened says in one sentence what to do`() async throws {
    let server = try await PostgresServer.common()
    let old = try OldServer(version: "12.7")
    let cases = [
      ("postgresql://127.0.0.1:1/x", "No PostgreSQL server answers at", true),
      ("postgresql://no.such.host.invalid/x", "correct the address", true),
      (server.networkText(password: "wr0ng"), "correct it in the address", false),
      (server.text("nowhere"), "has no such database", false),
      ("postgresql://127.0.0.1:\(old.port)/x?gssencmode=disable", "use 13 or newer", false),
    ]
    for (text, words, isAway) in cases {
      let error = try await refusal(text, isAway: isAway)
      #expect(error.details.contains(words), "\(error.details)")
      #expect(!error.details.contains("wr0ng") && !error.details.contains("\n"))
    }
  }

  @Test func `a server that takes no changes for a while costs nothing but time`() async throws {
    let server = try await PostgresServer(settings: ["log_connections = on"])
    let watcher = try await PostgresConnection.patient(server.address())
    var configuration = Outbox.Configuration()
    let failures = StorageFailures()
    configuration.observer = failures
    let store = PostgresStore(at: try server.address())
    let outbox = try await Outbox(store: store, configuration: configuration) {
      Worker(for: Note.self) { _, _ in }
    }
    await outbox.pause()
    try await outbox.enqueue(Note(text: "before"))
    try await watcher.script("ALTER SYSTEM SET default_transaction_read_only = on")
    try await watcher.script("SELECT pg_reload_conf()")
    await outbox.resume()
    // A machine that stands still may say at first that nobody answered in time.
    await eventually {
      do throws(OutboxError) {
        try await outbox.enqueue(Note(text: "refused"))
        return false
      } catch {
        return error.details.contains("give the address of the primary")
      }
    }
    let start = ContinuousClock.now
    let before = (failures.count.withLock(\.self), connections(server))
    await eventually { failures.count.withLock(\.self) >= before.0 + 3 }
    let opened = connections(server) - before.1
    // The longer a machine takes, the more often the server is asked, by four places of which each
    // pauses for a second in the end. Without pauses it were hundreds in each.
    let seconds = Int((ContinuousClock.now - start).components.seconds)
    #expect(opened <= 20 + 4 * seconds, "\(opened) connections in \(seconds) seconds")
    try await watcher.script("SET default_transaction_read_only = off")
    try await watcher.script("ALTER SYSTEM RESET default_transaction_read_only")
    try await watcher.script("SELECT pg_reload_conf()")
    await eventually {
      // Until the pool has looked again, whoever waits for it is told what the server said last.
      guard let ledger = try? await outbox.ledger() else { return false }
      return ledger.count(.done) >= 1 && ledger.pending == 0 && ledger.isBalanced
    }
    await outbox.shutDown()
  }

  /// How many sessions the server has begun so far.
  private func connections(_ server: PostgresServer) -> Int {
    server.log.split(separator: "\n").count { $0.contains("connection authorized") }
  }
}
