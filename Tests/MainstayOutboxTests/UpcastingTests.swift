// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// Payloads outlive the builds that wrote them.
@Suite(.requirement("O20"), .ends(withinMinutes: 5)) struct UpcastingTests {
  private struct First: QueuedOperation {
    static let kind: OperationKind = "edit"
    var name: String
  }

  private struct Second: QueuedOperation {
    static let kind: OperationKind = "edit"
    static let version = 2
    var names: [String]
  }

  private struct Third: QueuedOperation, Equatable {
    static let kind: OperationKind = "edit"
    static let version = 3
    var names: [String]
    var isNew: Bool
  }

  private struct Stranger: Error {}

  /// Workers that say that it happened, when they are asked.
  private func workers(_ seen: Box<[Third]>) -> [Worker] {
    Worker(
      for: Third.self,
      reconcile: { third, _ in
        seen.change { $0.append(third) }
        return .applied
      }
    ) { third, _ in seen.change { $0.append(third) } }
    .upcasting(from: Second.self) { Third(names: $0.names, isNew: false) }
    .upcasting(from: First.self) { first in
      guard first.name != "odd" else { throw Stranger() }
      return Second(names: [first.name])
    }
  }

  @Test func `what waits in an older form goes up step by step`() async throws {
    var shop = try Workshop()
    shop.configuration.maximumConcurrency = 1
    let seen = Box<[Third]>([])
    let outbox = try await Outbox(
      at: shop.folder.database, configuration: shop.configuration, clock: shop.clock
    ) { workers(seen) }
    try await outbox.enqueue(First(name: "a"))
    try await outbox.enqueue(Second(names: ["b", "c"]))
    try await outbox.enqueue(Third(names: [], isNew: true))
    await outbox.wait { $0.pending == 0 }
    #expect(Set(seen.value.map(\.names)) == [["a"], ["b", "c"], []])
    #expect(seen.value.filter(\.isNew).count == 1)
    await outbox.shutDown()
  }

  @Test func `the other side is asked in the newest form, too`() async throws {
    let shop = try Workshop()
    let seen = Box<[Third]>([])
    let outbox = try await Outbox(
      at: shop.folder.database, configuration: shop.configuration, clock: shop.clock
    ) { workers(seen) }
    try await outbox.enqueue(First(name: "a"), options: EnqueueOptions(mayHaveBeenSent: true))
    await outbox.wait { $0.pending == 0 }
    #expect(seen.value == [Third(names: ["a"], isNew: false)])
    #expect(shop.log.count("started") == 0 && shop.log.count("reconciled") == 1)
    await outbox.shutDown()
  }

  @Test(.requirement("O19")) func `what cannot be brought up is parked, byte for byte`()
    async throws
  {
    let shop = try Workshop()
    let seen = Box<[Third]>([])
    let outbox = try await Outbox(
      at: shop.folder.database, configuration: shop.configuration, clock: shop.clock
    ) { workers(seen) }
    let id = try await outbox.enqueue(First(name: "odd"))
    await outbox.wait { $0.parked == 1 }
    let operation = try #require(try await outbox.operation(id))
    #expect(operation.payload == Data(#"{"name":"odd"}"#.utf8) && operation.attempts == 0)
    #expect(try await outbox.explain(id)?.obstacles == [.unreadable])
    #expect(seen.value.isEmpty)
    await outbox.shutDown()
  }

  @Test func `a step to another kind, or down, stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = Worker(for: First.self) { _, _ in }
        .upcasting(from: Second.self) { First(name: $0.names.joined()) }
    }
    await #expect(processExitsWith: .failure) {
      _ = Worker(for: Third.self) { _, _ in }
        .upcasting(from: First.self) { Second(names: [$0.name]) }
    }
  }
}
