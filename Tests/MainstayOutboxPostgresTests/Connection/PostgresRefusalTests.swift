// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import PostgresTestSupport
import TestSupport
import Testing

/// What a wrong set-up is answered with: one sentence that says what to do.
@Suite(.ends(withinMinutes: 10))
struct PostgresRefusalTests {
  private func refusal(_ text: String) async throws -> PostgresError {
    let address = try PostgresAddress(text)
    let settings = PostgresConnection.Settings(connecting: .seconds(60))
    return try #require(
      await #expect(throws: PostgresError.self) {
        _ = try await PostgresConnection.open(address, settings: settings)
      })
  }

  @Test func `a wrong password is said, and not shown`() async throws {
    let server = try await PostgresServer.common()
    for password in ["wr0ng", nil] {
      let error = try await refusal(server.networkText(password: password))
      #expect(error.kind == .refused)
      #expect(OutboxError(error).code == .unavailable)
      #expect(OutboxError(error).appError.disposition == .needsUser)
      #expect(!error.description.contains("wr0ng"))
    }
    #expect(
      try await refusal(server.networkText(password: "wr0ng")).text
        == "The server at postgresql://mainstay@127.0.0.1:\(server.port)/postgres refuses the "
        + "password: correct it in the address, in PGPASSWORD or in the password file.")
    _ = try await PostgresConnection.patient(try PostgresAddress(server.networkText()))
  }

  @Test func `a database or a user that is not there is named`() async throws {
    let server = try await PostgresServer.common()
    let database = try await refusal(server.text("nowhere"))
    #expect(database.kind == .refused)
    #expect(database.text.contains("has no such database (database \"nowhere\" does not exist)"))
    let user = try await refusal(server.text().replacing("mainstay@", with: "nobody@"))
    #expect(user.kind == .refused)
    #expect(user.text.contains("does not let this user in (role \"nobody\" does not exist)"))
  }

  @Test func `nobody listening, and a name that nobody knows, are told apart`() async throws {
    let nobody = try await refusal("postgresql://127.0.0.1:1/x")
    #expect(nobody.kind == .unreachable)
    #expect(nobody.text.hasPrefix("No PostgreSQL server answers at postgresql://127.0.0.1:1/x:"))
    #expect(nobody.text.contains("refused") && !nobody.text.contains("Is the server running"))
    let unknown = try await refusal("postgresql://no.such.host.invalid/x")
    #expect(unknown.kind == .unreachable)
    #expect(
      unknown.text == "The name of the host in postgresql://no.such.host.invalid/x is not known: "
        + "correct the address.")
    let folder = try await refusal("host=/nowhere dbname=x")
    #expect(folder.kind == .unreachable)
  }

  @Test func `a value that libpq does not know is named, and not repeated`() async throws {
    let error = try await refusal("postgresql://127.0.0.1:1/x?sslmode=geheim")
    #expect(error.kind == .address)
    #expect(!error.text.contains("geheim"))
  }

  @Test(
    arguments: [
      ("FATAL", "28P01", PostgresError.Kind.refused), ("ВАЖНО", "28P01", .refused),
      ("致命的エラー", "3D000", .refused), ("ÖLÜMCÜL (FATAL)", "53300", .tooMany),
      ("FATALE", "57P03", .unreachable),
    ])
  func `a server that speaks another language is understood`(
    _ grade: String, _ state: String, _ kind: PostgresError.Kind
  ) async throws {
    let server = try OldServer(version: "16.1", refusing: (grade, state, "nein, нет, いいえ"))
    let error = try await refusal("postgresql://127.0.0.1:\(server.port)/x?gssencmode=disable")
    #expect(error.sqlState == state)
    #expect(error.kind == kind)
  }

  @Test(arguments: [": options", " in options: statement_timeout"])
  func `a pooler that takes no settings is told how to be used`(words: String) async throws {
    let server = try OldServer(
      version: "16.1", refusing: ("FATAL", "08P01", "unsupported startup parameter" + words))
    let error = try await refusal("postgresql://127.0.0.1:\(server.port)/x?gssencmode=disable")
    #expect(error.kind == .refused)
    #expect(error.text.hasPrefix("The pooler at postgresql://127.0.0.1:\(server.port)/x takes no"))
    #expect(error.text.contains("give `pooled: true`"))
    #expect(OutboxError(error).code == .unavailable)
  }

  @Test func `a server that is too old is told from the others`() async throws {
    let server = try OldServer(version: "12.7")
    let error = try await refusal("postgresql://127.0.0.1:\(server.port)/x?gssencmode=disable")
    #expect(error.kind == .tooOld)
    #expect(error.text.hasSuffix("is PostgreSQL 12, which is too old: use 13 or newer."))
    #expect(OutboxError(error).code == .unavailable)
  }

  @Test func `a missing right is named`() async throws {
    let server = try await PostgresServer.common()
    let name = try await server.databaseName()
    let owner = try await PostgresConnection.patient(server.address(name))
    try await owner.script("CREATE TABLE secrets (a int); CREATE ROLE guest_\(name) LOGIN")
    let guest = try await PostgresConnection.patient(
      try PostgresAddress(server.text(name).replacing("mainstay@", with: "guest_\(name)@")))
    let error = await #expect(throws: PostgresError.self) {
      try await guest.query("SELECT * FROM secrets")
    }
    #expect(error?.kind == .refused)
    #expect(
      error?.text == "The user of the database lacks a right (permission denied for table "
        + "secrets): grant it.")
  }

  @Test func `a server without a place for one more is said to be full`() async throws {
    let server = try await PostgresServer.common()
    let name = try await server.databaseName()
    let owner = try await PostgresConnection.patient(server.address(name))
    try await owner.script("CREATE ROLE many_\(name) LOGIN CONNECTION LIMIT 0")
    let error = try await refusal(
      server.text(name).replacing("mainstay@", with: "many_\(name)@"))
    #expect(error.kind == .tooMany)
    #expect(OutboxError(error).code == .busy)
    #expect(OutboxError(error).appError.disposition == .transient())
  }

  @Test func `a server that takes no changes is said, and looked for anew`() async throws {
    let server = try await PostgresServer.common()
    let name = try await server.databaseName()
    let pool = PostgresPool(
      try server.address(name), options: .init(size: 1, wait: .patience, connection: .patient))
    let before = try await pool.read { connection in
      try await connection.script("CREATE TABLE t (a int)")
      try await connection.script("SET default_transaction_read_only = on")
      return connection.facts.processID
    }
    let error = await #expect(throws: PostgresError.self) {
      try await pool.read { try await $0.query("INSERT INTO t VALUES (1)") }
    }
    #expect(error?.kind == .readOnly)
    #expect(
      error?.text == "The server takes no changes: give the address of the primary, or wait until "
        + "this one is the primary again.")
    #expect(error?.mayHaveHappened == false)
    #expect(try await pool.read { $0.facts.processID } != before)
    let inTransaction = await #expect(throws: PostgresError.self) {
      try await pool.transaction { connection in
        try await connection.query("SET TRANSACTION READ ONLY")
        try await connection.query("INSERT INTO t VALUES (1)")
      }
    }
    #expect(inTransaction?.kind == .readOnly)
  }

  @Test func `a server that does not answer has as long as its address says`() async throws {
    // It lets one client in, and the next one waits at its door.
    let server = try OldServer(version: "16.1")
    let text = "postgresql://127.0.0.1:\(server.port)/x?gssencmode=disable"
    let settings = PostgresConnection.Settings(connecting: .patience)
    let first = try await PostgresConnection.patient(try PostgresAddress(text))
    let address = try PostgresAddress(text + "&connect_timeout=1")
    let error = await #expect(throws: PostgresError.self) {
      _ = try await PostgresConnection.open(address, settings: settings)
    }
    #expect(error?.kind == .unreachable)
    #expect(error?.text.contains("does not answer in time") == true)
    first.close()
  }

  @Test func `something else that answers, and one that hangs up, are told apart`() async throws {
    let web = try OldServer(version: "", answering: "HTTP/1.1 400 Bad Request\r\n\r\n")
    let text = "postgresql://127.0.0.1:\(web.port)/x"
    let error = try await refusal(text + "?gssencmode=disable&sslmode=require")
    #expect(error.kind == .unreachable)
    #expect(
      error.text
        == "What answers at \(text) is no PostgreSQL server: correct the host and the port.")
    let gone = try OldServer(version: "", answering: "S")
    let cut = try await refusal(
      "postgresql://127.0.0.1:\(gone.port)/x?gssencmode=disable&sslmode=require")
    #expect(cut.kind == .unreachable)
    #expect(cut.text.contains("was cut while it was being secured: wait a moment"))
    #expect(OutboxError(cut).appError.disposition == .transient())
  }

  @Test func `a host that lets somebody come and says nothing is passed by`() async throws {
    let (silent, server) = (try OldServer(version: "16.1"), try await PostgresServer.common())
    // Its only client is somebody else.
    let other = try await PostgresConnection.patient(
      try PostgresAddress("postgresql://127.0.0.1:\(silent.port)/x?gssencmode=disable"))
    let text =
      "host=127.0.0.1,\(server.folder.path) port=\(silent.port),\(server.port) "
      + "user=\(PostgresServer.user) dbname=postgres gssencmode=disable connect_timeout=1"
    let address = try PostgresAddress(text)
    // A second is short for the other one as well, where the machine is busy.
    var found: PostgresConnection?
    await eventually {
      found = try? await PostgresConnection.patient(address)
      return found != nil
    }
    let row = try #require(try await found?.query("SHOW port").first)
    #expect(try row.int(0) == Int64(server.port))
    other.close()
  }

  @Test func `of several hosts one that takes changes is looked for`() async throws {
    let replica = try await PostgresServer(settings: ["default_transaction_read_only = on"])
    let primary = try await PostgresServer.common()
    let text =
      "host=\(replica.folder.path),\(primary.folder.path) port=\(replica.port),\(primary.port) "
      + "user=\(PostgresServer.user) dbname=postgres"
    for (query, port) in [("", primary.port), (" target_session_attrs=any", replica.port)] {
      let connection = try await PostgresConnection.patient(try PostgresAddress(text + query))
      let row = try #require(try await connection.query("SHOW port").first)
      #expect(try row.int(0) == Int64(port))
    }
    let nowhere = try await refusal(
      text.replacing(primary.folder.path, with: replica.folder.path)
        .replacing("\(primary.port)", with: "\(replica.port)"))
    #expect(nowhere.kind == .readOnly)
  }
}
