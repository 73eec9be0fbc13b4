// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import MainstayOutboxPostgres
internal import TestSupport

/// A PgBouncer before a server, in a temporary folder; it ends with whoever started it.
///
/// It also ends when that process crashes or is killed, and its folder goes with it.
package final class PgBouncer: Sendable {
  /// Whom a session of the server is given to, and for how long.
  package enum Mode: String, Sendable { case session, transaction }

  private let folder: URL
  private let process: Process
  private let leash = Pipe()

  /// Starts it, and returns when it takes connections.
  ///
  /// - Parameters:
  ///   - server: The server behind it.
  ///   - mode: For how long whoever comes keeps a session.
  ///   - sessions: How many sessions of the server it has at most.
  /// - Throws: What keeps it from starting.
  package init(before server: PostgresServer, mode: Mode, sessions: Int = 4) async throws {
    let name = "pb-\(String(UInt32.random(in: .min ... .max), radix: 36))"
    folder = URL(filePath: "/tmp").appending(path: name)
    process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["--norc", "-c", Self.script]
    let asRoot = "setpriv --reuid=postgres --regid=postgres --clear-groups --"
    process.environment = [
      "FOLDER": folder.path, "RUN_AS": geteuid() == 0 ? asRoot : "",
      "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
      "SETTINGS": """
      [databases]
      * = host=\(server.folder.path) port=\(server.port) user=\(PostgresServer.user)
      [pgbouncer]
      listen_port = \(Self.port)
      unix_socket_dir = \(folder.path)
      auth_type = any
      pool_mode = \(mode.rawValue)
      default_pool_size = \(sessions)
      max_client_conn = 200
      """,
    ]
    process.standardInput = leash
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try Launch.run(process)
    let socket = folder.appending(path: ".s.PGSQL.\(Self.port)").path
    while process.isRunning, !FileManager.default.fileExists(atPath: socket) { await Task.yield() }
    guard process.isRunning else {
      throw Keeper.Failure(description: "PgBouncer does not start: `make test` sets it up")
    }
  }

  deinit { try? leash.fileHandleForWriting.close() }

  /// The address of a database behind it, where no password is asked for.
  package func address(_ database: String = "postgres") throws -> PostgresAddress {
    try PostgresAddress(text(database))
  }

  /// The same as a text, for programs.
  package func text(_ database: String = "postgres") -> String {
    let host = folder.path.replacing("/", with: "%2F")
    return "postgresql://\(PostgresServer.user)@\(host):\(Self.port)/\(database)"
  }

  /// It listens on no port of the network: the number only names its socket.
  private static let port = 6432

  /// Like PostgreSQL, it does not run as root.
  private static let script = #"""
    umask 022
    mkdir -p "$FOLDER" && echo "$SETTINGS" >"$FOLDER/settings"
    [ -z "$RUN_AS" ] || chown -R postgres "$FOLDER"
    $RUN_AS pgbouncer "$FOLDER/settings" </dev/null >"$FOLDER/log" 2>&1 &
    pooler=$!
    exec 3<&0
    # It keeps nothing, and its other signals may be those that the tests have blocked.
    (read -r _ <&3; kill -KILL "$pooler") &
    wait "$pooler"
    rm -rf "$FOLDER"
    """#
}
