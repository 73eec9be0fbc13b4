// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import Mainstay
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
    _ service: ScriptedService, _ refresh: (@Sendable () async throws -> Bool)?
  ) async throws -> Inventory {
    let inventory = try await Inventory(
      data: folder, upstream: service.origin,
      settings: World.settings {
        // One attempt that counted would be the last.
        $0.maximumAttempts = 1
        $0.maximumConcurrency = 8
        $0.client.refresh = refresh
      })
    try await inventory.start()
    return inventory
  }

  private func fill(_ inventory: Inventory) async throws {
    for number in 0..<20 { _ = try await inventory.add(ItemDraft(title: "Item \(number)")) }
  }

  @Test func `many refusals sign in once, cost no attempt, and all is delivered`() async throws {
    let (service, calls, isSignedIn) = (try await service(), Log(), isSignedIn)
    let inventory = try await open(service) {
      calls.add("refresh")
      isSignedIn.raise()
      return true
    }
    try await fill(inventory)
    try await inventory.drained()
    #expect(calls.lines.count == 1)
    #expect(try await inventory.deadLetters().isEmpty)
    #expect(try await inventory.outbox.ledger().count(.done) == 20)
    await inventory.shutDown()
    await service.end()
  }

  @Test(arguments: [0, 1, 2])
  func `without a new session the lane waits until something has changed`(
    _ way: Int
  ) async throws {
    struct Down: Error {}
    let (service, calls) = (try await service(), Log())
    let ways: [(@Sendable () async throws -> Bool)?] = [
      nil,
      {
        calls.add("refresh")
        return false
      },
      {
        calls.add("refresh")
        throw Down()
      },
    ]
    let inventory = try await open(service, ways[way])
    try await fill(inventory)
    try await inventory.wait { try await inventory.status().outbox.waiting == 20 }
    isSignedIn.raise()
    try await inventory.connectionImproved()
    try await inventory.drained()
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
