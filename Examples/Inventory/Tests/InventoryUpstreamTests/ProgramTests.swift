// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryUpstream
import TestSupport
import Testing

@Suite(.ends(withinMinutes: 5)) struct ProgramTests {
  private let put = Wire.request("PUT /twins/\(twin)", ["Idempotency-Key: k"], emma)
  private let get = Wire.request("GET /twins/\(twin)")

  @Test func `what was answered outlives a kill`() async throws {
    let folder = try TemporaryFolder()
    let arguments = ["--port", "0", "--data", folder.url.path, "--allow-control"]
    let first = try await Program.start(arguments)
    #expect(try await Wire.exchange(put, port: first.port).hasPrefix("HTTP/1.1 201 "))
    #expect(await first.stop(SIGKILL) == SIGKILL)

    let second = try await Program.start(arguments)
    let answer = try await Wire.exchange(get, port: second.port)
    #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("Jane Austen"))
    let again = try await Wire.exchange(put, port: second.port)
    #expect(again.contains("Idempotent-Replayed: true"))
    #expect(await second.stop(SIGTERM) == 0)
  }

  @Test func `a port in use is one sentence and status 1`() async throws {
    let first = try await Program.start(["--port", "0"])
    let second = try await Program.run(["--port", "\(first.port)"])
    #expect(second.status == 1 && second.output.isEmpty)
    #expect(
      second.errors == """
        inventory-upstream: Port \(first.port) of 127.0.0.1 is in use; choose another with --port.

        """)
    #expect(await first.stop(SIGINT) == 0)
  }

  @Test func `a data folder that cannot be used is one sentence and status 1`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "file")
    try Data().write(to: file)
    let end = try await Program.run(["--port", "0", "--data", file.path])
    #expect(end.status == 1 && end.output.isEmpty)
    #expect(end.errors.hasPrefix("inventory-upstream: The ") && end.errors.hasSuffix(".\n"))
    #expect(end.errors.split(separator: "\n").count == 1)
  }

  @Test(arguments: [["--port", "70000"], ["--port", "x"], ["--colour", "red"]])
  func `wrong options are explained`(arguments: [String]) async throws {
    let end = try await Program.run(arguments)
    #expect(end.status == 64)
    #expect(end.errors.hasPrefix("Error: ") && end.errors.contains("Usage: inventory-upstream"))
  }

  @Test func `the environment may choose the port`() async throws {
    let wrong = try await Program.run([], environment: ["UPSTREAM_PORT": "http"])
    #expect(
      wrong.status == 64 && wrong.errors.contains("UPSTREAM_PORT must be a number, not http."))
    let first = try await Program.start(["--port", "0"])
    let taken = try await Program.run([], environment: ["UPSTREAM_PORT": "\(first.port)"])
    #expect(taken.status == 1 && taken.errors.contains("Port \(first.port) "))
    _ = await first.stop(SIGTERM)
  }
}
