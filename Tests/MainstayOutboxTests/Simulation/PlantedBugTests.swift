// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// The simulation finds what is wrong, and its seed shows it again.
@Suite(.requirement("C13", "O22")) struct PlantedBugTests {
  enum Flaw: String, CaseIterable, Sendable {
    case writeBehind, unfenced, unordered, timeless, generous, miscounting, lying, rekeying
    case keylessServer, forgetfulServer, greedyServer
    case hopefulWorker, newKeys, patientWorker, yieldingWorker

    /// The laws of which one is found to be broken.
    var laws: Set<String> {
      switch self {
      case .writeBehind: ["nothing that was accepted is lost"]
      case .unfenced: ["only a lease that is held ends a run"]
      case .unordered: ["the order of a key is that of enqueueing"]
      case .timeless: ["explanations are true", "everything comes to its end"]
      case .generous: ["one lease at a time", "what is gone stays gone"]
      case .miscounting: ["the ledger balances"]
      case .lying: ["explanations are true"]
      case .keylessServer, .forgetfulServer, .newKeys, .rekeying: ["one effect for each key"]
      case .greedyServer: ["the server ends as it should"]
      case .hopefulWorker: ["what is done has happened"]
      case .patientWorker: ["everything comes to its end"]
      case .yieldingWorker:
        ["everything goes on inside the simulation", "everything comes to its end"]
      }
    }
  }

  @Test(arguments: Flaw.allCases) func `a planted bug is found`(flaw: Flaw) async throws {
    let simulation = Self.simulation(flaw)
    var seed: UInt64 = 1
    while seed <= 200 {
      let report = await simulation.run(seed: seed)
      if report.violation != nil { break }
      seed += 1
    }
    let found = try #require(await simulation.violations(schedules: 1, seed: seed).first)
    #expect(flaw.laws.contains(found.law), "\(found)")
    #expect(found.details.contains("Repeat: await simulation.run(seed: \(seed), steps: 30"))
    guard flaw != .yieldingWorker else { return }
    let kept = try #require(found.details.firstMatch(of: /keeping: \[([0-9, ]+)\]/)).1
    let steps = kept.split(separator: ", ").compactMap { Int($0) }
    #expect(steps.count <= (flaw == .unfenced ? 24 : 6))
    let again = await simulation.run(seed: seed, keeping: steps)
    #expect(again.violation == found)
  }

  @Test(.requirement("O4")) func `a store that waits for a clock that was set back is found`()
    async throws
  {
    var simulation = CountingSimulation(devices: 1, faults: [.clocks, .failures])
    simulation.makeStore = { InMemoryStore(now: Self.neverBack($0)) }
    for seed in 1...400 as ClosedRange<UInt64> {
      // To shrink it takes long: it looks again and again, and time stands still.
      guard let found = await simulation.run(seed: seed).violation else { continue }
      #expect(found.law == "everything comes to its end", "\(found)")
      return
    }
    Issue.record("it is not found")
  }

  /// An edit that cannot be encoded, or fails by itself, holds every law.
  @Test(arguments: [false, true]) func `an edit that enqueues nothing is found`(
    throwing: Bool
  ) async throws {
    struct Mistake: Error {}
    let simulation = CountingSimulation(
      devices: 2, server: CountingServer(),
      edit: { _, _, _ in if throwing { throw Mistake() } }, workers: { .adding(on: $0) })
    let found = await simulation.violations(schedules: 10)
    #expect(found.map(\.law) == ["something is enqueued"])
    #expect(found.first?.details.contains("Mistake") == throwing)
  }

  private static func simulation(_ flaw: Flaw) -> CountingSimulation {
    var simulation = CountingSimulation { device in worker(flaw, device) }
    simulation.makeStore = { now in
      let store = InMemoryStore(now: now)
      return switch flaw {
      case .writeBehind: WriteBehindStore(store)
      case .unfenced: UnfencedStore(store)
      case .unordered: UnorderedStore(store)
      case .timeless: TimelessStore(store)
      case .generous: GenerousStore(store)
      case .miscounting: MiscountingStore(store)
      case .lying: LyingStore(store)
      case .rekeying: RekeyingStore(store)
      default: store
      }
    }
    return simulation
  }

  /// A time of day that stands still once it was set back, until it is what it was.
  private static func neverBack(_ now: @escaping @Sendable () -> Date) -> @Sendable () -> Date {
    let latest = Box(Date.distantPast)
    return {
      let date = now()
      return latest.change { latest in
        latest = max(latest, date)
        return latest
      }
    }
  }

  private static func worker(_ flaw: Flaw, _ device: CountingSimulation.Device) -> Worker {
    switch flaw {
    case .keylessServer:
      Worker(for: AddItems.self) { items, _ in
        try await device.call { $0.counts[items.item, default: 0] += items.count }
      }
    case .forgetfulServer:
      Worker(for: AddItems.self) { items, context in
        let key = context.idempotencyKey
        try await device.call { server in
          if !server.seen.contains(key) { server.seen = [] }
          server.add(items, key)
        }
      }
    case .greedyServer:
      Worker(for: AddItems.self) { items, context in
        let key = context.idempotencyKey
        try await device.call { server in
          if !server.seen.contains(key) { server.counts[items.item, default: 0] += items.count }
          server.add(items, key)
        }
      }
    case .hopefulWorker:
      Worker(for: AddItems.self) { items, context in
        let key = context.idempotencyKey
        try? await device.call { $0.add(items, key) }
      }
    case .newKeys:
      Worker(for: AddItems.self) { items, _ in
        try await device.call { $0.add(items, IdempotencyKey()) }
      }
    case .patientWorker:
      Worker(for: AddItems.self) { items, context in
        if items.item == 2 { for await _ in AsyncStream<Never>.makeStream().stream {} }
        let key = context.idempotencyKey
        try await device.call { $0.add(items, key) }
      }
    case .yieldingWorker:
      Worker(for: AddItems.self) { items, context in
        await Task.yield()
        let key = context.idempotencyKey
        try await device.call { $0.add(items, key) }
      }
    default: .adding(on: device)
    }
  }
}
