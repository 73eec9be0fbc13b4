// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// Who says whether a constraint holds, and what counts before anybody has: the page about them.
@Suite(.requirement("O15"), .ends(withinMinutes: 5)) struct OutboxConstraintTests {
  private static let power = OperationConstraint.power
  private static let own: OperationConstraint = "has-location"

  @Test func `an upload for an unmetered network waits on one that costs something`() async throws {
    var shop = try Workshop()
    let source = ScriptedConnectivitySource(
      .init(link: .up, route: .present, interfaces: [.cellular], isExpensive: true))
    let monitor = ConnectivityMonitor(source: source, clock: shop.clock)
    shop.configuration.connectivity = monitor
    shop.configuration.unmetConstraints = [.unmetered]
    let outbox = try await shop.open(shop.worker { _, _ in })
    let id = try await outbox.enqueue(
      Note(text: "a"), options: EnqueueOptions(priority: .low, constraints: [.unmetered]))
    await outbox.wait { $0.causes.constraint == 1 }
    #expect(try await outbox.explain(id)?.obstacles == [.constraint(.unmetered)])
    source.say(.init(link: .up, route: .present, interfaces: [.wifi]))
    // A monitor tells of changes a few times a second at most.
    let clock = shop.clock
    let moving = Task {
      while !Task.isCancelled {
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .milliseconds(100))
        await Task.yield()
      }
    }
    await outbox.wait { $0.pending == 0 }
    moving.cancel()
    await outbox.shutDown()
    monitor.shutDown()
    clock.advance(by: .seconds(1))
  }

  @Test(arguments: [.network, .unmetered, power, .signedIn("ada"), own])
  func `a constraint of which nobody has spoken holds nobody back`(
    constraint: OperationConstraint
  ) async throws {
    let shop = try Workshop()
    let outbox = try await shop.open(shop.worker { _, _ in })
    try await outbox.enqueue(Note(text: "a"), options: EnqueueOptions(constraints: [constraint]))
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
  }

  @Test(arguments: [power, .signedIn("ada"), own])
  func `of others than the network the app says it, also beside a monitor`(
    constraint: OperationConstraint
  ) async throws {
    var shop = try Workshop()
    let source = ScriptedConnectivitySource(.online)
    let monitor = ConnectivityMonitor(source: source, clock: shop.clock)
    shop.configuration.connectivity = monitor
    shop.configuration.unmetConstraints = [constraint]
    let outbox = try await shop.open(shop.worker { _, _ in })
    try await outbox.enqueue(Note(text: "a"), options: EnqueueOptions(constraints: [constraint]))
    await outbox.wait { $0.causes.constraint == 1 }
    await outbox.set(constraint, isMet: true)
    await outbox.wait { $0.pending == 0 }
    await outbox.shutDown()
    monitor.shutDown()
  }
}
