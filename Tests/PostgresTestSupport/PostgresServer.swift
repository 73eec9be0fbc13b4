// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import Mainstay
package import MainstayOutboxPostgres
internal import MainstayTesting

/// A private PostgreSQL server in a temporary folder; it ends with whoever started it.
///
/// It ends too when that process crashes or is killed, and its folder goes with it.
package final class PostgresServer: Sendable {
  package static let user = "mainstay"
  package static let password = "s3cr%t:/@?"

  /// Where its files are: `data`, and `log` with what it says.
  package let folder: URL
  /// The port of 127.0.0.1 that it listens on.
  package let port: Int
  private let reserved: HeldPort
  private let keeper: Keeper
  private let databases = Locked(0)

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - isDurable: Whether what it has committed survives a loss of power; most tests need not
  ///     wait for the disk. A server that is stopped or killed keeps it in either case.
  ///   - settings: Lines for its `postgresql.conf`.
  ///   - files: What its data folder holds besides, or instead, by name.
  /// - Throws: What keeps it from starting.
  package init(
    isDurable: Bool = false, settings: [String] = [], files: [String: Data] = [:]
  ) async throws {
    let folder = Self.newFolder()
    reserved = try HeldPort(isShared: true)
    (self.folder, port) = (folder, reserved.number)
    keeper = try Self.keeper(of: folder)
    let template = try await Self.template.value
    try await keeper.run("copy \(template.folder.path)")
    let speed = isDurable ? [] : ["fsync = off", "full_page_writes = off"]
    let all =
      [
        "port = \(port)", "listen_addresses = '127.0.0.1'",
        "unix_socket_directories = '\(folder.path)'", "shared_buffers = 32MB",
        "log_line_prefix = '%m %p %a '",
      ] + speed + settings
    for setting in all { try await keeper.run("set \(setting)") }
    for (name, content) in files { try await write(content, to: name) }
    try await keeper.run("start")
  }

  /// One server for the tests of this process that do it no harm; each makes a database of its own.
  package static func common() async throws -> PostgresServer { try await commonServer.value }

  // All tests of a process may come at once, each with some sessions.
  private static let commonServer = Task {
    try await PostgresServer(settings: ["max_connections = 400"])
  }
  private static let template = Task {
    let folder = newFolder()
    let empty = try keeper(of: folder)
    try await empty.run("init")
    return (folder: folder, keeper: empty)
  }

  /// Starts it again after ``stop(immediately:)``.
  package func start() async throws { try await keeper.run("start") }

  /// Stops it: connections are ended, and transactions that run are rolled back.
  ///
  /// - Parameter immediately: Whether it stops as in a crash, and recovers when it starts again.
  /// - Throws: What keeps it from stopping.
  package func stop(immediately: Bool = false) async throws {
    try await keeper.run("stop \(immediately ? "immediate" : "fast")")
  }

  /// Stops it and starts it again.
  package func restart(immediately: Bool = false) async throws {
    try await stop(immediately: immediately)
    try await start()
  }

  /// Sets a line of `postgresql.conf`, which counts from the next start on.
  package func set(_ setting: String) async throws { try await keeper.run("set \(setting)") }

  /// Writes a file of its data folder, which counts from the next start on.
  package func write(_ content: Data, to file: String) async throws {
    try content.write(to: folder.appending(path: "data/\(file)"))
    // It does not read what everybody may, nor what belongs to somebody else.
    try await keeper.run("own \(file)")
  }

  /// The address of a database, over a socket in the folder, where no password is asked for.
  package func address(_ database: String = "postgres") throws -> PostgresAddress {
    try PostgresAddress(text(database))
  }

  /// The same as a text, for programs.
  package func text(_ database: String = "postgres") -> String {
    let host = folder.path.replacing("/", with: "%2F")
    return "postgresql://\(Self.user)@\(host):\(port)/\(database)"
  }

  /// An address over TCP, where a password is asked for.
  package func networkText(
    _ database: String = "postgres", password: String? = PostgresServer.password, query: String = ""
  ) -> String {
    let secret = password.map {
      ":" + ($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
    }
    return "postgresql://\(Self.user)\(secret ?? "")@127.0.0.1:\(port)/\(database)\(query)"
  }

  /// Makes a database that nobody else uses.
  package func database() async throws -> PostgresAddress {
    try address(try await databaseName())
  }

  /// Makes a database that nobody else uses.
  ///
  /// - Parameter characters: The locale that says what letters there are; nil for that of the
  ///   server, which knows those of ASCII.
  /// - Returns: Its name.
  /// - Throws: What keeps it from being made.
  package func databaseName(characters: String? = nil) async throws -> String {
    let name = databases.withLock { count in
      count += 1
      return "test_\(count)"
    }
    let settings = PostgresConnection.Settings(
      connecting: .seconds(600), statement: .seconds(600), lock: .seconds(600))
    let connection = try await PostgresConnection.open(address(), settings: settings)
    // A copy by files is slow where the disk is: the log is quick for a small one.
    let kind = characters.map { " TEMPLATE template0 LC_CTYPE '\($0)'" } ?? ""
    try await connection.query("CREATE DATABASE \(name)\(kind)")
    connection.close()
    return name
  }

  /// What it has said so far.
  package var log: String {
    (try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)) ?? ""
  }
}

extension PostgresServer {
  /// Short, since the path of a socket has at most 107 bytes.
  private static func newFolder() -> URL {
    let name = "pg-\(String(UInt32.random(in: .min ... .max), radix: 36))"
    let temporary = FileManager.default.temporaryDirectory
    let isShort = temporary.path.utf8.count < 60
    return (isShort ? temporary : URL(filePath: "/tmp")).appending(path: name)
  }

  private static func keeper(of folder: URL) throws -> Keeper {
    let asRoot = "setpriv --reuid=postgres --regid=postgres --clear-groups --"
    return try Keeper([
      "BIN": try programs(), "FOLDER": folder.path, "RUN_AS": geteuid() == 0 ? asRoot : "",
      "SUPERUSER": user, "PASSWORD": password, "LC_ALL": "C",
      "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    ])
  }

  /// Where the newest PostgreSQL of this system lies.
  private static func programs() throws -> String {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    guard let newest = versions.compactMap({ Int($0) }).max() else {
      throw Keeper.Failure(description: "PostgreSQL is not there: `make test` sets it up")
    }
    return "\(root)/\(newest)/bin"
  }
}
