// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import Mainstay
import MainstayHTTP
import MainstayOutbox
import TestSupport
import Testing

/// What happens when the service refuses who asks.
@Suite(.ends(withinMinutes: 5), .requirement("O18")) final class SessionTests: Sendable {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "inventory-session-\(UUID().uuidString)")
  private let isSignedIn = Flag()

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A service that refuses everybody until somebody signs in.
  private func service() async throws -> ScriptedService {
    let isSignedIn = isSignedIn
    return try await ScriptedService(
      status: 0,
      script: { method in
        guard isSignedIn.isRaised else { return (401, "{}") }
        return method == "PUT" ? (201, UpstreamClientTests.twin) : (404, "{}")
      })
  }

  private func open(
    _ service: ScriptedService, _ token: (@Sendable (_ old: String?) async throws -> String)?
  ) async throws -> Inventory {
    var settings = World.settings {
      // One attempt that counted would be the last.
      $0.maximumAttempts = 1
      $0.maximumConcurrency = 8
    }
    if let token {
      settings.client.token = { old in
        // There is one from earlier, which the service no longer takes.
        guard let old else { return "old" }
        return try await token(old)
      }
    }
    let inventory = try await Inventory(
      data: folder, upstream: service.origin, settings: settings)
    try await inventory.start()
    return inventory
  }

  private func fill(_ inventory: Inventory) async throws {
    for number in 0..<20 { _ = try await inventory.add(ItemDraft(title: "Item \(number)")) }
  }

  /// Says that something has changed until all is sent: what was refused before that may close the
  /// lane after it.
  private func drain(_ inventory: Inventory) async throws {
    try await inventory.wait {
      try await inventory.connectionImproved()
      return try await inventory.status().outbox.pending == 0
    }
  }

  @Test func `many refusals sign in once, cost no attempt, and all is delivered`() async throws {
    let (service, calls, isSignedIn) = (try await service(), Log(), isSignedIn)
    let inventory = try await open(service) { old in
      calls.add(old ?? "none")
      isSignedIn.raise()
      return "new"
    }
    try await fill(inventory)
    try await inventory.drained()
    #expect(calls.lines == ["old"])
    #expect(try await inventory.deadLetters().isEmpty)
    #expect(try await inventory.outbox.ledger().count(.done) == 20)
    await inventory.shutDown()
    await service.end()
  }

  @Test(arguments: [0, 1, 2])
  func `without a new token the lane waits until somebody signs in`(_ way: Int) async throws {
    struct Down: Error {}
    let (service, calls) = (try await service(), Log())
    let ways: [(@Sendable (_ old: String?) async throws -> String)?] = [
      nil,
      { _ in
        calls.add("asked")
        throw AppError.unauthorized()
      },
      { _ in
        calls.add("asked")
        throw Down()
      },
    ]
    let inventory = try await open(service, ways[way])
    try await fill(inventory)
    try await inventory.wait { try await inventory.status().outbox.waiting == 20 }
    isSignedIn.raise()
    inventory.client.authorization?.signIn("new")
    try await drain(inventory)
    // It was asked once for each time that something had changed: the start, and the first answer,
    // whose news may come at any moment until here.
    let asked = calls.lines.count
    #expect(asked <= (way == 0 ? 0 : 2))
    // Now nobody is refused, so nobody is asked, whatever changes.
    _ = try await inventory.add(ItemDraft(title: "One more"))
    try await inventory.connectionImproved()
    try await inventory.drained()
    #expect(calls.lines.count == asked)
    #expect(try await inventory.deadLetters().isEmpty)
    await inventory.shutDown()
    await service.end()
  }

  @Test func `somebody who signed in elsewhere is asked again when something has changed`()
    async throws
  {
    let (service, isSignedIn) = (try await service(), isSignedIn)
    let inventory = try await open(service) { _ in
      guard isSignedIn.isRaised else { throw AppError.unauthorized() }
      return "new"
    }
    try await fill(inventory)
    try await inventory.wait { try await inventory.status().outbox.waiting == 20 }
    isSignedIn.raise()
    try await drain(inventory)
    #expect(try await inventory.deadLetters().isEmpty)
    await inventory.shutDown()
    await service.end()
  }

  @Test func `a start tries a lane again that was closed for want of a person`() async throws {
    let service = try await service()
    let first = try await open(service, nil)
    try await fill(first)
    try await first.wait { try await first.status().outbox.waiting == 20 }
    await first.shutDown()
    isSignedIn.raise()
    let second = try await open(service, nil)
    try await second.drained()
    #expect(try await second.deadLetters().isEmpty)
    await second.shutDown()
    await service.end()
  }
}
