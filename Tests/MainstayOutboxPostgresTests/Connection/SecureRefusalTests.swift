// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTPTesting
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayTesting
import PostgresTestSupport
import TestSupport
import Testing

/// Encryption and certificates that are not what they have to be: one sentence says what to do.
@Suite(.ends(withinMinutes: 10))
struct SecureRefusalTests {
  private static let shared = Task { try await SecureServer() }

  /// What an outbox says that cannot be opened; it has asked once, and a person is to mend it.
  private func refusal(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let address = try PostgresAddress(text)
    let pool = PostgresPool(
      address, options: .init(size: 3, wait: .patience, connection: .patient), clock: ManualClock())
    for _ in 0..<3 {
      let error = await #expect(throws: PostgresError.self, sourceLocation: sourceLocation) {
        try await pool.read { try await $0.query("SELECT 1") }
      }
      #expect(error?.kind == .refused, sourceLocation: sourceLocation)
    }
    #expect(pool.attempts == 1, "nothing has changed meanwhile", sourceLocation: sourceLocation)
    let store = PostgresStore(at: address, patience: .patience, now: nil)
    let error = try #require(
      await #expect(throws: OutboxError.self, sourceLocation: sourceLocation) {
        _ = try await Outbox(store: store) {}
      })
    #expect(error.code == .unavailable, sourceLocation: sourceLocation)
    #expect(error.appError.disposition == .needsUser, sourceLocation: sourceLocation)
    #expect(!error.details.contains(PostgresServer.password), sourceLocation: sourceLocation)
    #expect(!error.details.contains("\n"), sourceLocation: sourceLocation)
    return error.details
  }

  private func opens(_ text: String) async throws {
    let connection = try await PostgresConnection.patient(try PostgresAddress(text))
    #expect(connection.facts.usesTLS)
    connection.close()
  }

  private func place(_ secure: SecureServer, _ user: String = PostgresServer.user) -> String {
    "postgresql://\(user)@localhost:\(secure.server.port)/postgres"
  }

  @Test func `a server that somebody else vouches for is not trusted`() async throws {
    let (secure, other) = (try await Self.shared.value, try await CertificateAuthority())
    let sentence =
      "The certificate of the server at \(place(secure)) is not to be trusted: name the authority "
      + "that issued it in sslrootcert, or renew it where its time is over."
    for mode in ["verify-full", "verify-ca"] {
      let options: KeyValuePairs = ["sslmode": mode, "sslrootcert": other.file.path]
      #expect(try await refusal(secure.text(options)) == sentence)
    }
    try await opens(secure.text())
  }

  @Test func `a certificate of another name, and one whose time is over, are refused`() async throws
  {
    let secure = try await SecureServer()
    try await secure.become(secure.authority.identity(for: ["db.example.test"]))
    #expect(
      try await refusal(secure.text())
        == "The certificate of the server at \(place(secure)) is for db.example.test and not for "
        + "localhost: write the host as the certificate does, or have one issued for this name.")
    try await opens(secure.text(["sslmode": "verify-ca"]))
    try await secure.become(secure.authority.identity(hasExpired: true))
    #expect(
      try await refusal(secure.text())
        == "The certificate of the server at \(place(secure)) is not to be trusted: name the "
        + "authority that issued it in sslrootcert, or renew it where its time is over.")
    try await secure.become(secure.authority.identity())
    try await opens(secure.text())
  }

  @Test func `a server that wants encryption refuses whoever switches it off`() async throws {
    let secure = try await Self.shared.value
    let words = try await refusal(secure.text(["sslmode": "disable", "sslrootcert": ""]))
    #expect(words.hasPrefix("The server at \(place(secure)) does not let this user in without"))
    #expect(words.contains("encryption (no pg_hba.conf entry for host \"127.0.0.1\""))
    #expect(words.hasSuffix("): set sslmode to verify-full, or correct the user. (28000)"))
  }

  @Test func `a server without encryption is no use where it is asked for`() async throws {
    let server = try await PostgresServer.common()
    for mode in ["require", "verify-full"] {
      #expect(
        try await refusal(
          server.networkText(query: "?sslmode=\(mode)&sslrootcert=/nowhere.pem")
        ) == "The server at postgresql://mainstay@127.0.0.1:\(server.port)/postgres takes no "
          + "encrypted connections, which sslmode asks for: set `ssl = on` there, with a "
          + "certificate."
      )
    }
  }

  @Test func `a file with no authority in it is named`() async throws {
    let secure = try await Self.shared.value
    #expect(
      try await refusal(secure.text(["sslrootcert": "/nowhere.pem"]))
        == "The certificate to check the server at \(place(secure)) by is not there "
        + "(/nowhere.pem): name the file of its authority in sslrootcert.")
    let words = try await refusal(secure.text(["sslrootcert": "/etc/passwd"]))
    #expect(words.hasPrefix("The file of sslrootcert cannot be read (/etc/passwd: "))
    #expect(words.hasSuffix("): it has to hold the certificate of an authority as PEM."))
  }

  @Test func `what an encrypted session was refused for is told, and not that the next one is not`()
    async throws
  {
    // By default, libpq tries a second time without encryption.
    let secure = try await Self.shared.value
    let words = try await refusal(
      secure.text(password: "wr0ng", ["sslmode": "", "sslrootcert": ""]))
    #expect(
      words == "The server at \(place(secure)) refuses the password: correct it in the address, in "
        + "PGPASSWORD or in the password file. (28P01)")
    let other = try await CertificateAuthority()
    #expect(
      try await refusal(secure.text(["sslmode": "", "sslrootcert": other.file.path]))
        .hasPrefix("The certificate of the server at \(place(secure)) is not to be trusted:"))
  }

  @Test func `two sides without a common version of TLS are told so`() async throws {
    let secure = try await SecureServer(settings: ["ssl_min_protocol_version = 'TLSv1.3'"])
    #expect(
      try await refusal(secure.text(["ssl_max_protocol_version": "TLSv1.2"]))
        == "The server at \(place(secure)) and this side have no version of TLS in common: correct "
        + "ssl_min_protocol_version and ssl_max_protocol_version here and there.")
  }

  @Test func `a password goes by what both sides have encrypted, where that is asked for`()
    async throws
  {
    let secure = try await Self.shared.value
    try await opens(secure.text(["channel_binding": "require"]))
    let named = try await secure.authority.caller(named: SecureServer.named)
    let options: KeyValuePairs = [
      "channel_binding": "require", "sslcert": named.file.path, "sslkey": named.key.path,
    ]
    #expect(
      try await refusal(secure.text(user: SecureServer.named, options))
        == "The server at \(place(secure, SecureServer.named)) gives no channel binding, which the "
        + "address asks for: use sslmode=verify-full and a password by scram-sha-256, or take "
        + "channel_binding out.")
  }
}

