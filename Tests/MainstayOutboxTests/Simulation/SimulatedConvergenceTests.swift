// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// Law 10, with real outboxes: devices that each keep a copy, and a server.
@Suite(.requirement("C13", "C21", "O22")) struct SimulatedConvergenceTests {
  private struct SetTitle: QueuedOperation, Equatable {
    static let kind: OperationKind = "set-title"
    var item: Int
    var time: Int
    var device: Int

    func isNewer(than other: SetTitle?) -> Bool {
      other.map { (time, device) > ($0.time, $0.device) } ?? true
    }
  }

  /// The titles of each item, the newest of which counts.
  private struct Titles: Sendable, Equatable {
    var newest: [Int: SetTitle] = [:]

    mutating func join(_ title: SetTitle?) {
      if let title, title.isNewer(than: newest[title.item]) { newest[title.item] = title }
    }
  }

  private struct World: Sendable, Equatable {
    var server = Titles()
    var devices: [Titles]
    var times: [Int]
  }

  /// What a device does with the answer of the server.
  private static func simulation(
    forgetting: Bool = false
  ) -> OfflineSimulation<World> {
    OfflineSimulation(
      server: World(devices: [Titles(), Titles(), Titles()], times: [0, 0, 0]),
      edit: { outbox, device, random in
        let item = Int.random(in: 0..<2, using: &random)
        let time = try await device.local { world in
          let seen = world.devices[device.index].newest.values.map(\.time).max() ?? 0
          world.times[device.index] = max(world.times[device.index], seen) + 1
          return world.times[device.index]
        }
        let title = SetTitle(item: item, time: time, device: device.index)
        try await outbox.enqueue(title, orderedBy: item)
        try await device.local { $0.devices[device.index].join(title) }
      },
      check: { world, accepted in complaint(world, accepted) },
      workers: { device in
        Worker(for: SetTitle.self) { title, _ in
          let answer = try await device.call { world in
            if forgetting { world.server.newest[title.item] = title }
            world.server.join(title)
            return world.server.newest[title.item]
          }
          try await device.local { $0.devices[device.index].join(answer) }
        }
      })
  }

  private static func complaint(
    _ world: World, _ accepted: [OfflineSimulation<World>.Accepted]
  ) -> String? {
    var expected = Titles()
    var undone: Set<Int> = []
    for operation in accepted {
      guard let title = try? JSONDecoder().decode(SetTitle.self, from: operation.payload) else {
        return "\(operation.id) cannot be read"
      }
      if operation.isDone { expected.join(title) } else { undone.insert(title.item) }
    }
    // What was cancelled or refused may have been done all the same, and is still in its copy.
    for item in [0, 1] where !undone.contains(item) {
      if world.server.newest[item] != expected.newest[item] { return "the server lost an edit" }
      for device in world.devices {
        var pulled = device
        pulled.join(world.server.newest[item])
        if pulled.newest[item] != world.server.newest[item] { return "a device goes its own way" }
      }
    }
    return nil
  }

  @Test func `all devices and the server end the same`() async {
    let found = await Self.simulation().violations(schedules: Int(RandomDose.schedules) / 10)
    #expect(found.isEmpty, "\(found.map(\.description).joined(separator: "\n\n"))")
  }

  @Test func `a server on which the last call wins is found out`() async throws {
    let found = await Self.simulation(forgetting: true).violations(schedules: 100)
    #expect(!found.isEmpty)
    #expect(
      found.allSatisfy {
        ["one effect for each key", "the server ends as it should"].contains($0.law)
      })
  }
}
