// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// Damaged files are moved aside whole, and what can be read is saved.
@Suite(.requirement("O33", "A54")) struct SalvageTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func fill(_ count: Int) async throws {
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    try await withThrowingTaskGroup { group in
      for number in 0..<count {
        let padding = String(repeating: "x", count: 200)
        group.addTask {
          let note = NewOperation.note("\(number)-\(padding)", orderedBy: "k\(number % 7)")
          _ = try await store.insert(note)
        }
      }
      try await group.waitForAll()
    }
    await store.close()
  }

  @Test func `a kind that was paused stays so in what is saved of a torn file`() async throws {
    try await fill(400)
    let before = SQLiteStore(at: folder.database)
    _ = try await before.open()
    try await before.pause("note")
    await before.close()
    try damage(pageOf: 200)
    _ = FileManager.default.createFile(
      atPath: folder.database.path(percentEncoded: false) + "-check", contents: nil)
    let store = SQLiteStore(at: folder.database)
    #expect(try await store.open().salvage != nil)
    #expect(try await store.pausedKinds() == ["note"])
    #expect(try await store.claim().isEmpty)
    await store.close()
  }

  private func files() throws -> Set<String> {
    Set(
      try FileManager.default.contentsOfDirectory(
        atPath: folder.url.path(percentEncoded: false)))
  }

  private func kept() throws -> [String] {
    try files().filter { $0.hasPrefix("outbox.sqlite.damaged-") }.sorted()
  }

  private func overwrite(_ range: Range<Int>, with byte: UInt8) throws {
    var data = try Data(contentsOf: folder.database)
    let range = range.clamped(to: 0..<data.count)
    data.replaceSubrange(range, with: [UInt8](repeating: byte, count: range.count))
    try data.write(to: folder.database)
  }

  /// Damages the page on which an operation lies: where that is, chance decides.
  private func damage(pageOf number: Int) throws {
    let payload = Data("{\"text\":\"\(number)-".utf8)
    let place = try #require(try Data(contentsOf: folder.database).range(of: payload)).lowerBound
    let page = place - place % 4096
    try overwrite(page..<(page + 4096), with: 0xee)
  }

  @Test func `a file that is no database is moved aside, and work goes on`() async throws {
    let rubbish = Data(repeating: 0x41, count: 10_000)
    try rubbish.write(to: folder.database)
    let store = SQLiteStore(at: folder.database)
    let report = try await store.open()
    let salvage = try #require(report.salvage)
    #expect(salvage.operations == 0)
    #expect(salvage.missing == nil)
    #expect(salvage.movedTo.count == 1)
    let moved = try #require(salvage.movedTo.first)
    #expect(moved.wholeMatch(of: /.*\/outbox\.sqlite\.damaged-\d{8}T\d{6}Z/) != nil)
    #expect(try Data(contentsOf: URL(filePath: moved)) == rubbish)
    _ = try await store.insert(.note("a"))
    #expect(try await store.ledger().isBalanced)
    await store.close()
  }

  @Test func `what can be read of a torn file is saved, and the rest has a receipt`()
    async throws
  {
    try await fill(400)
    try damage(pageOf: 200)
    // A sign that the power may have failed.
    _ = FileManager.default.createFile(
      atPath: folder.database.path(percentEncoded: false) + "-check", contents: nil)
    let store = SQLiteStore(at: folder.database)
    let report = try await store.open()
    let salvage = try #require(report.salvage)
    #expect(salvage.operations > 100)
    #expect(salvage.operations < 400)
    #expect(salvage.operations + (salvage.missing ?? 0) == 400)
    #expect(report.isBalanced)
    let ledger = try await store.ledger()
    #expect(ledger.enqueued == 400)
    #expect(ledger.count(.unreadable) == salvage.missing)
    let snapshot = try await store.snapshot()
    #expect(snapshot.pending == salvage.operations)
    #expect(snapshot.ready <= 7)
    #expect(snapshot.ready >= 1)
    await store.close()
    #expect(try kept().count == 1)
    let again = SQLiteStore(at: folder.database)
    #expect(try await again.open().salvage == nil)
    await again.close()
  }

  @Test func `what somebody has to decide about, and what went wrong, is saved of a torn file`()
    async throws
  {
    let before = SQLiteStore(at: folder.database)
    _ = try await before.open()
    for text in ["open", "failed"] { _ = try await before.insert(.note(text)) }
    let leased = try await before.claim()
    let (open, failed) = (try #require(leased.first), try #require(leased.last))
    _ = try await before.settle(
      open.lease, OperationVerdict(.conflicted(remote: Data("theirs".utf8))))
    _ = try await before.settle(
      failed.lease,
      OperationVerdict(
        .scheduled(after: .seconds(60)), attempts: 1,
        failure: FailureNote(code: "test.no", message: "No.")))
    await before.close()
    try await fill(400)
    let file = try DatabaseQueue(patientAt: folder.database)
    try await file.write { try $0.execute(sql: "DELETE FROM mainstay_conflict") }
    try file.close()
    try damage(pageOf: 200)
    _ = FileManager.default.createFile(
      atPath: folder.database.path(percentEncoded: false) + "-check", contents: nil)
    let store = SQLiteStore(at: folder.database)
    #expect(try await store.open().salvage != nil)
    let conflicts = try await store.conflicts()
    #expect(conflicts.map(\.id) == [open.lease.id] && conflicts.first?.remote == nil)
    #expect(try await store.attempts(of: failed.lease.id).map(\.failure?.message) == ["No."])
    await store.close()
  }

  @Test func `the log moves with its database`() async throws {
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    _ = try await store.insert(.note("only in the log"))
    // The process dies: the log stays, and the database is torn before the next opening.
    let copies = try ["", "-wal"].map { suffix in
      try Data(
        contentsOf: URL(filePath: folder.database.path(percentEncoded: false) + suffix))
    }
    await store.close()
    try Data(repeating: 0, count: copies[0].count).write(to: folder.database)
    try copies[1].write(to: URL(filePath: folder.database.path(percentEncoded: false) + "-wal"))
    try overwrite(0..<100, with: 0x41)
    let next = SQLiteStore(at: folder.database)
    let report = try await next.open()
    #expect(report.isBalanced)
    #expect(try await next.snapshot().pending == 1)
    if let salvage = report.salvage {
      #expect(salvage.movedTo.contains { $0.hasSuffix("-wal") })
    }
    await next.close()
  }

  @Test func `rows between two damaged places are found one by one`() async throws {
    try await fill(400)
    for number in [120, 240] { try damage(pageOf: number) }
    _ = FileManager.default.createFile(
      atPath: folder.database.path(percentEncoded: false) + "-check", contents: nil)
    let store = SQLiteStore(at: folder.database)
    let salvage = try #require(try await store.open().salvage)
    #expect(salvage.operations < 400 && salvage.operations > 300)
    #expect(salvage.operations + (salvage.missing ?? 0) == 400)
    await store.close()
  }

  @Test func `a row that is not what its index says does not stop the others`() async throws {
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    for key in ["key-a", "key-b"] { _ = try await store.insert(.note("of \(key)", orderedBy: key)) }
    await store.close()
    // Both rows have one key now, and the index still has two.
    var data = try Data(contentsOf: folder.database)
    let payload = Data("{\"text\":\"of key-b".utf8)
    let end = try #require(data.range(of: payload)).lowerBound
    let place = data.range(of: Data("key-b".utf8), options: .backwards, in: (end - 200)..<end)
    data.replaceSubrange(try #require(place), with: Data("key-a".utf8))
    try data.write(to: folder.database)
    _ = FileManager.default.createFile(
      atPath: folder.database.path(percentEncoded: false) + "-check", contents: nil)
    let next = SQLiteStore(at: folder.database)
    #expect(try await next.open().salvage?.operations == 2)
    let first = try #require(try await next.claim().first)
    _ = try await next.settle(first.lease, OperationVerdict(.done))
    #expect(try await next.claim().map(\.text) == ["of key-b"])
    await next.close()
  }

  @Test func `a row without what every row has is no operation`() async throws {
    try await fill(3)
    let queue = try DatabaseQueue(patientAt: folder.database)
    try await queue.writeWithoutTransaction { db in
      // The rows stay as they are, and their table forgets what it demanded.
      try db.execute(sql: "PRAGMA writable_schema = ON")
      try db.execute(
        sql: """
          UPDATE sqlite_schema SET sql =
            replace(sql, 'TEXT NOT NULL', 'TEXT')
          WHERE name = 'mainstay_op'
          """)
      try db.execute(sql: "PRAGMA writable_schema = RESET")
      try db.execute(sql: "UPDATE mainstay_op SET kind = NULL, idem_key = NULL WHERE id = 1")
      try db.execute(sql: "UPDATE mainstay_op SET uuid = x'00', attempt = 'many' WHERE id = 2")
    }
    try queue.close()
    let whole = SQLiteStore(at: folder.database)
    #expect(try await whole.open().salvage == nil)
    // Neither traps; the third one is run.
    #expect(try await whole.operations(after: nil, limit: 10).count == 1)
    #expect(try await whole.claim().count == 1)
    await whole.close()
    try overwrite(0..<16, with: 0x53)
    let mended = SQLiteStore(at: folder.database)
    #expect(try await mended.open().salvage != nil)
    await mended.close()
  }

  /// Damages the file where nothing lies that anybody needs, and does something else to it.
  private func wreck(_ sql: String) throws {
    let queue = try DatabaseQueue(patientAt: folder.database)
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: sql)
      // The pages of an index that is not there any more are lost.
      try db.execute(sql: "PRAGMA writable_schema = ON")
      try db.execute(sql: "DELETE FROM sqlite_schema WHERE name = 'mainstay_dep_needs'")
      try db.execute(sql: "PRAGMA writable_schema = RESET")
    }
    try queue.close()
    _ = FileManager.default.createFile(
      atPath: folder.database.path(percentEncoded: false) + "-check", contents: nil)
  }

  @Test(arguments: ["", "DELETE FROM sqlite_sequence"])
  func `numbers that dead letters of a damaged file have are not given again`(
    damage: String
  ) async throws {
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    for number in 1...7 { _ = try await store.insert(.note("\(number)")) }
    for leased in try await store.claim() {
      let next: OperationVerdict.Next =
        switch leased.text {
        case "3": .ready
        case "7": .dead(.refused, followers: .holdKey)
        default: .done
        }
      _ = try await store.settle(leased.lease, OperationVerdict(next))
    }
    await store.close()
    try wreck(damage)
    let mended = SQLiteStore(at: folder.database)
    let salvage = try #require(try await mended.open().salvage)
    #expect(salvage.operations == 1 && salvage.deadLetters == 1)
    let letter = try #require(try await mended.deadLetters(after: nil, limit: 9).first)
    for number in 11...17 { _ = try await mended.insert(.note("\(number)")) }
    for leased in try await mended.claim() {
      let verdict = OperationVerdict(.dead(.refused, followers: .holdKey))
      #expect(try await mended.settle(leased.lease, verdict))
    }
    #expect(try await mended.snapshot().dead == 9)
    #expect(try await mended.redrive(letter.id))
    #expect(try await mended.claim().map(\.text) == ["7"])
    #expect(try await mended.ledger().isBalanced)
    await mended.close()
  }

  @Test func `what an operation that is lost has needed holds nothing back`() async throws {
    let store = SQLiteStore(at: folder.database)
    _ = try await store.open()
    let id = try await store.insert(.note("needed"))
    let wishes = NewOperation.Wishes(dependencies: .init([id], ifGivenUp: .giveUp))
    _ = try await store.insert(.note("lost", wishes: wishes))
    await store.close()
    try wreck("DELETE FROM mainstay_op WHERE id = 2; DELETE FROM sqlite_sequence")
    let mended = SQLiteStore(at: folder.database)
    #expect(try await mended.open().salvage?.missing == 1)
    // It gets the number of the one that nothing is left of.
    _ = try await mended.insert(.note("new"))
    let needed = try #require(try await mended.claim(1).first)
    _ = try await mended.settle(
      needed.lease, OperationVerdict(.dead(.refused, followers: .holdKey)))
    #expect(try await mended.claim().map(\.text) == ["new"])
    await mended.close()
  }

  @Test func `a process that dies while it replaces the file leaves nothing undone`() async throws {
    try await fill(5)
    let whole = try Data(contentsOf: folder.database)
    let path = folder.database.path(percentEncoded: false)
    try whole.write(to: URL(filePath: path + "-salvaged-20260102T030405Z"))
    try overwrite(0..<100, with: 0x41)
    let store = SQLiteStore(at: folder.database)
    #expect(try await store.open().isBalanced)
    #expect(try await store.snapshot().pending == 5)
    #expect(try kept() == ["outbox.sqlite.damaged-20260102T030405Z"])
    await store.close()
  }

  @Test func `the newest three damaged files are kept, and nothing else is deleted`() async throws {
    let own = "outbox.sqlite.damaged-"
    let others =
      ["notes", "20200101T000000Z.txt", "20200101T000000Z-2-copy", "20200101T000000Z-02"]
      .map { own + $0 } + ["other.sqlite.damaged-20200101T000000Z"]
    for name in others { try Data("mine".utf8).write(to: folder.url.appending(path: name)) }
    let place = own + "20200101T000000Z"
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: place), withIntermediateDirectories: false)
    // Two are found in one second, and then the clock is set back.
    for day in [1, 2, 3, 3, 0] {
      let rubbish = Data(repeating: 0x41, count: 5000)
      try rubbish.write(to: folder.database)
      try rubbish.write(to: folder.url.appending(path: "outbox.sqlite-wal"))
      let time = Date(timeIntervalSince1970: 1_767_139_200 + Double(day) * 86_400)
      let store = SQLiteStore(at: folder.database, now: { time })
      let salvage = try #require(try await store.open().salvage)
      #expect(salvage.movedTo.count == 2)
      await store.close()
    }
    let kept = ["20251231T000000Z", "20260103T000000Z", "20260103T000000Z-2"]
    let expected = kept.flatMap { [own + $0, own + $0 + "-wal"] } + others + [place]
    #expect(try files().filter { $0.contains(".damaged-") } == Set(expected))
  }

  @Test func `a damaged file that a living process uses stays where it is`() async throws {
    try await fill(10)
    let living = SQLiteStore(at: folder.database)
    _ = try await living.open()
    try overwrite(0..<100, with: 0x41)
    let other = SQLiteStore(at: folder.database)
    await #expect(throws: OutboxError(.corrupted, details: "")) { _ = try await other.open() }
    #expect(try files().contains("outbox.sqlite"))
    #expect(try kept().isEmpty)
    living.abandon()
  }

  @Test func `an outbox says what it saved`() async throws {
    try Data(repeating: 0x41, count: 5000).write(to: folder.database)
    let outbox = try await Outbox(at: folder.database) { Worker(for: Note.self) { _, _ in } }
    #expect(outbox.opening.salvage?.movedTo.isEmpty == false)
    await outbox.shutDown()
  }
}
