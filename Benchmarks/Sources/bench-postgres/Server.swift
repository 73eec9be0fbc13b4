// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutboxPostgres

/// The server, and its own programs.
final class Server {
  private let socket: String
  private let programs: String
  private let seconds: Double
  private var databases = 0

  init(socket: String, programs: String, seconds: Double) {
    (self.socket, self.programs, self.seconds) = (socket, programs, seconds)
  }

  /// What a process of this program needs to know of it.
  var arguments: [String] {
    ["--socket", socket, "--programs", programs, "--folder", socket]
  }

  func text(_ database: String) -> String {
    "postgresql://bench@\(socket.replacing("/", with: "%2F"))/\(database)"
  }

  /// A database that nobody has used.
  func newDatabase() throws -> String {
    databases += 1
    let name = "bench_\(databases)"
    _ = try psql("CREATE DATABASE \(name)")
    return name
  }

  @discardableResult
  func psql(_ sql: String, in database: String = "postgres") throws -> String {
    try run("psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", text(database), "-c", sql])
  }

  /// How often clients of pgbench did a statement in a second.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - clients: How many do so at once.
  ///   - times: How often each does so; nil for as long as a measurement takes.
  ///   - database: Where.
  /// - Returns: How often in a second, all clients together.
  /// - Throws: `Failed` with what pgbench said.
  func rate(
    _ sql: String, clients: Int, times: Int? = nil, in database: String
  ) throws -> Double {
    // Threads that tasks share let no signal through, by which pgbench would end after a time; so
    // it is told how often.
    guard let times else {
      let first = try rate(sql, clients: clients, times: 30, in: database)
      let enough = Int(first * seconds / Double(clients))
      return try rate(sql, clients: clients, times: max(enough, 30), in: database)
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sql")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(sql.utf8).write(to: file)
    let said = try run(
      "pgbench",
      [
        "-n", "-M", "prepared", "-c", "\(clients)", "-j", "\(min(clients, 2))", "-f", file.path,
        "-t", "\(times)", text(database),
      ])
    let line = said.split(separator: "\n").first { $0.hasPrefix("tps = ") }
    guard let word = line?.split(separator: " ").dropFirst(2).first, let rate = Double(word) else {
      throw Failed(program: "pgbench", said: said)
    }
    return rate
  }

  /// A session that holds its snapshot until it is ended.
  func holdSnapshot(in database: String) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: programs).appending(path: "psql")
    process.arguments = ["-X", "-q", "-d", text(database)]
    let input = Pipe()
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let lines = "BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT count(*) FROM pg_class;\n"
    try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
    return process
  }

  private func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: programs).appending(path: program)
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let said = String(decoding: data, as: UTF8.self)
    guard process.terminationStatus == 0 else { throw Failed(program: program, said: said) }
    return said
  }

  struct Failed: Error, CustomStringConvertible {
    let program: String
    let said: String
    var description: String { "\(program): \(said)" }
  }
}
