// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Logging
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import Metrics
import TestSupport
import Testing

/// The write-ahead log of a file is moved, cut short and measured, and does not grow unnoticed.
@Suite(.requirement("O30"), .ends(withinMinutes: 5)) struct WriteAheadLogTests {
  private let folder: TemporaryFolder
  private let warnings = Log()

  init() throws { folder = try TemporaryFolder() }

  private func open() async throws -> SQLiteStore {
    var surroundings = SQLiteStore.Surroundings()
    surroundings.logger = warnings.logger(from: .warning) { "\($0.level) \($0.message)" }
    let store = SQLiteStore(at: folder.database, clock: FileClock(), surroundings: surroundings)
    _ = try await store.open()
    return store
  }

  private func logBytes(_ folder: TemporaryFolder) -> Int {
    let path = folder.database.path(percentEncoded: false) + "-wal"
    let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
    return size?.intValue ?? 0
  }

  /// How many operations the file has without its log.
  private func moved() throws -> Int {
    let copy = folder.url.appending(path: "copy-\(UUID().uuidString)")
    try FileManager.default.copyItem(at: folder.database, to: copy)
    let queue = try DatabaseQueue(patientAt: copy)
    let count = try queue.read { db in
      try db.tableExists("mainstay_op")
        ? Int.fetchOne(db, sql: "SELECT count(*) FROM mainstay_op") ?? 0 : 0
    }
    try queue.close()
    return count
  }

  /// Somebody who reads the file, and does not end.
  private func reader(_ folder: TemporaryFolder) throws -> DatabaseQueue {
    var configuration = GRDB.Configuration.patient
    configuration.readonly = true
    configuration.allowsUnsafeTransactions = true
    let queue = try DatabaseQueue(
      path: folder.database.path(percentEncoded: false), configuration: configuration)
    try queue.unsafeRead { db in
      try db.execute(sql: "BEGIN; SELECT count(*) FROM mainstay_op")
    }
    return queue
  }

  /// Looks after the log at each of these seconds.
  private func tend(_ store: SQLiteStore, at seconds: Int...) async throws {
    for second in seconds {
      try await store.tendLog(store.changesOfOthers().activity, at: .seconds(second))
    }
  }

  @Test func `it is moved into the file when nobody has written for a while`() async throws {
    let store = try await open()
    _ = try await store.insert(.note("a"))
    try await tend(store, at: 0)
    #expect(try moved() == 0)
    try await tend(store, at: 1)
    #expect(try moved() == 1)
    await store.close()
  }

  @Test func `an outbox that rests does so by itself, and measures`() async throws {
    let metrics = RecordingMetrics()
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    let outbox = try await withMetricsFactory(metrics) { [shop] in
      try await shop.open(shop.worker { _, _ in })
    }
    await metrics.log.lines(atLeast: 1)
    let line = try #require(metrics.log.lines.first)
    let bytes = try #require(line.firstMatch(of: /^mainstay\.outbox\.log\{\} =(\d+)$/)).1
    #expect(Int(bytes).map { $0 > 0 } == true, "\(line)")
    await outbox.shutDown()
  }

  @Test func `a reader who holds it is warned of`() async throws {
    let store = try await open()
    _ = try await store.insert(.note("a"))
    let reader = try reader(folder)
    for number in 0..<6 {
      _ = try await store.insert(
        .note("\(number)" + String(repeating: "x", count: 1 << 20)))
    }
    #expect(store.logBytes > LogStateMachine.limit * 4096)
    try await tend(store, at: 0, 2, 4)
    #expect(warnings.lines.isEmpty && store.isLogHeld)
    try await tend(store, at: 6, 8, 10)
    #expect(warnings.lines.count == 1)
    let line = try #require(warnings.lines.first)
    #expect(line.hasPrefix("warning The log of the outbox cannot be cleared up: a reader has held"))
    #expect(line.contains("for 6 seconds"))
    try reader.close()
    try await tend(store, at: 12)
    #expect(try moved() == 7 && !store.isLogHeld)
    await store.close()
  }

  @Test(.requirement("O34", "O35"), arguments: [false, true])
  func `it is cut short before the app is suspended, and nobody waits for readers`(
    isRead: Bool
  ) async throws {
    var shop = try Workshop()
    shop.configuration.startsPaused = true
    // It has half a second by this clock, of which a slow disk takes none.
    var surroundings = SQLiteStore.Surroundings()
    surroundings.timeline = Timeline(shop.clock)
    let store = SQLiteStore(
      at: shop.folder.database, clock: FileClock(), surroundings: surroundings)
    let outbox = try await Outbox(
      store: store, configuration: shop.configuration, clock: shop.clock
    ) { shop.worker { _, _ in } }
    try await outbox.enqueue(Note(text: "a"))
    #expect(logBytes(shop.folder) > 0)
    let reader = isRead ? try reader(shop.folder) : nil
    await outbox.suspend()
    #expect((logBytes(shop.folder) > 0) == isRead)
    // It waits as long as ever where it has to.
    try await outbox.enqueue(Note(text: "b"))
    #expect(try await outbox.snapshot().pending == 2)
    try reader?.close()
    await outbox.shutDown()
  }

  @Test func `a suspension leaves the settings as they are`() async throws {
    let store = try await open()
    await store.prepareForSuspension()
    #expect(try await store.settings(["busy_timeout"]) == ["busy_timeout": "5000"])
    await store.close()
  }

  @Test(.requirement("O34")) func `it is left alone during a suspension`() async throws {
    let store = try await open()
    store.setSuspended(true)
    _ = try await store.insert(.note("a"))
    try await tend(store, at: 0, 1, 2)
    #expect(try moved() == 0)
    store.setSuspended(false)
    try await tend(store, at: 3, 4)
    #expect(try moved() == 1)
    await store.close()
  }

  @Test(.requirement("O34")) func `nobody looks for others during a suspension`() async throws {
    let store = try await open()
    store.setSuspended(true)
    let isOver = Box(false)
    let (looks, continuation) = AsyncStream.makeStream(of: Bool.self)
    let watch = Task { await store.watchOthers { continuation.yield(isOver.value) } }
    // Time enough for a look.
    for _ in 0..<100 { _ = try await store.changesOfOthers() }
    isOver.value = true
    store.setSuspended(false)
    #expect(await looks.first { _ in true } == true)
    watch.cancel()
    await watch.value
    await store.close()
  }

  @Test func `nothing is done while the file is left`() async throws {
    let store = try await open()
    _ = try await store.insert(.note("a"))
    let reader = try reader(folder)
    let activity = try await store.changesOfOthers().activity
    store.abandon()
    #expect(store.logBytes > 0)
    try await store.tendLog(activity, at: .zero)
    await #expect(throws: OutboxError(.shutDown, details: "")) {
      try await store.tendLog(activity, at: .seconds(1))
    }
    #expect(try moved() == 0)
    try reader.close()
  }

  @Test(.requirement("O28")) func `the log of an app's database is the app's business`()
    async throws
  {
    let database = try DatabasePool(patientAt: folder.database)
    let store = SQLiteStore(in: database)
    _ = try await store.open()
    _ = try await store.insert(.note("a"))
    try await tend(store, at: 0, 1, 2)
    await store.prepareForSuspension()
    #expect(try moved() == 0 && store.logBytes > 0)
    await store.close()
  }
}
