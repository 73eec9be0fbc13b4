// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayTesting
import TestSupport
import Testing

/// `make run STORE=postgres` as people meet it: two of the app on a database of their own.
@Suite(.ends(withinMinutes: 15))
struct SharedRunTests {
  private let folder: ScratchFolder
  private let machine: BareMachine

  init() throws {
    folder = try ScratchFolder()
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    // What it makes for the database is told of, so that a test can look whether it has gone.
    machine = try BareMachine.built(
      tools: ["chown", "setpriv", "tail"],
      scripts: [
        "mktemp": "PATH='\(path)' mktemp \"$@\" | PATH='\(path)' tee '\(folder.path)/made'"
      ])
  }

  /// Where the database lies.
  private var made: String {
    get throws {
      let file = URL(filePath: folder.path).appending(path: "made")
      return try String(contentsOf: file, encoding: .utf8).filter { !$0.isNewline }
    }
  }

  /// What an address answers, or that nobody does.
  private func look(
    _ port: Int, _ path: String, _ more: String...
  ) async throws -> BuiltProgram.End {
    try await BuiltProgram.run(
      fromPath: "curl", ["-s", "--fail"] + more + ["http://127.0.0.1:\(port)\(path)"])
  }

  /// Whether a process names the folder of the database among its arguments.
  private func isInUse(_ folder: String) async throws -> Bool {
    try await BuiltProgram.run(fromPath: "pgrep", ["-f", folder]).status == 0
  }

  private func expectExample(on ports: [Int], with database: String) async throws {
    #expect(database.hasPrefix("/tmp/inventory-"))
    #expect(try await isInUse(database))

    // Only that they answer: a page may be longer than a pipe holds.
    let kind = ["-o", "/dev/null", "-w", "%{http_code} %{content_type}"]
    for port in ports {
      let page = try await look(port, "/", kind[0], kind[1], kind[2], kind[3])
      #expect(page.status == 0 && page.output.hasPrefix("200 text/html"))
    }
    let item = try await look(
      ports[0], "/api/items", "-H", "Content-Type: application/json", "-d", #"{"title": "Lamp"}"#)
    #expect(item.status == 0, "\(item.output)")
    #expect(try await look(ports[1], "/api/items").output.contains("Lamp"))
  }

  @Test func `both start on one database, and all of it ends with Control-C`() async throws {
    // Nobody else gets them once the programs have ended.
    let held = try (0..<3).map { _ in try HeldPort(isShared: true) }
    let upstream = held[2]
    defer { withExtendedLifetime((folder, machine, held)) {} }
    var ports: [Int] = []
    let run = try await machine.startExample([
      "STORE": "postgres", "INVENTORY_PORT": "\(held[0].number)",
      "SECOND_PORT": "\(held[1].number)",
      "UPSTREAM_PORT": "\(upstream.number)",
    ]) { printed in
      ports = printed.matches(of: /inventory listens on http:\/\/127\.0\.0\.1:(\d+)/)
        .compactMap { Int($0.1) }
      return ports.count == 2 && printed.contains("Control-C stops all") ? ports[0] : nil
    }
    let database: String
    do {
      database = try made
      try await expectExample(on: ports, with: database)
    } catch {
      // A database that nobody stops would outlive this test.
      _ = await run.stop(SIGINT)
      throw error
    }
    #expect(await run.stop(SIGINT) == 0)
    for port in ports + [upstream.number] {
      #expect(try await look(port, "/").status == 7, "somebody still listens on \(port)")
    }
    #expect(try await !isInUse(database))
    #expect(!FileManager.default.fileExists(atPath: database))
  }
}
