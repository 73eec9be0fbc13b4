// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// What a file adds: restarts, the time of day, damage, and what is left on the disk.
@Suite struct SQLiteCacheStoreTests {
  private let folder: TemporaryFolder
  private let day = TimeOfDay()
  private let clock = ManualClock()

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.database.path(percentEncoded: false) }

  private func store(maximumBytes: Int = 1_000_000) -> SQLiteCacheStore {
    let day = day
    return SQLiteCacheStore(
      at: folder.database, maximumBytes: maximumBytes, clock: clock, now: { day.now })
  }

  private func keep(_ entry: CacheEntry, in store: SQLiteCacheStore) async throws {
    let ticket = try await store.read(entry.key).ticket
    #expect(try await store.write(entry, under: ticket))
  }

  private func age(in store: SQLiteCacheStore) async throws -> Duration? {
    let found = try await store.read(CacheEntry.test("a").key)
    #expect(found.entry != nil)
    return found.age
  }

  /// Keeps an answer as a process does that dies soon after.
  private func fill() async throws {
    let store = store()
    try await keep(.test("a", tags: ["t"]), in: store)
    await store.close()
  }

  @Test func `answers are there after a restart, as old as they are`() async throws {
    try await fill()
    day.advance(by: .seconds(100))
    #expect(try await age(in: store()) == .seconds(100))
  }

  @Test func `a process that dies leaves what it kept`() async throws {
    let dead = store()
    try await keep(.test("a"), in: dead)
    #expect(try await age(in: store()) == .zero)
    // It leaves the file after that, which takes time on a slow disk.
    withExtendedLifetime(dead) {}
  }

  @Test(.requirement("O4", "O39"), arguments: [-365, 365])
  func `the time of day may jump a year while the process runs`(days: Int) async throws {
    let store = store()
    try await keep(.test("a"), in: store)
    day.advance(by: .seconds(days * 86_400))
    clock.advance(by: .seconds(10))
    #expect(try await age(in: store) == .seconds(10))
  }

  @Test(.requirement("O4", "O39"))
  func `after the time of day was set back over a restart nobody knows how old anything is`()
    async throws
  {
    try await fill()
    // Ten days later somebody looks, and then the clock is set back to an hour after the answer.
    day.advance(by: .seconds(10 * 86_400))
    let second = store()
    #expect(try await age(in: second) == .seconds(10 * 86_400))
    await second.close()
    day.advance(by: .seconds(3_600 - 10 * 86_400))
    let third = store()
    #expect(try await age(in: third) == nil)
    // What is kept from now on has an age again, and the old stays unknown.
    try await keep(.test("b"), in: third)
    await third.close()
    day.advance(by: .seconds(20 * 86_400))
    let fourth = store()
    #expect(try await age(in: fourth) == nil)
    #expect(try await fourth.read(CacheEntry.test("b").key).age == .seconds(20 * 86_400))
  }

  @Test(.requirement("O4", "O39"))
  func `an answer from the future is of unknown age and not fresh`() async throws {
    day.advance(by: .seconds(365 * 86_400))
    try await fill()
    day.advance(by: .seconds(-365 * 86_400))
    let store = store()
    let cache = ResponseCache("a", of: .everybody, in: store)
    #expect(try await age(in: store) == nil)
    let key = CacheEntry.Key("n", of: .everybody)
    let ticket = try await store.read(key).ticket
    let future = CacheEntry.Ticket(
      removals: ticket.removals, number: ticket.number,
      reading: ticket.reading + .seconds(86_400))
    let entry = CacheEntry(key: key, bytes: Data("7".utf8), form: "Swift.Int")
    #expect(try await store.write(entry, under: future))
    #expect(try await store.read(key).age == nil)
    #expect(await cache.cached("n", as: Int.self) == nil)
    let anyAge = CachePolicy(staleIfError: .always)
    let shown = await cache.cached("n", as: Int.self, policy: anyAge)
    #expect(shown == CachedValue(7, .stale(age: nil, cause: nil)))
    // It does not keep a newer one out for ever.
    #expect(try await cache.value(for: "n") { 8 }.freshness == .fresh)
    #expect(try await store.read(key).age == .zero)
  }

  @Test func `clocks are put right by a moment without a word`() async throws {
    try await fill()
    day.advance(by: .seconds(-4))
    #expect(try await age(in: store()) == .zero)
  }

  @Test(.requirement("O39"))
  func `nothing of an account is left in the files after its answers were removed`() async throws {
    let store = store()
    let secret = "Geheimnis-42"
    let mine = CachePartition.account("account-\(secret)")
    for number in 0..<20 {
      let entry = CacheEntry(
        key: CacheEntry.Key("\(secret)-\(number)", of: mine), bytes: Data(secret.utf8),
        form: "Test", validator: secret, tags: [secret])
      try await keep(entry, in: store)
    }
    try await store.expire(.tag(secret, of: mine))
    try await keep(.test("b"), in: store)
    #expect(try remains(of: secret))
    try await store.remove(.partition(mine))
    #expect(try !remains(of: secret))
    #expect(try await store.usage().count == 1)
  }

  private func remains(of secret: String) throws -> Bool {
    try FileManager.default.contentsOfDirectory(at: folder.url, includingPropertiesForKeys: nil)
      .contains { try Data(contentsOf: $0).range(of: Data(secret.utf8)) != nil }
  }

  @Test(.requirement("O39"))
  func `a wipe by one process wins over a load of another one`() async throws {
    let (app, widget) = (store(), store())
    let entry = CacheEntry.test("a", of: .account(1))
    let ticket = try await widget.read(entry.key).ticket
    try await app.remove(.partition(.account(1)))
    #expect(try await !widget.write(entry, under: ticket))
    #expect(try await app.usage().count == 0)
  }

  @Test func `the file stays within its bound, and shrinks when a partition goes`() async throws {
    let store = store(maximumBytes: 400_000)
    for number in 0..<300 {
      try await keep(.test("\(number)", of: .account(1), size: number * 20), in: store)
    }
    await store.close()
    let usage = try await store.usage()
    #expect(usage.bytes <= 400_000 && usage.bytes > 350_000)
    let size = try fileSize()
    #expect(size < 1_000_000, "\(size) bytes")
    try await store.remove(.partition(.account(1)))
    #expect(try fileSize() < 100_000)
    #expect(try await store.usage().bytes == 0)
  }

  private func fileSize() throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return attributes[.size] as? Int ?? 0
  }

  @Test(.requirement("O32"))
  func `a file that has no room left costs neither an answer nor what is kept`() async throws {
    let (store, recorder) = (store(maximumBytes: 100_000), EventRecorder())
    let cache = ResponseCache(
      "a", of: .everybody, in: store, policy: CachePolicy(freshFor: .zero), observer: recorder)
    #expect(try await cache.value(for: "old") { "kept" }.value == "kept")
    let queue = try DatabaseQueue(patientAt: folder.database)
    try await queue.write { db in
      try db.execute(sql: "CREATE TABLE filler (a); INSERT INTO filler VALUES (zeroblob(9000000))")
    }
    let long = String(repeating: "x", count: 50_000)
    for _ in 0..<3 { #expect(try await cache.value(for: "new") { long }.value == long) }
    let errors = recorder.events.compactMap { event in
      if case .cacheStorageFailed(let error) = event.what { error as? AppError } else { nil }
    }
    #expect(errors.map(\.kind) == [.storageFull])
    let answer = try await cache.value(for: "old") { () -> String in
      throw AppError.http(status: 503, isRepeatable: true)
    }
    #expect(answer.value == "kept")
    #expect(await cache.wipe())
  }

  @Test func `leaving the file while it is used loses no question`() async throws {
    let store = store()
    try await keep(.test("a"), in: store)
    await withTaskGroup { group in
      for index in 0..<60 {
        group.addTask {
          if index % 10 == 9 { return await store.close() }
          do {
            let found = try await store.read(CacheEntry.test("a").key)
            #expect(found.entry != nil)
          } catch {
            Issue.record(error)
          }
        }
      }
    }
  }

  @Test(.requirement("O33")) func `a damaged file is made anew, and told of once`() async throws {
    try await fill()
    let file = try FileHandle(forWritingTo: folder.database)
    try file.seek(toOffset: 4_096)
    try file.write(contentsOf: Data(repeating: 0xAB, count: 60_000))
    try file.close()
    let recorder = EventRecorder()
    let cache = ResponseCache("a", of: .everybody, in: store(), observer: recorder)
    for _ in 0..<3 { #expect(try await cache.value(for: "n") { 1 }.value == 1) }
    #expect(await cache.cached("n", as: Int.self)?.value == 1)
    let failures = recorder.events.filter { $0.what.name == "cacheStorageFailed" }
    #expect(failures.count == 1)
    guard case .cacheStorageFailed(let error)? = failures.first?.what else { return }
    #expect((error as? AppError)?.kind == .corrupted)
  }

  @Test(.requirement("O33")) func `whatever bytes are wrong, nothing breaks and it works again`()
    async throws
  {
    let first = store()
    for number in 0..<30 {
      try await keep(.test("\(number)", size: number * 40, tags: ["t\(number % 3)"]), in: first)
    }
    await first.close()
    let whole = try Data(contentsOf: folder.database)
    for seed in 0..<UInt64(max(25, RandomDose.cases / 10)) {
      var random = SplitMix64(seed: seed)
      var bytes = whole
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        // The header of the file says whose it is; one that does not is another test.
        bytes[Int.random(in: 100..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      let url = folder.url.appending(path: "fuzz-\(seed).sqlite")
      try bytes.write(to: url)
      let store = SQLiteCacheStore(at: url, maximumBytes: 20_000, clock: clock)
      let cache = ResponseCache("a", of: .everybody, in: store)
      for number in 0..<30 { _ = try? await store.read(CacheEntry.test("\(number)").key) }
      #expect(try await cache.value(for: "n") { seed }.value == seed)
      await cache.invalidate(.tag("t1"))
      await cache.remove(.prefix("2"))
      for number in 0..<20 { await cache.keep(number, for: "k\(number)") }
      _ = await cache.wipe()
      await store.close()
    }
  }

  @Test func `a file of another format is made anew where it lies`() async throws {
    try await fill()
    let queue = try DatabaseQueue(patientAt: folder.database)
    try await queue.write { db in
      try db.execute(sql: "DROP TABLE cache_tag; CREATE TABLE newer (a); PRAGMA user_version = 99")
    }
    let store = store()
    #expect(try await store.read(CacheEntry.test("a").key).entry == nil)
    try await keep(.test("a", tags: ["t"]), in: store)
    let tables = try await queue.read {
      try String.fetchAll($0, sql: "SELECT name FROM sqlite_schema")
    }
    #expect(!tables.contains("newer") && tables.contains("cache_tag"))
  }

  @Test func `a build that made the file anew while it was open is found out`() async throws {
    let store = store()
    try await keep(.test("a"), in: store)
    let queue = try DatabaseQueue(patientAt: folder.database)
    try await queue.write { db in
      try db.execute(sql: "DROP TABLE cache_tag; DROP TABLE cache_entry; PRAGMA user_version = 99")
    }
    await #expect(throws: AppError.self) { try await store.read(CacheEntry.test("a").key) }
    try await keep(.test("a"), in: store)
    #expect(try await age(in: store) == .zero)
  }

  @Test func `the database of somebody else is not touched`() async throws {
    let queue = try DatabaseQueue(patientAt: folder.database)
    try await queue.write { try $0.execute(sql: "CREATE TABLE precious (a)") }
    try queue.close()
    let before = try Data(contentsOf: folder.database)
    await #expect(throws: AppError.self) { try await store().read(CacheEntry.test("a").key) }
    #expect(try Data(contentsOf: folder.database) == before)
    let marked = try DatabaseQueue(patientAt: folder.database)
    try await marked.write { try $0.execute(sql: "PRAGMA application_id = 7") }
    try marked.close()
    let after = try Data(contentsOf: folder.database)
    await #expect(throws: AppError.self) { try await store().read(CacheEntry.test("a").key) }
    #expect(try Data(contentsOf: folder.database) == after)
  }

  @Test func `the file itself says whose it is from the first use on`() async throws {
    let store = store()
    _ = try await store.usage()
    let start = try #require(try FileHandle(forReadingFrom: folder.database).read(upToCount: 72))
    #expect(start.suffix(4) == Data("MsCa".utf8))
    #expect(try await store.usage().count == 0)
  }

  @Test func `what is no database at all is moved aside`() async throws {
    let text = Data("dear diary, ".utf8)
    try text.write(to: folder.database)
    try await keep(.test("a"), in: store())
    #expect(try Data(contentsOf: URL(filePath: path + ".unreadable")) == text)
  }

  @Test func `a file that cannot be opened is left alone for a while`() async throws {
    let blocked = folder.url.appending(path: "file")
    try Data().write(to: blocked)
    let store = SQLiteCacheStore(at: blocked.appending(path: "cache.sqlite"), clock: clock)
    let recorder = EventRecorder()
    let cache = ResponseCache("a", of: .everybody, in: store, observer: recorder)
    for _ in 0..<3 { #expect(try await cache.value(for: "n") { 1 }.value == 1) }
    #expect(recorder.events.map(\.what.name).count { $0 == "cacheStorageFailed" } == 1)
    try FileManager.default.removeItem(at: blocked)
    await #expect(throws: AppError.self) { try await store.usage() }
    clock.advance(by: .seconds(5))
    #expect(try await store.usage().count == 0)
  }

  @Test func `uses survive a restart`() async throws {
    let size = CacheEntry.test("a").size
    let first = store(maximumBytes: 3 * size)
    for name in ["a", "b", "c"] { try await keep(.test(name), in: first) }
    _ = try await first.read(CacheEntry.test("a").key)
    await first.close()
    let second = store(maximumBytes: 3 * size)
    try await keep(.test("d"), in: second)
    #expect(try await second.read(CacheEntry.test("a").key).entry != nil)
    #expect(try await second.read(CacheEntry.test("b").key).entry == nil)
  }

  @Test func `its files can be read by their owner alone, and a closed one has no log`()
    async throws
  {
    let store = store()
    try await keep(.test("a"), in: store)
    for suffix in ["", "-wal", "-shm"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
    }
    await store.close()
    // Some systems keep the file of the log, which is empty then.
    let log = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
    #expect(log?[.size] as? Int ?? 0 == 0)
  }

  @Test func `a store that was closed opens again`() async throws {
    let store = store()
    try await keep(.test("a"), in: store)
    await store.close()
    await store.close()
    #expect(try await age(in: store) == .zero)
  }

  @Test(arguments: [-Double.infinity, -1e18, 1e18, .infinity, .nan])
  func `a time of day that cannot be breaks nothing`(seconds: Double) async throws {
    let store = SQLiteCacheStore(
      at: folder.database, clock: clock, now: { Date(timeIntervalSince1970: seconds) })
    try await keep(.test("a"), in: store)
    clock.advance(by: .seconds(3))
    #expect(try await age(in: store) == .seconds(3))
    #expect(try await self.store().read(CacheEntry.test("a").key).entry != nil)
  }
}
