// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryTestSupport
import PostgresTestSupport
import TestSupport
import Testing

/// Two programs on one database, as `make run STORE=postgres` starts them.
@Suite(.ends(withinMinutes: 10)) final class SharedProgramsTests: Sendable {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "inventory-shared-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func program(
    _ name: String, _ database: String, _ upstream: Int
  ) async throws -> BuiltProgram {
    try await BuiltProgram(
      "inventory-postgres",
      [
        "--port", "0", "--data", folder.appending(path: name).path, "--database", database,
        "--upstream", Address(port: upstream).origin,
      ])
  }

  @Test(.requirement("A54"))
  func `either shows and changes what the other one took, and sends it when that is killed`()
    async throws
  {
    let server = try await PostgresServer()
    let upstream = try await BuiltProgram(
      "inventory-upstream",
      ["--port", "0", "--data", folder.appending(path: "up").path, "--allow-control"])
    let service = Address(port: upstream.port)
    let database = server.text() + "?connect_timeout=300"
    let first = try await program("a", database, upstream.port)
    let second = try await program("b", database, upstream.port)
    let (a, b) = (Address(port: first.port), Address(port: second.port))

    let made = try await a.answered("POST", "/api/items", #"{"title": "Lamp"}"#)
    #expect(made.status == 202)
    let id = try #require(try made.text("id"))
    #expect(try await b.answered("GET", "/api/items/\(id)").text("title") == "Lamp")
    // A page at one hears of what is done at the other; what was told before it listened is gone.
    let changing = Task {
      var number = 0
      while !Task.isCancelled {
        number += 1
        _ = try await b.send("PATCH", "/api/items/\(id)", "{\"title\": \"Blue \(number)\"}")
      }
    }
    try await a.event { $0 == "item" && $1.contains("Blue") }
    changing.cancel()
    _ = await changing.result
    try await eventually {
      try await a.send("GET", "/api/items/\(id)").text("sync") == "synced"
    }

    _ = try await service.send("POST", "/control/faults", #"{"mode": "down"}"#)
    var ids: [String] = []
    for number in 0..<10 {
      let answer = try await a.answered("POST", "/api/items", "{\"title\": \"Item \(number)\"}")
      #expect(answer.status == 202)
      ids.append(try #require(try answer.text("id")))
    }
    #expect(await first.stop(SIGKILL) == SIGKILL)
    _ = try await service.send("POST", "/control/faults", #"{"mode": "healthy"}"#)
    for id in ids {
      try await eventually {
        try await b.send("GET", "/api/items/\(id)").text("sync") == "synced"
      }
    }
    #expect(try await b.answered("GET", "/api/status").member("ledger.balanced") == .bool(true))
    let ledger = try await service.send("GET", "/control/ledger")
    for id in ids {
      let text = String(decoding: ledger.body, as: UTF8.self).lowercased()
      #expect(text.contains(id.lowercased()), "the service has it")
    }
    #expect(await second.stop(SIGTERM) == 0)
    _ = await upstream.stop(SIGTERM)
  }

  @Test func `what one did under a key the other one repeats`() async throws {
    let server = try await PostgresServer()
    let upstream = try await BuiltProgram(
      "inventory-upstream", ["--port", "0", "--data", folder.appending(path: "up").path])
    let service = Address(port: upstream.port)
    let database = server.text() + "?connect_timeout=300"
    let first = try await program("a", database, upstream.port)
    let second = try await program("b", database, upstream.port)
    let (a, b) = (Address(port: first.port), Address(port: second.port))
    // The service knows the key of another request, so this one is given up.
    let key = ["Idempotency-Key": "taken"]
    let other = try await service.send(
      "PUT", "/twins/\(UUID().uuidString)", #"{"title": "A teapot"}"#, key)
    #expect(other.status == 201)
    let made = try await a.answered("POST", "/api/items", #"{"title": "Lamp"}"#, key)
    #expect(made.status == 202)
    var letter: String?
    try await eventually {
      let letters = try await b.send("GET", "/api/dead-letters").member("deadLetters")
      guard case .array(let all)? = letters, case .object(let fields)? = all.first,
        case .string(let id)? = fields["id"]
      else { return false }
      letter = id
      return true
    }
    let path = "/api/dead-letters/\(try #require(letter))"
    let discarded = try await a.answered("DELETE", path, nil, ["Idempotency-Key": "discard"])
    #expect(discarded.status == 202 && discarded.headers["idempotent-replayed"] == nil)
    let again = try await b.answered("DELETE", path, nil, ["Idempotency-Key": "discard"])
    #expect(again.status == 202 && again.body == discarded.body)
    #expect(again.headers["idempotent-replayed"] == "true")
    let redrive = path + "/redrive"
    let reused = try await b.answered("POST", redrive, nil, ["Idempotency-Key": "discard"])
    #expect(reused.status == 422)
    // Without a key it is another request.
    #expect(try await b.answered("DELETE", path).status == 404)
    #expect(await first.stop(SIGTERM) == 0)
    #expect(await second.stop(SIGTERM) == 0)
    _ = await upstream.stop(SIGTERM)
  }

  @Test func `a database that cannot be used is named in one sentence`() async throws {
    let server = try await PostgresServer.common()
    let cases = [
      (server.text("nowhere") + "?connect_timeout=300", "has no such database"),
      (
        server.networkText(password: "wr0ng", query: "?connect_timeout=300"),
        "correct it in the address"
      ),
      ("postgresql://127.0.0.1:1/x", "No PostgreSQL server answers"),
    ]
    for (address, words) in cases {
      var end: BuiltProgram.End
      repeat {
        end = try await BuiltProgram.run(
          "inventory-postgres", ["--port", "0", "--data", folder.path, "--database", address])
        // Where the machine stood still, nobody knew yet how the first attempt went.
      } while end.errors.contains("No connection came about within") && !Task.isCancelled
      #expect(end.status == 1)
      #expect(end.errors.contains(words) && !end.errors.contains("wr0ng"), "\(end.errors)")
      #expect(end.errors.split(separator: "\n").count == 1, "\(end.errors)")
    }
    let end = try await BuiltProgram.run(
      "inventory-postgres", ["--database", "postgresql://x:y/z"])
    #expect(end.status == 64 && end.errors.contains("--database"), "\(end.errors)")
  }
}

extension Address {
  /// Asks until there is another answer than that a busy machine has no time.
  ///
  /// A `POST` without headers gets a key: what was done in spite of that answer is not done twice.
  fileprivate func answered(
    _ method: String, _ path: String, _ body: String? = nil, _ headers: [String: String]? = nil
  ) async throws -> Answer {
    let headers = headers ?? (method == "POST" ? ["Idempotency-Key": UUID().uuidString] : [:])
    var answer = try await send(method, path, body, headers)
    while answer.status == 503 {
      try Task.checkCancellation()
      answer = try await send(method, path, body, headers)
    }
    return answer
  }
}

/// Returns when something has become true; a test that waits for ever is ended by its limit.
func eventually(_ isTrue: () async throws -> Bool) async rethrows {
  while try await !isTrue(), !Task.isCancelled { await Task.yield() }
}
