// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// Devices that change one record, and merge what the others have made of it.
@Suite(.requirement("C13", "C21", "O22")) struct SimulatedMergesTests {
  private struct Item: Codable, Sendable, Equatable {
    var count = 0
    var color = 0
  }

  private struct SaveItem: MergingOperation {
    static let kind: OperationKind = "save-item"
    static let mergePolicy = MergePolicy<Item>([
      .field("count", \.count, .preferLocal), .field("color", \.color, .preferLocal),
    ])
    var base: VersionedState<Item>
    var local: RecordState<Item>
  }

  /// A server that refuses what was made from another version, and knows repetitions by their key.
  private struct World: Sendable, Equatable {
    var item = Item()
    var version = 0
    var answers: [IdempotencyKey: Int] = [:]
    var copies = [Item(), Item()]

    mutating func save(_ change: RecordChange<Item>, _ key: IdempotencyKey) throws -> String {
      if let answer = answers[key] { return "\(answer)" }
      if let expected = change.precondition, expected != "\(version)" {
        throw try RemoteConflict(VersionedState(.present(item), version: "\(version)"))
      }
      if case .present(let new) = change.state { item = new }
      version += 1
      answers[key] = version
      return "\(version)"
    }
  }

  private static func simulation(
    faults: SimulatedFaults, hopes: Bool = false
  ) -> OfflineSimulation<World> {
    OfflineSimulation(
      devices: 2, server: World(), faults: faults,
      edit: { outbox, device, random in try await edit(outbox, device, &random) },
      workers: { device in
        Worker(for: SaveItem.self) { _, change, context -> String? in
          try await save(change, context.idempotencyKey, from: device, hopes: hopes)
        }
      })
  }

  private static func edit(
    _ outbox: Outbox, _ device: OfflineSimulation<World>.Device, _ random: inout SeededGenerator
  ) async throws {
    let (isCount, value) = (Bool.random(using: &random), Int.random(in: 0..<2, using: &random))
    let (old, new) = try await device.local { (world: inout World) -> (Item, Item) in
      let old = world.copies[device.index]
      if isCount {
        world.copies[device.index].count = value
      } else {
        world.copies[device.index].color = value
      }
      return (old, world.copies[device.index])
    }
    let save = SaveItem(base: VersionedState(.present(old), version: nil), local: .present(new))
    try await outbox.enqueue(save, orderedBy: 1)
  }

  /// Whoever hopes takes a call that failed for one that went well.
  private static func save(
    _ change: RecordChange<Item>, _ key: IdempotencyKey,
    from device: OfflineSimulation<World>.Device,
    hopes: Bool
  ) async throws -> String? {
    do {
      return try await device.call { (world: inout World) -> String in
        try world.save(change, key)
      }
    } catch {
      guard hopes else { throw error }
      return nil
    }
  }

  @Test func `what merges is done where the server has it already`() async {
    let found = await Self.simulation(faults: [])
      .violations(schedules: Int(RandomDose.schedules) / 10)
    #expect(found.isEmpty, "\(found.map(\.description).joined(separator: "\n\n"))")
  }

  @Test func `what merges is not done where nothing came of its calls`() async {
    let found = await Self.simulation(faults: .losses, hopes: true).violations(schedules: 100)
    #expect(!found.isEmpty)
    #expect(found.allSatisfy { $0.law == "what is done has happened" })
  }
}
