// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import MainstayTesting
import TestSupport
import Testing

/// The file of a cache on a disk that fails: it may forget, and never says anything wrong.
@Suite(.requirement("O39"), .ends(withinMinutes: 10)) struct CacheCutTests {
  private static let walks: UInt64 = RandomDose.isTorture ? 500 : 5

  @Test func `whenever the power goes, no key has another's bytes, and it goes on`() async throws {
    var (hits, forgotten) = (0, 0)
    for seed in 0..<Self.walks {
      var walk = try CacheCutWalk(seed: seed)
      await walk.run(cuts: 20)
      #expect(walk.violations == [], "seed \(seed)")
      hits += walk.hits
      forgotten += walk.forgotten
    }
    #expect(hits > 0 && forgotten > 0, "\(hits) were there, \(forgotten) were not")
  }

  @Test(arguments: FaultyDisk.Call.allCases, [false, true])
  func `whichever call fails, no key has another's bytes, and it goes on`(
    call: FaultyDisk.Call, isForEver: Bool
  ) async throws {
    let stride = RandomDose.isTorture ? 1 : 9
    var failed = 0
    for nth in Swift.stride(from: 1, through: 200, by: stride) {
      var walk = try CacheCutWalk(seed: 1)
      walk.disk.fail(call, at: nth, forever: isForEver)
      let usual = walk.disk.count(call)
      failed += await walk.failing()
      #expect(walk.violations == [], "\(call) at \(nth)")
      if walk.disk.count(call) - usual < nth { break }
    }
    #expect(failed > 0)
  }

  @Test(arguments: [FaultyDisk.Failure.full, .shortRead])
  func `a full disk and short reads do no harm`(failure: FaultyDisk.Failure) async throws {
    let call: FaultyDisk.Call = failure == .full ? .write : .read
    for nth in Swift.stride(from: 1, through: 60, by: RandomDose.isTorture ? 1 : 6) {
      var walk = try CacheCutWalk(seed: 2)
      walk.disk.fail(call, failure, at: nth, forever: nth % 2 == 0)
      _ = await walk.failing()
      #expect(walk.violations == [], "\(failure) at \(nth)")
    }
  }
}

/// A random life of a cache, beside a list of what each key may answer.
struct CacheCutWalk {
  let disk: FaultyDisk
  private let day = TimeOfDay()
  private let clock = ManualClock()
  private var generator: SeededGenerator
  private var store: SQLiteCacheStore
  /// What was ever kept under a key and not wiped since.
  private var possible: [CacheEntry.Key: Set<Data>] = [:]
  private var number = 0
  private(set) var violations: [String] = []
  private(set) var hits = 0
  private(set) var forgotten = 0

  private static let partitions: [CachePartition] = [.everybody, .account("one")]
  private static let keys = partitions.flatMap { partition in
    ["a", "b", "c"].map { CacheEntry.Key($0, of: partition) }
  }

  init(seed: UInt64) throws {
    disk = try FaultyDisk()
    generator = SeededGenerator(seed: seed)
    store = SQLiteCacheStore(at: disk.database)
    reopen()
  }

  private mutating func reopen() {
    let day = day
    store = SQLiteCacheStore(
      at: disk.database, maximumBytes: 60_000, clock: clock, now: { day.now })
  }

  mutating func run(cuts: Int) async {
    for cut in 0..<cuts where violations.isEmpty {
      disk.cut(at: Int.random(in: 1...120, using: &generator))
      for _ in 0..<30 where !disk.isOff { _ = await step() }
      disk.cut(at: 0)
      await store.close()
      do { try disk.restart(seed: generator.next()) } catch { violations.append("\(error)") }
      reopen()
      await check("cut \(cut)")
      await store.close()
      reopen()
    }
  }

  /// - Returns: How many steps failed.
  mutating func failing() async -> Int {
    var failed = 0
    for _ in 0..<12 {
      if await !step() { failed += 1 }
      // A file that could not be opened is left alone for a while.
      clock.advance(by: .seconds(6))
    }
    await store.close()
    disk.heal()
    await check("the disk is well")
    await store.close()
    return failed
  }

  /// - Returns: Whether it went well.
  private mutating func step() async -> Bool {
    guard let key = Self.keys.randomElement(using: &generator) else { return true }
    let kind = Int.random(in: 0..<20, using: &generator)
    do {
      switch kind {
      case 0..<12:
        number += 1
        let size = Int.random(in: 0..<10, using: &generator) == 0 ? 9000 : 40
        let text = "\(key.name) of \(key.partition.name) \(number)"
        let bytes = Data((text + String(repeating: "x", count: size)).utf8)
        let ticket = try await store.read(key).ticket
        possible[key, default: []].insert(bytes)
        _ = try await store.write(
          CacheEntry(key: key, bytes: bytes, form: "Text", tags: ["t"]), under: ticket)
      case 12..<16: try await look(key)
      case 16: try await store.expire(.tag("t", of: key.partition))
      case 17: try await store.remove(.key(key))
      case 18:
        try await store.remove(.partition(key.partition))
        // What an account leaves behind is gone for certain when this returns.
        for other in Self.keys where other.partition == key.partition { possible[other] = [] }
      default:
        await store.close()
      }
      return true
    } catch {
      return false
    }
  }

  private mutating func look(_ key: CacheEntry.Key) async throws {
    guard let entry = try await store.read(key).entry else {
      forgotten += 1
      return
    }
    hits += 1
    if possible[key]?.contains(entry.bytes) != true {
      let text = String(decoding: entry.bytes.prefix(40), as: UTF8.self)
      violations.append("\(key.name) of \(key.partition.name) answers \(text)")
    }
  }

  /// On a good disk it answers and keeps; it may take one call to find out that it is damaged.
  private mutating func check(_ when: String) async {
    var failures: [any Error] = []
    for key in Self.keys {
      clock.advance(by: .seconds(6))
      do { try await look(key) } catch { failures.append(error) }
    }
    if failures.count > 1 { violations.append("\(when): reading threw \(failures)") }
    number += 1
    let key = Self.keys[0]
    let bytes = Data("a of \(key.partition.name) \(number)".utf8)
    do {
      let ticket = try await store.read(key).ticket
      possible[key, default: []].insert(bytes)
      let isKept = try await store.write(
        CacheEntry(key: key, bytes: bytes, form: "Text"), under: ticket)
      let found = try await store.read(key).entry?.bytes
      if !isKept || found != bytes { violations.append("\(when): it keeps nothing") }
    } catch {
      violations.append("\(when): writing threw \(error)")
    }
  }
}