extension SecureRefusalTests {
  /// An address of a user who has to show a certificate, and shows this one.
  private func text(
    of secure: SecureServer, as user: String = SecureServer.certified, showing file: String,
    _ key: String
  ) -> String {
    secure.text(user: user, ["sslcert": file, "sslkey": key])
  }

  @Test func `whoever has to show a certificate and has none is told so`() async throws {
    let secure = try await Self.shared.value
    for user in [SecureServer.certified, SecureServer.named] {
      #expect(
        try await refusal(secure.text(user: user))
          == "The server at \(place(secure, user)) lets nobody in without a certificate: name its "
          + "file in sslcert, and that of its key in sslkey. (28000)")
      let identity = try await secure.authority.caller(named: user)
      try await opens(text(of: secure, as: user, showing: identity.file.path, identity.key.path))
      // libpq goes on without one.
      let absent = text(of: secure, as: user, showing: "/nowhere.crt", identity.key.path)
      let words = try await refusal(absent)
      #expect(words.hasPrefix("The server at \(place(secure, user)) does not let this user in ("))
      #expect(
        words.hasSuffix(
          "), and the file of sslcert is not there (/nowhere.crt): correct it. (28000)")
      )
    }
  }

  @Test func `a certificate that the server does not take is told from others`() async throws {
    let secure = try await Self.shared.value
    let name = SecureServer.certified
    let stranger = try await CertificateAuthority().caller(named: name)
    let old = try await secure.authority.caller(named: name, hasExpired: true)
    for (identity, reason) in [(stranger, "unknown ca"), (old, "certificate expired")] {
      let address = text(of: secure, showing: identity.file.path, identity.key.path)
      #expect(
        try await refusal(address)
          == "The server at \(place(secure, name)) does not take the certificate of sslcert "
          + "(\(reason)): have one issued that is in its time, and by an authority in the server's "
          + "ssl_ca_file.")
    }
  }

  @Test func `a certificate of another user is told from a wrong password`() async throws {
    let secure = try await Self.shared.value
    let other = try await secure.authority.caller(named: "somebody")
    let (file, key) = (other.file.path, other.key.path)
    let certified = try await refusal(text(of: secure, showing: file, key))
    #expect(certified.contains("password, or the certificate of sslcert is for another user:"))
    let named = try await refusal(text(of: secure, as: SecureServer.named, showing: file, key))
    #expect(
      named == "The server at \(place(secure, SecureServer.named)) finds another user in the "
        + "certificate of sslcert: have one issued for this user, or map its name in "
        + "pg_ident.conf. (28000)")
  }

  @Test func `a key that may be read by others, or is no use, is named`() async throws {
    let secure = try await Self.shared.value
    let identity = try await secure.authority.caller(named: SecureServer.certified)
    let (file, key) = (identity.file.path, identity.key.path)
    let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let open = folder.appending(path: "open.key")
    try Data(contentsOf: identity.key).write(to: open)
    chmod(open.path, 0o644)
    #expect(
      try await refusal(text(of: secure, showing: file, open.path))
        == "The key file \(open.path) of sslkey may be read by others, so it is not used: chmod "
        + "600 it.")
    #expect(
      try await refusal(text(of: secure, showing: file, "/nowhere.key"))
        == "The key to the certificate of sslcert is not there (/nowhere.key): name it in sslkey.")
    let foreign = try await secure.authority.caller(named: SecureServer.certified)
    #expect(
      try await refusal(text(of: secure, showing: file, foreign.key.path))
        == "The key of sslkey (\(foreign.key.path)) does not belong to the certificate of sslcert: "
        + "name two that were made together.")
    #expect(
      try await refusal(text(of: secure, showing: open.path, key))
        .hasPrefix("The file of sslcert cannot be read (\(open.path): "))
    let locked = folder.appending(path: "locked.key").path
    let made = try await BuiltProgram.run(
      fromPath: "openssl", ["ec", "-in", key, "-aes256", "-passout", "pass:geheim", "-out", locked])
    try #require(made.status == 0, "\(made.errors)")
    chmod(locked, 0o600)
    // Nobody is asked for it at a terminal, where a service would wait for ever.
    let words = try await refusal(text(of: secure, showing: file, locked))
    #expect(words.hasPrefix("The key file \(locked) of sslkey cannot be read ("))
    #expect(words.hasSuffix("has to be PEM, and its passphrase belongs into sslpassword."))
    try await opens(text(of: secure, showing: file, locked) + "&sslpassword=geheim")
  }
}
