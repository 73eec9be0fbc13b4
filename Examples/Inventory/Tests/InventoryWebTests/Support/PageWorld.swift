// SPDX-License-Identifier: Apache-2.0

import Foundation
import HummingbirdTesting
import InventoryCore
import InventoryUpstream
import InventoryWeb
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// A service, an app on a folder of its own, and its pages.
struct PageWorld: Sendable {
  /// The clocks: that of the pages, which stands still, that of the service's delays, and the time
  /// of day.
  struct Clocks: Sendable {
    var pages: any Clock<Duration> = ManualClock()
    var service: any Clock<Duration> = ContinuousClock()
    var timeOfDay = TimeOfDay.live
  }

  /// Where the app keeps everything.
  let folder: URL
  let upstream: Upstream
  let inventory: Inventory
  let client: any TestClientProtocol

  /// A browser that was never here.
  func browser() -> Browser { Browser(client) }

  func fail(_ mode: FaultMode) async {
    var settings = FaultSettings(mode: mode)
    settings.delayMs = 20
    await upstream.faults.set(settings)
  }

  /// An item that both sides have.
  func synced(_ draft: ItemDraft) async throws -> Item {
    let id = try await inventory.add(draft).item.id
    try await inventory.wait {
      let isSynced = try await inventory.store.item(id).sync == .synced
      let pending = try await inventory.status().outbox.pending
      return isSynced && pending == 0
    }
    return try await inventory.store.item(id)
  }

  /// A conflict about the title of an item, which somebody else has called “Remote lamp”.
  func conflict() async throws -> ItemConflict {
    let item = try await synced(ItemDraft(title: "Lamp", location: "Attic"))
    await inventory.outbox.pause()
    _ = try await inventory.edit(
      item.id, ItemPatch(["title": .string("Local lamp"), "location": .string("Hall")]))
    let stranger = inventory.client
    let twin = try #require(try await stranger.twin(item.id))
    var fields = try #require(twin.fields)
    fields.title = "Remote lamp"
    fields.location = "Cellar"
    let body = try JSONEncoder.inventory.encode(fields)
    _ = try await stranger.put(item.id, body, ifVersion: twin.version, key: IdempotencyKey())
    await inventory.outbox.resume()
    try await inventory.wait { try await inventory.store.conflicts().count == 1 }
    return try #require(try await inventory.store.conflicts().first)
  }
}

/// Runs a test in a world of its own, and tidies up whatever happens.
func visiting(
  _ setup: TestingSetup = .router, clocks: PageWorld.Clocks = PageWorld.Clocks(),
  load: Load = Load(),
  settings change: @escaping @Sendable (inout Inventory.Settings) -> Void = { _ in },
  _ test: @escaping @Sendable (PageWorld) async throws -> Void
) async throws {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "inventory-pages-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: folder) }
  var choice = Upstream.Settings()
  choice.isControlAllowed = true
  let upstream = try Upstream(choice, clock: clocks.service)
  try await upstream.application().test(.live) { service in
    let port = try #require(service.port)
    let origin = try #require(URL(string: "http://127.0.0.1:\(port)"))
    var settings = Inventory.Settings()
    settings.backoff = .constant(.milliseconds(5), jitter: .none)
    settings.settleTime = .zero
    settings.pullInterval = nil
    // The level is that of the moment, and the memory of the machine is not asked.
    (settings.levelDwell, settings.levelRiseDelay) = (.nanoseconds(1), .zero)
    settings.health = nil
    settings.maximumAttempts = 100_000
    settings.client.failuresToOpen = 100_000
    // Whoever asks is answered in the end, however busy the machine is.
    (settings.client.connectLimit, settings.client.requestLimit) = (.patience, .patience)
    settings.client.lookupLimit = .patience
    settings.client.backoff = .constant(.milliseconds(1), jitter: .none)
    change(&settings)
    let inventory = try await Inventory(
      data: folder, upstream: origin, settings: settings, now: clocks.timeOfDay)
    try await inventory.start()
    let outcome: Result<Void, any Error>
    do {
      let server = try InventoryServer(inventory, port: 0, load: load, clock: clocks.pages)
      try await server.application().test(setup) { client in
        try await test(
          PageWorld(folder: folder, upstream: upstream, inventory: inventory, client: client))
      }
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    await inventory.shutDown()
    try outcome.get()
  }
}

extension Inventory {
  /// Returns as soon as something is so; asked whenever anything changes.
  func wait(until isSo: () async throws -> Bool) async throws {
    let events = events()
    if try await isSo() { return }
    for await _ in events where try await isSo() { return }
  }
}
