// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// What only a store on a disk can get wrong.
@Suite(.requirement("A54")) struct SQLiteStoreTests {
  private func open(
    _ folder: TemporaryFolder, at date: Date = Date(timeIntervalSince1970: 1_800_000_000)
  ) async throws -> SQLiteStore {
    let store = SQLiteStore(at: folder.database, now: { date })
    _ = try await store.open()
    return store
  }

  private func change(_ folder: TemporaryFolder, _ sql: String) throws {
    let queue = try DatabaseQueue(patientAt: folder.database)
    try queue.write { db in try db.execute(sql: sql) }
    try queue.close()
  }

  @Test(.requirement("C13"))
  func `what is promised is written with FULL, the end of a run with NORMAL`() async throws {
    let folder = try TemporaryFolder()
    let levels = Box<[DurabilityProbe.Step: Int]>([:])
    let probe = DurabilityProbe { step, level in
      if let level { levels.change { $0[step] = level } }
    }
    let store = SQLiteStore(at: folder.database, clock: FileClock(), probe: probe)
    _ = try await store.open()
    for _ in 0..<2 {  // the level is set anew for each transaction
      _ = try await store.insert(.note("a"))
      let leased = try #require(try await store.claim().first)
      _ = try await store.settle(leased.lease, OperationVerdict(.done))
      let (full, normal) = (2, 1)
      #expect(levels.value[.beforeEnqueueCommit] == full)
      #expect(levels.value[.beforeClaimCommit] == full)
      #expect(levels.value[.beforeSettleCommit] == normal)
      levels.value = [:]
    }
    await store.close()
  }

  @Test(.requirement("O30", "O31")) func `the file has the settings that it needs`() async throws {
    let folder = try TemporaryFolder()
    let store = try await open(folder)
    let settings = try await store.settings([
      "journal_mode", "foreign_keys", "journal_size_limit", "trusted_schema", "busy_timeout",
      "mmap_size",
    ])
    #expect(
      settings == [
        "journal_mode": "wal", "foreign_keys": "1", "journal_size_limit": "16777216",
        "trusted_schema": "0", "busy_timeout": "5000", "mmap_size": "0",
      ])
    await store.close()
  }

  @Test(.requirement("C13"), .ends(withinMinutes: 10))
  func `callers who arrive together share a commit`() async throws {
    // On a machine that stands still between two of them, each may have one of its own.
    while try await commits(of: 200) >= 150 {}
  }

  /// How many commits it takes when so many callers arrive at once.
  private func commits(of callers: Int) async throws -> Int {
    let folder = try TemporaryFolder()
    let commits = Box(0)
    let probe = DurabilityProbe { step, _ in
      if step == .beforeEnqueueCommit { commits.change { $0 += 1 } }
    }
    let store = SQLiteStore(at: folder.database, clock: FileClock(), probe: probe)
    _ = try await store.open()
    try await withThrowingTaskGroup { group in
      for number in 0..<callers {
        group.addTask { _ = try await store.insert(.note(String(number))) }
      }
      try await group.waitForAll()
    }
    #expect(try await store.ledger().enqueued == callers)
    await store.close()
    return commits.value
  }

  @Test(.requirement("O21")) func `a file of a newer build is refused, and left as it is`()
    async throws
  {
    let folder = try TemporaryFolder()
    let first = try await open(folder)
    _ = try await first.insert(.note("a"))
    await first.close()
    try change(folder, "UPDATE mainstay_meta SET value = 4 WHERE key = 'min_writer'")
    let before = try Data(contentsOf: folder.database)
    let error = await #expect(throws: OutboxError.self) { _ = try await open(folder) }
    #expect(error?.code == .newerFormat)
    #expect(error?.details.contains(folder.database.path(percentEncoded: false)) == true)
    #expect(error?.details.contains("format 4") == true)
    #expect(try Data(contentsOf: folder.database) == before)
    try change(folder, "UPDATE mainstay_meta SET value = 3 WHERE key = 'min_writer'")
    #expect(try await open(folder).snapshot().pending == 1)
  }

  @Test func `a newer build that only added something can still be written`() async throws {
    let folder = try TemporaryFolder()
    await (try await open(folder)).close()
    try change(
      folder, "ALTER TABLE mainstay_op ADD COLUMN extra TEXT; CREATE TABLE later (id INTEGER)")
    let store = try await open(folder)
    _ = try await store.insert(.note("a"))
    #expect(try await store.claim().count == 1)
    await store.close()
  }

  @Test(.requirement("O32")) func `a folder that cannot be written is named, and nothing deleted`()
    async throws
  {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "file")
    try Data("mine".utf8).write(to: file)
    let store = SQLiteStore(at: file.appending(path: "outbox.sqlite"))
    let error = await #expect(throws: OutboxError.self) { _ = try await store.open() }
    #expect(error?.code == .unavailable)
    #expect(error?.details.contains("file") == true)
    #expect(try Data(contentsOf: file) == Data("mine".utf8))
  }

  @Test(.requirement("O2", "O35")) func `leases of a dead owner come back at once, at any time`()
    async throws
  {
    let folder = try TemporaryFolder()
    let first = try await open(folder)
    _ = try await first.insert(.note("a"))
    _ = try await first.claim()
    first.abandon()
    // A year earlier: no clock is asked.
    let second = SQLiteStore(
      at: folder.database, now: { Date(timeIntervalSince1970: 1_768_464_000) })
    let report = try await second.open()
    #expect(report.recovered == 1)
    #expect(report.isBalanced)
    #expect(try await second.claim().count == 1)
    await second.close()
  }

  @Test(.requirement("O2")) func `leases of a living owner are left alone, until it dies`()
    async throws
  {
    let folder = try TemporaryFolder()
    let first = try await open(folder)
    _ = try await first.insert(.note("a"))
    let leased = try #require(try await first.claim().first)
    let second = SQLiteStore(at: folder.database)
    #expect(try await second.open().recovered == 0)
    #expect(try await second.claim().isEmpty)
    #expect(try await first.confirms(leased.lease))
    first.abandon()
    _ = try await second.promote(NewOperation.types)
    #expect(try await second.claim().map(\.text) == ["a"])
    await second.close()
  }

  @Test func `what one owner has no worker for is left to a living one that has`() async throws {
    let folder = try TemporaryFolder()
    let (notes, others) = (try await open(folder), try await open(folder))
    let other = ClaimRequest(
      limit: 5, types: [PayloadType(kind: "other", version: 1)], isAlone: true)
    #expect(try await others.claim(other).operations.isEmpty)
    _ = try await notes.insert(.note("a", kind: "other"))
    #expect(try await notes.claim().isEmpty)
    #expect(try await notes.snapshot().parked == 0)
    let leased = try #require(try await others.claim(other).operations.first)
    _ = try await others.settle(leased.lease, OperationVerdict(.ready))
    others.abandon()
    #expect(try await notes.claim().isEmpty)
    _ = try await notes.promote(NewOperation.types)
    #expect(try await notes.claim().isEmpty)
    #expect(try await notes.snapshot().parked == 1, "nobody has a worker for it any more")
    await notes.close()
  }

  /// A symbolic link of this name beside the file, which may not be there yet.
  private func link(_ folder: TemporaryFolder, _ name: String, to target: String) throws -> URL {
    let link = folder.url.appending(path: name)
    try FileManager.default.createSymbolicLink(
      atPath: link.path(percentEncoded: false), withDestinationPath: target)
    return link
  }

  @Test(arguments: [false, true])
  func `owners that come by a link and without one know each other`(isInApp: Bool) async throws {
    let folder = try TemporaryFolder()
    let near = try link(folder, "near.sqlite", to: "outbox.sqlite")
    let far = try link(folder, "far.sqlite", to: near.path(percentEncoded: false))
    let app =
      isInApp
      ? SQLiteStore(in: try DatabaseQueue(patientAt: far))
      : SQLiteStore(at: far)
    _ = try await app.open()
    _ = try await app.insert(.note("a"))
    let leased = try #require(try await app.claim().first)
    for url in [folder.database, near] {
      let other = SQLiteStore(at: url)
      #expect(try await other.open().recovered == 0)
      _ = try await other.promote(NewOperation.types)
      await other.close()
    }
    #expect(try await app.confirms(leased.lease))
    _ = try await app.insert(.note("b"))
    #expect(try await app.claim().map(\.text) == ["b"])
    #expect(try await app.settle(leased.lease, OperationVerdict(.done)))
    await app.close()
  }

  @Test func `a damaged file is moved aside where it lies, and links lead to the new one`()
    async throws
  {
    let folder = try TemporaryFolder()
    let elsewhere = try TemporaryFolder()
    let link = try link(
      elsewhere, "current.sqlite", to: folder.database.path(percentEncoded: false))
    try Data(repeating: 0x41, count: 10_000).write(to: folder.database)
    let store = SQLiteStore(at: link)
    let moved = try #require(try await store.open().salvage?.movedTo.first)
    #expect(moved.contains(folder.url.lastPathComponent))
    _ = try await store.insert(.note("a"))
    await store.close()
    #expect(try await open(folder).snapshot().pending == 1)
    let left = try FileManager.default.contentsOfDirectory(
      atPath: elsewhere.url.path(percentEncoded: false))
    #expect(left == ["current.sqlite"])
  }

  @Test func `closing gives back what is leased, without counting a lost run`() async throws {
    let folder = try TemporaryFolder()
    let first = try await open(folder)
    _ = try await first.insert(.note("a"))
    _ = try await first.claim()
    await first.close()
    let second = SQLiteStore(at: folder.database)
    #expect(try await second.open().recovered == 0)
    let leased = try #require(try await second.claim().first)
    #expect(leased.operation.lostRuns == 0)
    #expect(leased.operation.effect == .sentUnknown)
    await second.close()
    let left = try FileManager.default.contentsOfDirectory(
      atPath: folder.url.path(percentEncoded: false))
    #expect(left.sorted() == ["outbox.sqlite", "outbox.sqlite-reserve"])
  }

  @Test(.requirement("O4")) func `tokens grow when a power cut undid the last leases`() async throws
  {
    let folder = try TemporaryFolder()
    let first = try await open(folder)
    _ = try await first.insert(.note("a"))
    let old = try #require(try await first.claim().first)
    first.abandon()
    try change(
      folder,
      """
      UPDATE mainstay_op SET state = 'ready', owner = NULL, lease_token = 0;
      DELETE FROM mainstay_owner
      """
    )
    let second = try await open(folder)
    let new = try #require(try await second.claim().first)
    #expect(new.lease.token > old.lease.token)
    await second.close()
  }

  @Test(.requirement("O29")) func `two connections that write wait for each other`() async throws {
    let folder = try TemporaryFolder()
    let (first, second) = (try await open(folder), try await open(folder))
    // Each waits for one commit of the other at a time: on a slow disk that takes long, and one
    // that commits again and again might let the other have no turn.
    for number in 0..<20 {
      try await withThrowingTaskGroup { group in
        for (index, store) in [first, second].enumerated() {
          group.addTask { _ = try await store.insert(.note("\(index)-\(number)")) }
        }
        try await group.waitForAll()
      }
    }
    #expect(try await first.ledger().enqueued == 40)
    #expect(try await second.snapshot().pending == 40)
    await first.close()
    await second.close()
  }

  @Test func `several that open a new file at once all get it`() async throws {
    for _ in 0..<10 {
      let folder = try TemporaryFolder()
      let stores = (0..<4).map { _ in SQLiteStore(at: folder.database) }
      try await withThrowingTaskGroup { group in
        for (number, store) in stores.enumerated() {
          group.addTask {
            _ = try await store.open()
            _ = try await store.insert(.note(String(number)))
          }
        }
        try await group.waitForAll()
      }
      #expect(try await stores[0].ledger().enqueued == 4)
      for store in stores { await store.close() }
    }
  }

  @Test(.requirement("O19", "O20")) func `a row that is not legal does not stop the others`()
    async throws
  {
    let folder = try TemporaryFolder()
    let first = try await open(folder)
    for text in ["a", "b", "c"] { _ = try await first.insert(.note(text)) }
    await first.close()
    try change(folder, "UPDATE mainstay_op SET idem_key = 'a b' WHERE id = 1")
    try change(folder, "UPDATE mainstay_op SET effect = 'unheard-of' WHERE id = 2")
    let second = try await open(folder)
    let claimed = try await second.claim()
    #expect(claimed.map(\.text) == ["b", "c"])
    #expect(claimed.map(\.operation.effect) == [.sentUnknown, .notSent])
    #expect(try await second.snapshot().parked == 1)
    #expect(try await second.operations(after: nil, limit: 9).count == 2)
    #expect(try await second.ledger().isBalanced)
    await second.close()
  }

  @Test func `whoever looks for damage is told how far that is`() async throws {
    let folder = try TemporaryFolder()
    let store = try await open(folder)
    _ = try await store.insert(contentsOf: (0..<1200).map { .note("\($0)") })
    let told = Box<[[Int]]>([])
    let findings = try await store.findings { rows, total in
      told.change { $0.append([rows, total]) }
    }
    #expect(findings.isEmpty)
    #expect(told.value == [[0, 1200], [500, 1200], [1000, 1200]])
    await store.close()
  }

  @Test(.requirement("O31")) func `numbers that no build writes end nothing`() async throws {
    let folder = try TemporaryFolder()
    var store = try await open(folder)
    let lost = try await store.insert(.note("lost"))
    _ = try await store.claim()
    let other = try await store.insert(.note("other"))
    store.abandon()
    try change(
      folder,
      """
      UPDATE mainstay_op SET lease_token = \(Int64.max), attempt = \(Int64.max),
        unreachable = \(Int64.max), merges = \(Int64.max);
      UPDATE mainstay_op SET crashes = \(Int64.max) WHERE state = 'leased';
      UPDATE mainstay_meta SET value = \(Int64.min) WHERE key = 'pending';
      UPDATE mainstay_meta SET value = 'none' WHERE key = 'bytes';
      INSERT INTO mainstay_receipt (kind, reason, count, bytes, first_at, last_at)
        VALUES ('x', 'done', \(Int64.max), 0, 0, 0), ('y', 'done', \(Int64.max), 0, 0, 0);
      """)
    store = SQLiteStore(at: folder.database, limits: StoreLimits(maximumPending: 9))
    let report = try await store.open()
    #expect(report.quarantined == 1 && !report.isBalanced)
    #expect(try await store.deadLetter(lost) != nil)
    let left = try #require(try await store.operation(other))
    #expect(left.attempts == 1 << 31 && left.merges == 1 << 31 && left.unreachable == 1 << 31)
    let leased = try #require(try await store.claim().first)
    #expect(leased.operation.id == other)
    #expect(try await store.settle(leased.lease, OperationVerdict(.done)))
    _ = try await store.insert(.note("new"))
    #expect(try await store.claim().map(\.text) == ["new"])
    await store.close()
  }

  @Test func `a store that was not opened, or was closed, says so`() async throws {
    let folder = try TemporaryFolder()
    let store = SQLiteStore(at: folder.database)
    await #expect(throws: OutboxError(.shutDown, details: "")) {
      _ = try await store.insert(.note("a"))
    }
    _ = try await store.open()
    await store.close()
    await #expect(throws: OutboxError(.shutDown, details: "")) { _ = try await store.claim() }
  }
}
