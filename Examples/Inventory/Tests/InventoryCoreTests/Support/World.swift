// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import InventoryCore
import InventoryUpstream
import Mainstay
import MainstayHTTPTesting
import TestSupport
import Testing

/// The service on a free port, and a folder for the app: what one test needs.
final class World: Sendable {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "inventory-\(UUID().uuidString)")
  let upstream: Upstream
  let origin: URL
  private let server: Task<Void, any Error>
  private let cable: FaultProxy

  init(clock: some Clock<Duration> = ContinuousClock()) async throws {
    var settings = Upstream.Settings()
    settings.port = 0
    settings.isControlAllowed = true
    let upstream = try Upstream(settings, clock: clock)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    server = Task {
      try await upstream.application { continuation.yield($0) }.run()
    }
    let port = try #require(await ports.first { _ in true })
    self.upstream = upstream
    cable = try await FaultProxy(to: port) { _ in .none }
    origin = try #require(URL(string: cable.origin))
  }

  /// Ends the service, as a cable that is pulled out.
  ///
  /// The cable first: SwiftNIO stops the program where a server ends while a connection comes.
  func stop() async {
    cable.shutDown()
    server.cancel()
    _ = await server.result
  }

  func end() async {
    await stop()
    try? FileManager.default.removeItem(at: folder)
  }

  func fail(
    _ mode: FaultMode, rate: Double = 1, seed: UInt64? = nil,
    _ change: (inout FaultSettings) -> Void = { _ in }
  ) async {
    var settings = FaultSettings(mode: mode)
    settings.rate = rate
    settings.seed = seed
    settings.retryAfter = 0
    settings.delayMs = 20
    change(&settings)
    await upstream.faults.set(settings)
  }

  /// The twin of an item; nil where it is not there or a tombstone.
  func twin(_ id: UUID) async -> InventoryUpstream.Twin? {
    let twin = await upstream.store.twin(id.text)
    return twin?.fields == nil ? nil : twin
  }

  /// Opens the app and starts it.
  func open(
    _ change: (inout Inventory.Settings) -> Void = { _ in },
    now: @escaping @Sendable () -> Date = { Date() }
  ) async throws -> Inventory {
    let inventory = try await Inventory(
      data: folder, upstream: origin, settings: Self.settings(change), now: now)
    try await inventory.start()
    return inventory
  }

  static func settings(_ change: (inout Inventory.Settings) -> Void) -> Inventory.Settings {
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
    return settings
  }

  /// A client of somebody else, who changes twins behind the app's back.
  func stranger() -> UpstreamClient {
    UpstreamClient(
      origin: origin, settings: .patient, evidence: ConnectivityEvidence(since: Date()),
      now: { Date() })
  }

  /// Somebody else has used these keys already, for something else.
  func strangerUses(_ keys: IdempotencyKey...) async throws {
    let client = stranger()
    let body = try JSONEncoder.inventory.encode(ItemFields(title: "Somebody’s"))
    for key in keys { _ = try await client.put(UUID(), body, ifVersion: nil, key: key) }
    await client.shutDown()
  }

  /// Somebody else changes the fields of a twin.
  func change(_ id: UUID, _ change: (inout ItemFields) -> Void) async throws {
    let client = stranger()
    let twin = try #require(try await client.twin(id))
    var fields = try #require(twin.fields)
    change(&fields)
    let body = try JSONEncoder.inventory.encode(fields)
    let answer = try await client.put(id, body, ifVersion: twin.version, key: IdempotencyKey())
    guard case .applied = answer else {
      Issue.record("the twin changed meanwhile")
      return
    }
    await client.shutDown()
  }
}

extension UpstreamClient.Settings {
  /// Waits as long as a busy machine needs.
  static var patient: Self {
    var settings = Self()
    (settings.connectLimit, settings.requestLimit) = (.patience, .patience)
    settings.lookupLimit = .patience
    return settings
  }
}

/// Runs a test in a world of its own, and tidies up whatever happens.
func inWorld(
  clock: some Clock<Duration> = ContinuousClock(), _ test: (World) async throws -> Void
) async throws {
  let world = try await World(clock: clock)
  do {
    try await test(world)
  } catch {
    await world.end()
    throw error
  }
  await world.end()
}

extension Inventory {
  /// Returns as soon as something is so; asked whenever anything changes.
  func wait(until isSo: () async throws -> Bool) async throws {
    let events = events()
    if try await isSo() { return }
    for await _ in events where try await isSo() { return }
  }

  /// Returns as soon as nothing is left to do.
  func drained() async throws {
    try await wait {
      let queue = try await status().outbox
      return queue.pending == 0
    }
  }

  /// Returns as soon as an item is as a test wants it.
  func wait(for id: UUID, _ isSo: (Item) -> Bool) async throws -> Item {
    try await wait { isSo(try await store.item(id)) }
    return try await store.item(id)
  }
}

extension Item {
  /// The part that the service keeps too.
  var fields: ItemFields {
    ItemFields(
      kind: kind, barcode: barcode, title: title, author: author, year: year, location: location,
      notes: notes, quantity: quantity)
  }
}

extension InventoryUpstream.Twin {
  /// What is kept, in the words of the app.
  var itemFields: ItemFields? {
    fields.map {
      ItemFields(
        kind: ItemKind(rawValue: $0.kind?.rawValue ?? "") ?? .manual, barcode: $0.barcode,
        title: $0.title, author: $0.author, year: $0.year, location: $0.location,
        notes: $0.notes, quantity: $0.quantity)
    }
  }
}
