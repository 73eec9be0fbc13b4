// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import PostgresTestSupport
import TestSupport
import Testing

/// `mainstay outbox` with the URL of a database in the place of a file.
@Suite(.ends(withinMinutes: 20)) struct OutboxDatabaseTests {
  private struct Note: QueuedOperation {
    static let kind: OperationKind = "note"
    var text: String
  }

  /// For programs, whose limits are those of a user.
  private static let patience = "?connect_timeout=300"

  private func run(_ arguments: String..., status: Int32 = 0) async throws -> String {
    var end: BuiltProgram.End
    repeat {
      end = try await BuiltProgram.run("mainstay", ["outbox"] + arguments, environment: [:])
      // Where the machine stood still, nothing was asked, and so nothing done.
    } while end.errors.contains("No connection came about within") && !Task.isCancelled
    #expect(end.status == status, "\(end.output)\(end.errors)")
    return status == 0 ? end.output : end.output + end.errors
  }

  @Test func `a database is looked at and changed as a file is`() async throws {
    let server = try await PostgresServer.common()
    let name = try await server.databaseName()
    let url = server.networkText(name, query: Self.patience)
    let store = PostgresStore(at: try server.address(name), patience: .patience, now: nil)
    let outbox = try await Outbox(store: store) {
      Worker(for: Note.self) { _, _ in
        throw AppError(
          code: "note.refused", kind: .validation, disposition: .permanent, title: "Refused",
          message: "The service does not take it.")
      }
    }
    let id = try await outbox.enqueue(Note(text: "bad"))
    for await snapshot in outbox.changes where snapshot.dead == 1 { break }
    await outbox.pause()
    #expect(try await run("status", url).contains("1 dead letter"))
    #expect(try await run("list", url).contains("note.refused"))
    #expect(try await run("show", url, "\(id)").contains("The service does not take it."))
    #expect(try await run("verify", url).hasPrefix("The outbox is whole"))
    #expect(try await run("redrive", url, "\(id)").contains("1 dead letter put back"))
    #expect(try await run("explain", url, "\(id)").contains("Nothing in the outbox"))
    await outbox.shutDown()
  }

  @Test func `a database is decided about as a file is, and says who has it open`() async throws {
    let server = try await PostgresServer.common()
    let name = try await server.databaseName()
    let url = server.networkText(name, query: Self.patience)
    let store = PostgresStore(at: try server.address(name), patience: .patience, now: nil)
    let outbox = try await Outbox(store: store) {
      Worker(for: Note.self) { note, _ in
        guard note.text == "bad" else { return }
        throw AppError(
          code: "note.refused", kind: .validation, disposition: .permanent, title: "Refused",
          message: "The service does not take it.")
      }
    }
    let dead = try await outbox.enqueue(Note(text: "bad")).description
    for await snapshot in outbox.changes where snapshot.dead == 1 { break }
    await outbox.pause()
    let delay = EnqueueOptions(delay: .seconds(86_400))
    let late = try await outbox.enqueue(Note(text: "late"), options: delay).description
    let status = try await run("status", url)
    #expect(status.contains("Open in ") && status.contains("which works on note 1."), "\(status)")
    #expect(status.contains("Payloads of dead letters: 14 bytes"), "\(status)")
    #expect(try await run("retry", url, dead, status: 1).contains("\(dead) is a dead letter"))
    #expect(try await run("retry", "--all", "--dry-run", url) == "1 operation would run at once.\n")
    #expect(try await run("retry", "--all", url) == "1 operation may run at once.\n")
    #expect(try await run("cancel", url, late) == "1 operation cancelled.\n")
    try await outbox.pause("photos")
    #expect(try await run("resume", "--lane", "photos", url).hasPrefix("1 lane opened"))
    let young = try await run("discard", "--all", "--older-than", "1d", url)
    #expect(young == "0 dead letters discarded.\n")
    let copy = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: copy) }
    let path = copy.path(percentEncoded: false)
    #expect(try await run("discard", "--all", "--to", path, url) == "1 dead letter discarded.\n")
    #expect(try String(contentsOf: copy, encoding: .utf8).contains(dead))
    #expect(try await run("discard", url, dead, status: 1).contains("UTC: discarded."))
    let listing = try await run("list", "--json", url)
    let object = try JSONSerialization.jsonObject(with: Data(listing.utf8)) as? [String: Any]
    #expect(object?["isMore"] as? Bool == false)
    await outbox.shutDown()
    #expect(try await run("status", url).contains("No process has this outbox open."))
  }

  @Test func `the status of a database does not show the password`() async throws {
    let server = try await PostgresServer.common()
    let name = try await server.databaseName()
    try await PostgresStore(at: try server.address(name), patience: .patience, now: nil).migrate()
    let url = server.networkText(name, query: Self.patience)
    for text in [try await run("status", url), try await run("status", "--json", url)] {
      #expect(text.contains("127.0.0.1"), "\(text)")
      // The URL writes the rest of the password by its codes.
      #expect(!text.contains(PostgresServer.password.prefix(4)), "\(text)")
    }
  }

  @Test func `a database of an older build is left to the app that uses it`() async throws {
    let server = try await PostgresServer.common()
    let name = try await server.databaseName()
    let settings = PostgresConnection.Settings(
      connecting: .patience, statement: .patience, lock: .patience)
    let connection = try await PostgresConnection.open(server.address(name), settings: settings)
    let all = PostgresStore.schemaSQL()
    let new = try #require(all.range(of: "create sequence mainstay.policy_version"))
    try await connection.script("\(all[..<new.lowerBound])COMMIT;")
    let url = server.networkText(name, query: Self.patience)
    for command in [["status"], ["redrive", "--all"], ["verify"]] {
      let end = try await BuiltProgram.run(
        "mainstay", ["outbox"] + command + [url], environment: [:])
      #expect(end.status == 3, "\(end.output)\(end.errors)")
      #expect(end.errors.contains("have an older format; an app"), "\(end.errors)")
    }
    let steps = try await connection.query("SELECT max(number) FROM mainstay.migration")
    #expect(try steps.first?.int(0) == 8, "an older worker can go on")
    connection.close()
  }

  @Test func `a database behind a pooler is looked at and changed`() async throws {
    let server = try await PostgresServer.common()
    let name = try await server.databaseName()
    try await PostgresStore(at: try server.address(name), patience: .patience, now: nil).migrate()
    let pooler = try await PgBouncer(before: server, mode: .transaction)
    let url = pooler.text(name) + Self.patience
    let refused = try await run("status", url, status: 3)
    #expect(refused.contains("--pooled"), "\(refused)")
    #expect(try await run("status", "--pooled", url).contains("0 dead letter"))
    #expect(try await run("redrive", "--all", "--pooled", url).hasPrefix("0 dead letter"))
    withExtendedLifetime(pooler) {}
  }

  @Test func `what cannot be opened is told in a sentence, without the password`() async throws {
    let server = try await PostgresServer.common()
    let empty = server.networkText(try await server.databaseName(), query: Self.patience)
    let nothing = try await run("status", empty, status: 3)
    #expect(nothing.contains("holds no outbox in its schema mainstay"), "\(nothing)")
    #expect(!nothing.contains(PostgresServer.password))
    let wrong = try await run("status", "postgresql://localhost:0/x", status: 2)
    #expect(wrong.contains("a port is a number"), "\(wrong)")
    let words = try await run("status", "user=app host=localhost port=0 dbname=x", status: 2)
    #expect(words.contains("a port is a number"), "\(words)")
    let schema = try await run("status", empty, "--schema", "No Name", status: 3)
    #expect(schema.contains("cannot be the name of the schema"), "\(schema)")
  }
}
