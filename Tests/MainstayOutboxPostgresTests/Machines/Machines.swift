// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutboxPostgres
import PostgresTestSupport
import TestSupport
import Testing

/// Worker processes on one database, and what they wrote down.
final class Machines: Sendable {
  let server: PostgresServer
  /// How many seconds a lease lasts.
  let lease: Int
  private let folder: URL
  private let processes = Locked<[String: Process]>([:])

  init(lease: Int) async throws {
    self.lease = lease
    server = try await PostgresServer()
    folder = FileManager.default.temporaryDirectory.appending(path: "machines-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let connection = try await PostgresConnection.open(server.address())
    try await connection.script(
      """
      CREATE TABLE effects (key text, token bigint, worker text, at timestamptz);
      CREATE TABLE fences (key text PRIMARY KEY, token bigint NOT NULL);
      """)
  }

  deinit {
    for process in processes.withLock({ $0 }).values { kill(process.processIdentifier, SIGKILL) }
    try? FileManager.default.removeItem(at: folder)
  }

  /// Starts a worker.
  func start(_ name: String) throws {
    let process = Process()
    process.executableURL = try Self.program
    process.arguments = [server.text(), folder.path(percentEncoded: false), name, "\(lease)"]
    process.environment = [:]
    // It ends when nobody holds the other end any more, also where the tests are killed.
    process.standardInput = Pipe()
    try Launch.run(process)
    processes.withLock { $0[name] = process }
  }

  /// The number of its process.
  func processID(of name: String) -> Int32 {
    processes.withLock { $0[name]?.processIdentifier ?? 0 }
  }

  /// Sends a worker a signal.
  func signal(_ name: String, _ signal: Int32) {
    guard let process = processes.withLock({ $0[name] }) else { return }
    kill(process.processIdentifier, signal)
  }

  /// Kills a worker, and returns when it is gone.
  func end(_ name: String) async {
    guard let process = processes.withLock({ $0.removeValue(forKey: name) }) else { return }
    kill(process.processIdentifier, SIGKILL)
    await eventually { !process.isRunning }
  }

  /// Has all workers enqueue no more.
  func stopEnqueueing() throws { try Data().write(to: folder.appending(path: "stop")) }

  var intended: [String] { lines("intended").map { $0[0] } }
  var accepted: [String] { lines("accepted").map { $0[0] } }

  /// How often a worker wrote something of a kind down; nil for any worker.
  func count(_ what: String, by name: String? = nil) -> Int {
    lines("events").count { $0.count > 1 && $0[1] == what && (name == nil || $0[0] == name) }
  }

  private func lines(_ name: String) -> [[String]] {
    let file = folder.appending(path: name)
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
  }

  /// It lies beside the program that runs the tests.
  private static var program: URL {
    get throws {
      let places = [CommandLine.arguments.first, Bundle.main.executablePath].compactMap(\.self)
      let programs = places.flatMap { place in
        let folder = URL(filePath: place).deletingLastPathComponent()
        return [folder, folder.deletingLastPathComponent()].map {
          $0.appending(path: "PostgresChild")
        }
      }
      return try #require(
        programs.first {
          FileManager.default.isExecutableFile(atPath: $0.path(percentEncoded: false))
        })
    }
  }
}
