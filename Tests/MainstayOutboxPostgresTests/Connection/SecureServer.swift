// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayHTTPTesting
import MainstayOutboxPostgres
import PostgresTestSupport
import TestSupport

/// A private server that lets in over the network only who encrypts.
///
/// Over the socket in its folder, others may look at it. Two of its users have to show a
/// certificate with their name: ``certified`` besides a password, and ``named`` instead of one.
struct SecureServer: Sendable {
  /// A user with the same password as the owner.
  static let certified = "certified"
  /// A user without a password.
  static let named = "named"

  /// Whom callers trust; the server trusts the same one.
  let authority: CertificateAuthority
  let server: PostgresServer

  /// Starts one that is `localhost`.
  ///
  /// - Parameter settings: Lines for its `postgresql.conf`.
  /// - Throws: What keeps it from starting.
  init(settings: [String] = []) async throws {
    authority = try await CertificateAuthority()
    let identity = try await authority.identity(for: ["localhost"])
    server = try await PostgresServer(
      settings: ["ssl = on", "ssl_ca_file = 'root.crt'"] + settings,
      files: [
        "server.crt": Data(contentsOf: identity.file), "server.key": Data(contentsOf: identity.key),
        "root.crt": Data(contentsOf: authority.file),
        "pg_hba.conf": Data(Self.rules.utf8),
      ])
    let owner = try await PostgresConnection.open(server.address(), settings: .patient)
    try await owner.script(
      """
      CREATE ROLE \(Self.named) LOGIN;
      CREATE ROLE \(Self.certified) LOGIN PASSWORD \
      '\(PostgresServer.password.replacing("'", with: "''"))'
      """)
    owner.close()
  }

  private static let rules = """
    local all all trust
    hostssl all \(certified) 127.0.0.1/32 scram-sha-256 clientcert=verify-full
    hostssl all \(named) 127.0.0.1/32 cert
    hostssl all all 127.0.0.1/32 scram-sha-256

    """

  /// Has it say that it is somebody else; sessions that are there end.
  func become(_ identity: CertificateAuthority.Identity) async throws {
    try await server.write(Data(contentsOf: identity.file), to: "server.crt")
    try await server.write(Data(contentsOf: identity.key), to: "server.key")
    try await server.restart()
  }

  /// An address over the network.
  ///
  /// - Parameters:
  ///   - user: Who signs in; the default is the owner.
  ///   - password: What that is proved by.
  ///   - options: Those of libpq; what they leave out is that the authority is trusted and the
  ///     name is compared. An empty value takes one away.
  /// - Returns: A URL.
  func text(
    user: String = PostgresServer.user, password: String = PostgresServer.password,
    _ options: KeyValuePairs<String, String> = [:]
  ) -> String {
    var all = [
      // The name is compared, and where it leads may depend on the machine.
      "hostaddr": "127.0.0.1", "sslmode": "verify-full",
      "sslrootcert": authority.file.path,
    ]
    for (option, value) in options { all[option] = value.isEmpty ? nil : value }
    let secret = password.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let query = all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return "postgresql://\(user):\(secret)@localhost:\(server.port)/postgres?"
      + query.joined(separator: "&")
  }
}

extension PostgresConnection.Settings {
  /// What no limit ends, however long a busy machine stands still.
  static var patient: Self {
    Self(
      connecting: .patience, statement: .patience, lock: .patience, idleInTransaction: .patience,
      grace: .patience)
  }

  /// The same behind a pooler.
  static var patientAndPooled: Self {
    var settings = patient
    (settings.preparedStatements, settings.isPooled) = (0, true)
    return settings
  }
}
