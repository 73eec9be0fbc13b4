// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryTestSupport
import TestSupport
import Testing

/// Both programs as they are built, seen from outside.
@Suite(.ends(withinMinutes: 5)) final class BlackBoxTests: Sendable {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "inventory-web-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func inventory(_ upstream: BuiltProgram) async throws -> BuiltProgram {
    try await BuiltProgram(
      "inventory",
      [
        "--port", "0", "--data", folder.path,
        "--upstream", Address(port: upstream.port).origin,
      ])
  }

  @Test(.requirement("C1", "C2", "C13", "A54", "T5"))
  func `a scan outlives a cut network and a kill, and is applied exactly once`() async throws {
    let upstream = try await BuiltProgram("inventory-upstream", ["--port", "0", "--allow-control"])
    let control = Address(port: upstream.port)
    _ = try await control.send("POST", "/control/faults", #"{"mode": "down"}"#)

    let first = try await inventory(upstream)
    let scan = try await Address(port: first.port).send(
      "POST", "/api/scans", #"{"barcode": "9780141439518"}"#, ["Idempotency-Key": "scan-1"])
    #expect(scan.status == 202 && scan.headers["etag"] == "\"1\"")
    let before = try await Address(port: first.port).send("GET", "/api/status")
    #expect(try before.number("outbox.pending") == 1)
    #expect(await first.stop(SIGKILL) == SIGKILL)

    let second = try await inventory(upstream)
    let app = Address(port: second.port)
    let after = try await app.send("GET", "/api/status")
    #expect(try after.number("outbox.pending") == 1)
    _ = try await control.send("POST", "/control/faults", #"{"mode": "healthy"}"#)
    try await app.event { name, data in
      name == "status" && data.contains(#""pending":0"#)
    }
    let id = try #require(try scan.text("id"))
    let item = try await app.send("GET", "/api/items/\(id)")
    #expect(try item.text("sync") == "synced" && item.text("enrichment") == "done")
    #expect(try item.text("title") == "Pride and Prejudice")
    let ledger = try await control.send("GET", "/control/ledger")
    guard case .array(let applied)? = try ledger.member("applied"), applied.count == 1,
      case .object(let entry) = applied[0]
    else {
      Issue.record("\(String(decoding: ledger.body, as: UTF8.self))")
      return
    }
    #expect(entry["key"] == .string("scan-1") && entry["applied"] == .integer(1))
    #expect(await second.stop(SIGTERM) == 0)
    #expect(await upstream.stop(SIGTERM) == 0)
  }

  @Test func `the operations dashboard is there for this machine, and only to look at`()
    async throws
  {
    let upstream = try await BuiltProgram("inventory-upstream", ["--port", "0"])
    let program = try await inventory(upstream)
    let app = Address(port: program.port)
    let status = try await app.send("GET", "/status", nil, ["Accept": "text/html"])
    #expect(String(decoding: status.body, as: UTF8.self).contains("href=\"/mainstay\""))
    let page = try await app.send("GET", "/mainstay")
    #expect(page.status == 200)
    #expect(String(decoding: page.body, as: UTF8.self).contains("/mainstay/outboxes/inventory"))
    let pipelines = try await app.send("GET", "/mainstay/pipelines")
    #expect(String(decoding: pipelines.body, as: UTF8.self).contains("queued catalog"))
    let stranger = try await app.send("GET", "/mainstay", nil, ["Host": "evil.example"])
    #expect(stranger.status == 403)
    let action = try await app.send("POST", "/mainstay/circuits/reset", "id=catalog")
    #expect(action.status == 404)
    #expect(await program.stop(SIGTERM) == 0)
    #expect(await upstream.stop(SIGTERM) == 0)
  }

  @Test func `a foreign name that leads to either program reads and changes nothing`()
    async throws
  {
    let upstream = try await BuiltProgram("inventory-upstream", ["--port", "0", "--allow-control"])
    let program = try await inventory(upstream)
    let (app, service) = (Address(port: program.port), Address(port: upstream.port))
    let made = try await app.send("POST", "/api/items", #"{"title": "Lamp"}"#)
    let item = "/api/items/\(try #require(try made.text("id")))"
    func foreign(
      _ address: Address, _ method: String, _ path: String, _ body: String? = nil,
      accept: String = "*/*"
    ) async throws {
      let name = "evil.test:\(address.port)"
      let headers = ["Host": name, "Origin": "http://\(name)", "Accept": accept]
      let answer = try await address.send(method, path, body, headers)
      #expect(answer.status == 403, "\(method) \(path)")
      let text = String(decoding: answer.body, as: UTF8.self)
      for word in ["Lamp", "pending"] { #expect(!text.contains(word), "\(method) \(path)") }
    }
    for path in ["/api/items", item, "/api/diagnostics", "/api/errors/log", "/events", "/live"] {
      try await foreign(app, "GET", path)
    }
    for path in ["/", "/status", "/mainstay"] {
      try await foreign(app, "GET", path, accept: "text/html")
    }
    try await foreign(app, "DELETE", item)
    try await foreign(app, "PATCH", item, #"{"title": "Torch"}"#)
    #expect(try await app.send("GET", item).text("title") == "Lamp")
    try await foreign(service, "GET", "/twins")
    try await foreign(service, "POST", "/control/faults", #"{"mode": "down"}"#)
    #expect(try await service.send("GET", "/twins").status == 200, "no fault was switched on")
    #expect(await program.stop(SIGTERM) == 0)
    #expect(await upstream.stop(SIGTERM) == 0)
  }

  @Test func `an open page does not keep the program from stopping`() async throws {
    let upstream = try await BuiltProgram("inventory-upstream", ["--port", "0"])
    let program = try await inventory(upstream)
    let app = Address(port: program.port)
    let begun = Countdown(1)
    let page = Task {
      try await app.event { name, _ in
        begun.count()
        return name == "never"
      }
    }
    await begun.reached()
    #expect(await program.stop(SIGTERM) == 0)
    page.cancel()
    _ = await page.result
    _ = await upstream.stop(SIGTERM)
  }

  @Test func `what keeps it from starting is one sentence and status 1`() async throws {
    let upstream = try await BuiltProgram("inventory-upstream", ["--port", "0"])
    let taken = try await BuiltProgram.run(
      "inventory", ["--port", "\(upstream.port)", "--data", folder.path])
    #expect(taken.status == 1)
    #expect(taken.errors.contains("Port \(upstream.port) of 127.0.0.1 is in use"))
    _ = await upstream.stop(SIGTERM)

    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "file")
    try Data().write(to: file)
    let unreadable = try await BuiltProgram.run(
      "inventory", ["--port", "0", "--data", file.path])
    #expect(unreadable.status == 1 && unreadable.errors.contains(file.path))
    #expect(unreadable.errors.split(separator: "\n").count == 1)

    // Nobody answers there, and nobody else ever gets that port.
    let first = try await BuiltProgram(
      "inventory",
      ["--port", "0", "--data", folder.path, "--upstream", "http://127.0.0.1:1"])
    let second = try await BuiltProgram.run("inventory", ["--port", "0", "--data", folder.path])
    #expect(second.status == 1 && second.errors.contains("in use by another run"))
    #expect(second.errors.split(separator: "\n").count == 1)
    _ = await first.stop(SIGTERM)
  }

  @Test(.requirement("O33"))
  func `a damaged file is kept, work goes on, and what was found is said`() async throws {
    let upstream = try await BuiltProgram("inventory-upstream", ["--port", "0"])
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let bytes = Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
    for name in ["items.sqlite", "outbox.sqlite"] {
      try bytes.write(to: folder.appending(path: name))
    }
    let program = try await inventory(upstream)
    let app = Address(port: program.port)
    let document = try await app.send("GET", "/api/diagnostics")
    guard case .array(let lines)? = try document.member("sections.opening.value") else {
      Issue.record("no lines")
      return
    }
    #expect(lines.count == 2)
    let scan = try await app.send("POST", "/api/scans", #"{"barcode": "9780141439518"}"#)
    #expect(scan.status == 202)
    #expect(await program.stop(SIGTERM) == 0)
    let written = program.errors.split(separator: "\n").map(String.init)
    // The outbox writes to its log what it found, too.
    #expect(written.contains { $0.contains("error mainstay.outbox") })
    let said = written.filter { $0.hasPrefix("inventory: ") }
    #expect(said.count == 2)
    for (line, name) in zip(said, ["items.sqlite", "outbox.sqlite"]) {
      let kept = try #require(line.firstMatch(of: /kept as (.*damaged-[0-9TZ]+)/)).output.1
      #expect(line.hasPrefix("inventory: The file of the "))
      #expect(kept.contains("/\(name).damaged-"))
      #expect(try Data(contentsOf: URL(filePath: String(kept))) == bytes)
    }
    _ = await upstream.stop(SIGTERM)
  }

  #if os(Linux)
    @Test(.requirement("A45", "A53"))
    func `a storage that is full is said, reads go on, and room heals it`() async throws {
      let program = try await BuiltProgram(
        "inventory", ["--port", "0", "--data", folder.path, "--upstream", "http://127.0.0.1:1"],
        fileLimit: 512)
      let app = Address(port: program.port)
      func add(_ number: Int) async throws -> Int {
        let body =
          #"{"title": "Item \#(number)", "notes": "\#(String(repeating: "x", count: 9000))"}"#
        return try await app.send("POST", "/api/items", body).status
      }
      var number = 0
      while number < 1000, try await add(number) == 202 { number += 1 }
      #expect((1..<1000).contains(number))
      func level() async throws -> String? {
        try await app.send("GET", "/api/status").text("featureLevel")
      }
      // What is smaller may still fit, and says so meanwhile; and each level stays for a while.
      while try await level() != "minimal" {
        if try await add(number) == 202 { number += 1 }
      }
      let items = try await app.send("GET", "/api/items?limit=1")
      #expect(items.status == 200)
      #expect(String(decoding: items.body, as: UTF8.self).contains("Item \(number - 1)"))
      try await program.liftFileLimit()
      #expect(try await add(number) == 202)
      while try await level() == "minimal" {}
      #expect(await program.stop(SIGTERM) == 0)
    }
  #endif

  @Test(arguments: [["--port", "70000"], ["--upstream", "nonsense"], ["--colour", "red"]])
  func `wrong options are explained`(arguments: [String]) async throws {
    let end = try await BuiltProgram.run("inventory", arguments)
    #expect(end.status == 64 && end.errors.contains("Usage: inventory"))
  }
}
