// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import InventoryTestSupport
import Mainstay
import TestSupport
import Testing

/// Both programs as they are built, and a browser that looks at the app.
final class World: Sendable {
  let browser: Browser
  /// The service: its routes, and the switches for its faults.
  let service: Address
  private let upstream: Locked<BuiltProgram>
  private let program: Locked<BuiltProgram>
  private let folder: URL

  fileprivate init(_ browser: Browser) async throws {
    self.browser = browser
    folder = browser.folder.appending(path: "inventory")
    let upstream = try await Self.startService(on: 0)
    self.upstream = Locked(upstream)
    service = Address(port: upstream.port)
    do {
      program = Locked(try await Self.start(on: 0, folder, service))
    } catch {
      _ = await upstream.stop(SIGKILL)
      throw error
    }
  }

  private static func startService(on port: Int) async throws -> BuiltProgram {
    try await BuiltProgram("inventory-upstream", ["--port", "\(port)", "--allow-control"])
  }

  private static func start(
    on port: Int, _ folder: URL, _ service: Address
  ) async throws -> BuiltProgram {
    try await BuiltProgram(
      "inventory",
      ["--port", "\(port)", "--data", folder.path, "--upstream", service.origin])
  }

  fileprivate func end() async {
    await killApp()
    await killService()
  }

  /// What everybody does at this moment, for a test that failed.
  fileprivate var testimony: String {
    get async {
      let program = program.withLock(\.self)
      return await Testimony.take(
        app: (app, program.processIdentifier), service: service, folder: browser.folder)
    }
  }

  private func killService() async { _ = await upstream.withLock(\.self).stop(SIGKILL) }

  /// Puts a service in the place of this one that knows nothing of what this one was told.
  func renewService() async throws {
    await killService()
    let again = try await Self.startService(on: service.port)
    upstream.withLock { $0 = again }
  }

  /// The app.
  var app: Address { Address(port: program.withLock(\.port)) }

  /// Ends the app at once, as a crash or a power cut does.
  func killApp() async { _ = await program.withLock(\.self).stop(SIGKILL) }

  /// Starts the app again, with what it had kept and where it was.
  func startApp() async throws {
    let port = app.port
    let again = try await Self.start(on: port, folder, service)
    program.withLock { $0 = again }
  }
}

extension World {
  /// Opens a page of the app.
  func open(_ path: String = "/") async throws { try await browser.open(app.origin + path) }

  /// Makes the service fail, in one of the modes of `Upstream.md`.
  func fail(_ mode: String, delayMs: Int = 500) async throws {
    let answer = try await service.send(
      "POST", "/control/faults", #"{"mode": "\#(mode)", "delayMs": \#(delayMs)}"#)
    try #require(answer.status == 200)
  }

  func heal() async throws { try await fail("healthy") }

  /// Types a barcode into the page and presses Enter, as a scanner does.
  func scan(_ barcode: String) async throws {
    try await browser.type("#barcode", barcode + Key.enter.value)
  }

  /// What the page that is open says in a part of it; waits until there is a text.
  func text(_ selector: String) async throws -> String {
    try await browser.until("text(args[0])", .string(selector)).text ?? ""
  }

  /// Makes an item that both sides have, without the page.
  ///
  /// - Returns: The item's id.
  func item(scanned barcode: String) async throws -> String {
    let answer = try await app.send("POST", "/api/scans", #"{"barcode": "\#(barcode)"}"#)
    let id = try #require(try answer.text("id"))
    try await synced(id)
    return id
  }

  /// Returns when an item is the same at both sides.
  func synced(_ id: String) async throws {
    // The first event tells how everything stands, so nothing falls between asking and listening.
    try await app.event { name, data in
      (name == "status" && data.contains(#""pending":0"#))
        || (name == "item" && data.contains(id) && data.contains(#""sync":"synced""#))
    }
  }

  /// Somebody else changes the twin of an item at the service.
  func changeTwin(_ id: String, _ changes: [String: JSONValue]) async throws {
    let twin = try await service.send("GET", "/twins/\(id)")
    let tag = try #require(twin.headers["etag"])
    guard case .object(var members) = try JSONDecoder().decode(JSONValue.self, from: twin.body)
    else { throw Unreadable(what: "a twin") }
    members.merge(changes) { $1 }
    let body = String(decoding: try JSONEncoder().encode(members), as: UTF8.self)
    let answer = try await service.send(
      "PUT", "/twins/\(id)", body, ["If-Match": tag, "Idempotency-Key": UUID().uuidString])
    try #require(answer.status == 200)
  }

  /// Changes the twin of an item that has a change waiting here, before the service hears of that.
  ///
  /// The app is killed meanwhile, so it cannot be faster.
  func changeTwinBehind(_ id: String, _ changes: [String: JSONValue]) async throws {
    await killApp()
    try await heal()
    try await changeTwin(id, changes)
    try await startApp()
  }

  /// Makes a conflict about the title and the place of an item; returns when the app knows of it.
  ///
  /// A portal tells at once that nothing was delivered; after a cut the app would have to find out.
  func conflict(_ id: String) async throws {
    try await fail("portal")
    let answer = try await app.send(
      "PATCH", "/api/items/\(id)",
      #"{"title": "Pride & Prejudice", "location": "Shelf 2"}"#)
    try #require(answer.status == 202)
    try await changeTwinBehind(
      id, ["title": "Pride and Prejudice, illustrated", "location": "Attic"])
    try await app.event { name, data in
      name == "conflict" || (name == "status" && data.contains(#""conflicted":1"#))
    }
  }

  /// Makes an item whose write the service refuses for good, since its key belongs to another one.
  ///
  /// - Returns: The item's id.
  func deadLetter() async throws -> String {
    let key = UUID().uuidString
    let other = try await service.send(
      "PUT", "/twins/\(UUID().uuidString)", #"{"title": "A teapot"}"#, ["Idempotency-Key": key])
    try #require(other.status == 201)
    let answer = try await app.send(
      "POST", "/api/scans", #"{"barcode": "9780141439518"}"#, ["Idempotency-Key": key])
    try await app.event { name, data in name == "status" && data.contains(#""dead":1"#) }
    return try #require(try answer.text("id"))
  }

  /// The writes that the service has applied: how often each key was.
  func applied(to id: String) async throws -> [Int] {
    let ledger = try await service.send("GET", "/control/ledger")
    return try (ledger.member("applied") ?? []).list
      .filter { $0["twin"] == .string(id) }
      .compactMap { $0["applied"]?.number.map { Int($0) } }
  }
}

/// Runs a test in a world of its own, and ends everything whatever happens.
///
/// No page may complain in the console, but about a network that a test has cut.
func inWorld(
  _ window: Window = Window(), sourceLocation: SourceLocation = #_sourceLocation,
  _ test: (World) async throws -> Void
) async throws {
  try await withBrowser(window) { browser in
    let world = try await World(browser)
    do {
      try await test(world)
    } catch {
      // A test whose time is over is cancelled, and nobody would answer it.
      let testimony = await Task.detached {
        await browser.keepPicture(named: "failure")
        return await world.testimony
      }.value
      Issue.record("\(error)\n\n\(testimony)", sourceLocation: sourceLocation)
      await world.end()
      throw error
    }
    let complaints = try await browser.complaints()
    await world.end()
    for complaint in complaints where complaint.level == "SEVERE" && complaint.source != "network" {
      Issue.record("\(complaint)", sourceLocation: sourceLocation)
    }
  }
}
