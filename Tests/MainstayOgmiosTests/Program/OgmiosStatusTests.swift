// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayHTTP
import MainstayHTTPTesting
import TestSupport
import Testing

/// The program `ogmios-status`, run as a person would.
@Suite(.ends(withinMinutes: 3)) struct OgmiosStatusTests {
  private func run(_ arguments: String...) async throws -> BuiltProgram.End {
    // However busy the machine is, an answer comes in time.
    try await BuiltProgram.run("ogmios-status", ["--timeout", "600"] + arguments)
  }

  @Test func `it shows tip, epoch, health and status of a made-up server`() async throws {
    let end = try await run("--fake")
    #expect(end.status == 0)
    #expect(end.errors.isEmpty)
    let lines = end.output.split(separator: "\n").map(String.init)
    #expect(lines.contains("Status    connected"))
    #expect(lines.contains("Node      synchronized (100 %)"))
    #expect(lines.contains("Epoch     512"))
    #expect(lines.contains("Tip       slot 200, block \(OgmiosLedger().tip.id)"))
  }

  @Test func `a number that makes no sense ends nothing`() async throws {
    let server = try await OgmiosServer()
    server.change { $0.synchronization = 1e300 }
    let end = try await run(server.socketAddress)
    #expect(end.status == 0)
    #expect(end.output.contains("synchronized\n"))
  }

  @Test func `a program reads the same as JSON`() async throws {
    let server = try await OgmiosServer()
    server.change { $0.synchronization = 0.5 }
    let end = try await run("--json", server.socketAddress)
    #expect(end.status == 1)
    let document = try #require(JSONValue(json: Data(end.output.utf8)))
    #expect(document["epoch"]?.integer == 512)
    #expect(document["tip"]?["slot"]?.integer == 200)
    #expect(document["health"]?["state"]?.string == "catchingUp")
    #expect(document["endpoint"]?.string == server.socketAddress)
    #expect(document["failures"]?.array?.isEmpty == true)
  }

  @Test func `a server that refuses is told in words`() async throws {
    let server = try await OgmiosServer()
    server.change { $0.queryEra = "dijkstra" }
    let end = try await run(server.httpAddress)
    #expect(end.status == 1)
    #expect(end.output.contains("No epoch: The service is in another era than the question"))
    #expect(!end.output.contains("2001"))
  }

  @Test func `the next server is asked, and without any nothing is`() async throws {
    let server = try await OgmiosServer()
    // Nobody listens on the first of the reserved ports.
    let gone = "ws://127.0.0.1:1"
    let end = try await run(gone, server.socketAddress)
    #expect(end.status == 0)
    #expect(end.output.contains("Server    \(server.socketAddress)"))
    #expect(end.output.contains("Other     \(gone): failed"))
    let alone = try await run(gone)
    #expect(alone.status == 3)
    #expect(alone.output.contains("none answered"))
  }

  @Test(arguments: [[], ["nonsense"], ["--timeout", "0", "--fake"], ["--no-such-option"]])
  func `what was typed wrongly is named`(arguments: [String]) async throws {
    let end = try await BuiltProgram.run("ogmios-status", arguments)
    #expect(end.status == 2)
    #expect(end.output.isEmpty)
    #expect(!end.errors.isEmpty)
  }

  @Test func `help says what it does`() async throws {
    let end = try await run("--help")
    #expect(end.status == 0)
    #expect(end.output.contains("Exit status: 0 the server in use"))
  }
}
