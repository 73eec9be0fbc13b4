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
    let connection = try await PostgresConnection.patient(server.address())
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

  /// Starts a worker, on Linux in a network of its own; its sessions bear its name.
  func start(_ name: String) throws {
    let process = Process()
    let program = try Self.program
    let arguments = [folder.path(percentEncoded: false), name, "\(lease)"]
    #if os(Linux)
      let socket = "\(server.folder.path)/.s.PGSQL.\(server.port)"
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments =
        ["-c", Self.rights, "sh", Self.network, program.path, socket, PostgresServer.user]
        + arguments
      process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PGAPPNAME": name]
    #else
      process.executableURL = program
      process.arguments = [server.text()] + arguments
      process.environment = ["PGAPPNAME": name]
    #endif
    // It ends when nobody holds the other end any more, also where the tests are killed.
    process.standardInput = Pipe()
    try Launch.run(process)
    processes.withLock { $0[name] = process }
  }

  /// Root may have no user namespaces and needs none; everybody else needs one.
  private static let rights = """
    rights=-Urn
    unshare -Urn true 2>/dev/null || rights=-n
    script=$1; shift
    exec unshare $rights sh -ec "$script" "$@"
    """

  /// Two networks with a cable between them: on its far end the server is, by a relay.
  ///
  /// The shell becomes the worker, so that signals reach that. Somebody beside it pulls the cable
  /// for as long as there is a file with the name of the worker, and ends with it.
  private static let network = """
    ip link set lo up
    unshare -n "$0" relay 5432 "$1" &
    peer=$!
    here=$(readlink /proc/$$/ns/net)
    until [ "$(readlink /proc/$peer/ns/net)" != "$here" ]; do sleep 0.02; done
    ip link add v0 type veth peer name v1
    ip link set v1 netns $peer
    far="nsenter -t $peer -n ip"
    $far link set lo up
    $far addr add 10.9.0.2/24 dev v1
    $far link set v1 up
    ip addr add 10.9.0.1/24 dev v0
    ip link set v0 up
    {
      is=up
      # Foundation hears that it is gone when the last of its descendants is.
      while case $(cat /proc/$$/stat 2>/dev/null) in "" | *" Z "*) false ;; esac; do
        wanted=up
        if [ -e "$3/cut-$4" ]; then wanted=down; fi
        if [ $is != $wanted ]; then $far link set v1 $wanted; is=$wanted; fi
        sleep 0.05
      done
      kill -9 $peer
    } &
    exec "$0" "postgresql://$2@10.9.0.2:5432/postgres" "$3" "$4" "$5"
    """

  /// Pulls the cable of a worker: nothing comes through any more, and nothing says so.
  func cut(_ name: String) throws { try Data().write(to: folder.appending(path: "cut-\(name)")) }

  /// Plugs it in again.
  func mend(_ name: String) throws {
    try FileManager.default.removeItem(at: folder.appending(path: "cut-\(name)"))
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

  /// Has a worker never end what it begins of the kind `hold`.
  func hold(_ name: String) throws { try Data().write(to: folder.appending(path: "hold-\(name)")) }

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
