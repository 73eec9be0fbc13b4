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

  @Test func `what waits in an older form is laid over what is kept`() async throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    let old = try await shop.open(Worker(for: First.self) { _, _ in })
    try await old.enqueue(First(name: "a"), orderedBy: "names")
    await old.shutDown()
    let outbox = try await Outbox(
      at: shop.folder.database, configuration: shop.configuration, clock: shop.clock
    ) { workers(Box([])) }
    let cache = ResponseCache("names", of: .account(1), in: MemoryCacheStore(clock: ManualClock()))
    var shown = cache.updates(
      for: "n", as: [String].self, overlaying: Third.self, of: outbox, orderedBy: "names"
    ) { names, edit in names = (names ?? []) + edit.names }.makeAsyncIterator()
    #expect(await shown.following() == CachedValue(["a"], .missing, localChanges: 1))
    // Who still works with the older form sees it, too.
    var before = cache.updates(
      for: "n", as: String.self, overlaying: First.self, of: outbox, orderedBy: "names"
    ) { name, edit in name = edit.name }.makeAsyncIterator()
    #expect(await before.following() == CachedValue("a", .missing, localChanges: 1))
    await outbox.shutDown()
  }

  @Test func `a conflict about an older form ends with an operation of the newest`() async throws {
    var shop = try Workshop()
    shop.configuration.codec = Scrambler()
    let sent = Box<[Third]>([])
    let outbox = try await Outbox(
      at: shop.folder.database, configuration: shop.configuration, clock: shop.clock
    ) {
      Worker(for: Third.self) { third, _ in
        guard third.isNew else { throw RemoteConflict(remote: Data("theirs".utf8)) }
        sent.change { $0.append(third) }
      }
      .upcasting(from: Second.self) { Third(names: $0.names, isNew: false) }
      .upcasting(from: First.self) { Second(names: [$0.name]) }
    }
    let id = try await outbox.enqueue(First(name: "a"))
    await outbox.wait { $0.conflicted == 1 }
    #expect(try await !outbox.resolve(id, with: .send(Second(names: ["ours"]))))
    let ours = Third(names: ["ours"], isNew: true)
    try #require(try await outbox.resolve(id, with: .send(ours)))
    await outbox.wait { $0.pending == 0 }
    #expect(sent.value == [ours])
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

private struct Page: Codable, Sendable, Equatable {
  var title = "t"
  var text = "x"
}

private struct EditPageV1: MergingOperation {
  static let kind: OperationKind = "edit-page"
  static let mergePolicy = EditPage.mergePolicy
  var base: VersionedState<Page>
  var local: RecordState<Page>
}

private struct EditPage: MergingOperation {
  static let kind: OperationKind = "edit-page"
  static let version = 2
  static let mergePolicy = MergePolicy<Page>([.field("title", \.title), .field("text", \.text)])
  var base: VersionedState<Page>
  var local: RecordState<Page>
  var author: String
}

/// Changes of a record that wait in a form from before an update of the app.
@Suite(.requirement("O20"), .ends(withinMinutes: 5)) struct UpcastingChangesTests {
  private struct Sent: Sendable, Equatable {
    let page: RecordState<Page>
    let author: String
  }

  private let shop: Workshop
  private let sent = Box<[Sent]>([])
  /// What the other side has.
  private let theirs = VersionedState(RecordState.present(Page(title: "theirs")), version: "2")

  init() throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    self.shop = shop
  }

  private func open() async throws -> Outbox {
    try await Outbox(
      at: shop.folder.database, configuration: shop.configuration, clock: shop.clock
    ) {
      Worker(for: EditPage.self) { [sent, theirs] edit, change, _ in
        guard change.precondition == theirs.version else { throw try RemoteConflict(theirs) }
        sent.change { $0.append(Sent(page: change.state, author: edit.author)) }
        return "3"
      }
      .upcasting(from: EditPageV1.self) {
        EditPage(base: $0.base, local: $0.local, author: "unknown")
      }
    }
  }

  private func edit(_ page: Page) -> EditPageV1 {
    EditPageV1(base: VersionedState(.present(Page()), version: "1"), local: .present(page))
  }

  @Test func `a person sees their conflict and decides about it`() async throws {
    let outbox = try await open()
    let id = try await outbox.enqueue(edit(Page(title: "mine")), orderedBy: "page")
    await outbox.resume()
    await outbox.wait { $0.conflicted == 1 }
    await outbox.pause()
    let conflict = try #require(try await outbox.conflict(id, of: EditPage.self))
    #expect(conflict.fields == [FieldConflict(field: "title", cause: .bothChanged)])
    let ours = RecordState.present(Page(title: "ours"))
    try #require(try await outbox.resolve(id, of: EditPage.self, conflict, with: ours))
    let decided = try #require(try await outbox.operation(id))
    #expect(decided.decoded(as: EditPage.self)?.author == "unknown")
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    #expect(sent.value == [Sent(page: ours, author: "unknown")])
    await outbox.shutDown()
  }

  @Test func `they take in what is heard of the record`() async throws {
    let outbox = try await open()
    try await outbox.enqueue(edit(Page(text: "mine")), orderedBy: "page")
    #expect(try await outbox.received(theirs, orderedBy: "page", for: EditPage.self))
    await outbox.resume()
    await outbox.wait { $0.pending == 0 }
    let both = RecordState.present(Page(title: "theirs", text: "mine"))
    #expect(sent.value == [Sent(page: both, author: "unknown")])
    await shop.log.wait(for: "succeeded")
    #expect(shop.log.count("merged") == 0, "it went out once")
    await outbox.shutDown()
  }
}
