// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// Who hears of what is parked.
@Suite(.requirement("C13", "O19"), .ends(withinMinutes: 5)) struct ParkedReportsTests {
  /// What notes look like to a newer build.
  private struct Numbered: QueuedOperation {
    static let kind: OperationKind = "note"
    var number: Int
  }

  private struct Stranger: QueuedOperation {
    static let kind: OperationKind = "stranger"
  }

  /// Tells what an outbox says that it reads.
  private struct AttendingStore: ForwardingStore {
    let store: any OutboxStore
    let saying: AsyncStream<Set<PayloadType>>.Continuation

    func attend(to types: Set<PayloadType>) async throws {
      try await store.attend(to: types)
      saying.yield(types)
    }
  }

  private func keeping(_ lines: Log) -> Logger {
    lines.logger(from: .warning) {
      "\($0.level) \($0.message)\($0.pairs(without: "mainstay.operation"))"
    }
  }

  @Test(arguments: [true, false])
  func `what no worker reads is in the log, by kind and version`(isInFile: Bool) async throws {
    let lines = Log()
    var shop = try Workshop()
    shop.configuration.logger = keeping(lines)
    shop.configuration.startsPaused = true
    let worker = Worker(for: Stranger.self) { _, _ in }
    let outbox =
      isInFile
      ? try await shop.open(worker)
      : try await Outbox(
        store: InMemoryStore(), configuration: shop.configuration, clock: shop.clock
      ) { worker }
    for text in ["a", "b"] { try await outbox.enqueue(Note(text: text)) }
    await outbox.resume()
    await outbox.wait { $0.parked == 2 }
    await outbox.shutDown()
    #expect(
      lines.lines == [
        "warning Operations are parked: no worker reads their kind and version"
          + " count=2 mainstay.kind=note version=1"
      ])
  }

  @Test func `what goes on being parked is a line a minute, with how much it is by then`() {
    let lines = Log()
    let reports = ParkedReports(keeping(lines), factory: RecordingMetrics())
    let (type, other) = (
      PayloadType(kind: "note", version: 1), PayloadType(kind: "photo", version: 1)
    )
    for second in 0..<130 { reports.setAside([type: 2], at: .seconds(second)) }
    reports.setAside([other: 1], at: .seconds(130))
    let words = "warning Operations are parked: no worker reads their kind and version"
    #expect(
      lines.lines == [
        "\(words) count=2 mainstay.kind=note version=1",
        "\(words) count=120 mainstay.kind=note version=1",
        "\(words) count=120 mainstay.kind=note version=1",
        "\(words) count=1 mainstay.kind=photo version=1",
      ])
  }

  @Test func `an outbox that begins paused says what it reads`() async throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    let (said, saying) = AsyncStream.makeStream(of: Set<PayloadType>.self)
    let store = AttendingStore(store: InMemoryStore(), saying: saying)
    let outbox = try await Outbox(
      store: store, configuration: shop.configuration, clock: shop.clock
    ) { shop.worker { _, _ in } }
    #expect(await said.first { _ in true } == [PayloadType(kind: Note.kind, version: 1)])
    await outbox.shutDown()
  }

  @Test func `what another owner says that it reads is left to it`() async throws {
    let folder = try TemporaryFolder()
    let (paused, other) = (SQLiteStore(at: folder.database), SQLiteStore(at: folder.database))
    for store in [paused, other] { _ = try await store.open() }
    try await paused.attend(to: NewOperation.types)
    _ = try await paused.insert(.note("a"))
    let types: Set = [PayloadType(kind: Stranger.kind, version: 1)]
    let claim = try await other.claim(ClaimRequest(limit: 1, types: types, isAlone: true))
    #expect(claim.operations.isEmpty && claim.unknown.isEmpty)
    #expect(try await other.snapshot().parked == 0)
    for store in [paused, other] { await store.close() }
  }

  @Test func `what cannot be read is in the log once, with what is wrong and where`() async throws {
    let lines = Log()
    var shop = try Workshop()
    shop.configuration.logger = keeping(lines)
    shop.configuration.startsPaused = true
    let before = try await shop.open(shop.worker { _, _ in })
    try await before.enqueue(Note(text: "a secret"))
    await before.shutDown()
    shop.configuration.startsPaused = false
    // It is tried again after each start.
    for count in 1...3 {
      let outbox = try await shop.open(Worker(for: Numbered.self) { _, _ in })
      await shop.log.wait(for: "failed", count: count)
      await outbox.shutDown()
    }
    #expect(
      lines.lines == [
        "warning An operation is parked: its payload can’t be read"
          + " cause=missing key number at \"\" mainstay.kind=note version=1"
      ])
  }

  @Test func `what is parked is counted by kind and reason, of the first hundred kinds`() {
    let metrics = RecordingMetrics()
    let reports = ParkedReports(Log().logger(), factory: metrics)
    for number in 0...100 {
      let kind = OperationKind(rawValue: "k\(number)")
      reports.setAside([PayloadType(kind: kind, version: 1): 2], at: .zero)
    }
    reports.setAside([PayloadType(kind: "k0", version: 2): 3], at: .zero)
    let lines = metrics.log.lines
    #expect(lines.first == "mainstay.outbox.parked{kind=k0,reason=unknownType} +2")
    #expect(lines[100] == "mainstay.outbox.parked{kind=other,reason=unknownType} +2")
    #expect(lines.last == "mainstay.outbox.parked{kind=k0,reason=unknownType} +3")
    #expect(metrics.made.lines.count == 101)
  }
}
