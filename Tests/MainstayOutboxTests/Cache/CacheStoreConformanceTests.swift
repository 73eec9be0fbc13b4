// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting
import TestSupport
import Testing

/// A store of answers of one of the two kinds, with a clock that the test moves.
struct CacheStoreUnderTest: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case memory
    case sqlite
  }

  let store: any CacheStore
  let clock = ManualClock()
  private let folder: TemporaryFolder

  init(_ kind: Kind, maximumBytes: Int = 1_000_000) throws {
    folder = try TemporaryFolder()
    switch kind {
    case .memory: store = MemoryCacheStore(maximumBytes: maximumBytes, clock: clock)
    case .sqlite:
      store = SQLiteCacheStore(
        at: folder.database, maximumBytes: maximumBytes, clock: clock,
        now: { Date(timeIntervalSince1970: 1_800_000_000) })
    }
  }

  func read(_ name: String, of partition: CachePartition = .everybody) async throws
    -> CacheEntry.Lookup
  {
    try await store.read(CacheEntry.Key(name, of: partition))
  }

  /// Keeps an answer as a load does that takes no time.
  @discardableResult
  func keep(_ entry: CacheEntry) async throws -> Bool {
    let ticket = try await store.read(entry.key).ticket
    return try await store.write(entry, under: ticket)
  }
}

extension CacheEntry {
  /// An answer of one letter, repeated.
  static func test(
    _ name: String, of partition: CachePartition = .everybody, size: Int = 10,
    tags: Set<String> = []
  ) -> CacheEntry {
    CacheEntry(
      key: Key(name, of: partition), bytes: Data(repeating: 0x78, count: size), form: "Test",
      tags: tags)
  }
}

/// What every store of answers does alike.
@Suite struct CacheStoreConformanceTests {
  typealias Kind = CacheStoreUnderTest.Kind

  @Test(arguments: Kind.allCases)
  func `an answer comes back as it was given, with its age`(kind: Kind) async throws {
    let test = try CacheStoreUnderTest(kind)
    let entry = CacheEntry(
      key: CacheEntry.Key("k", of: .account("é")), bytes: Data((0...255).map(UInt8.init)),
      form: "A<B>", validator: "W/\"1\u{0}2\"", tags: ["a", "b\0c", ""],
      initialAge: .milliseconds(1_500), freshFor: .seconds(60), mustRevalidate: true,
      staleWhileRevalidate: .zero, staleIfError: .milliseconds(2_500))
    #expect(try await test.read("k", of: .account("é")).entry == nil)
    #expect(try await test.keep(entry))
    test.clock.advance(by: .seconds(5))
    let found = try await test.read("k", of: .account("é"))
    #expect(found.entry == entry)
    #expect(found.age == .milliseconds(6_500) && !found.isExpired)
    let plain = CacheEntry(key: entry.key, bytes: Data(), form: "")
    #expect(try await test.keep(plain))
    #expect(try await test.read("k", of: .account("é")).entry == plain)
  }

  @Test(arguments: Kind.allCases, ["", "\0", "k\0ey", "e\u{301}", "\u{1F600}'\";--", "%_*"])
  func `keys of any bytes work and are told apart by them`(kind: Kind, name: String) async throws {
    let test = try CacheStoreUnderTest(kind)
    try await test.keep(.test(name))
    try await test.keep(.test(name + "\0"))
    #expect(try await test.read(name).entry?.key.name == name)
    #expect(try await test.read("\u{E9}").entry == nil)
    try await test.store.remove(.key(CacheEntry.Key(name, of: .everybody)))
    #expect(try await test.read(name).entry == nil)
    #expect(try await test.read(name + "\0").entry != nil)
  }

  @Test(.requirement("O39"), arguments: Kind.allCases)
  func `partitions share nothing`(kind: Kind) async throws {
    let test = try CacheStoreUnderTest(kind)
    for partition in [CachePartition.account(1), .account(2)] {
      try await test.keep(.test("a", of: partition, tags: ["t"]))
    }
    try await test.store.remove(.prefix("", of: .account(1)))
    try await test.store.expire(.tag("t", of: .account(1)))
    try await test.store.remove(.partition(.account(1)))
    #expect(try await test.read("a", of: .account(1)).entry == nil)
    let other = try await test.read("a", of: .account(2))
    #expect(other.entry != nil && !other.isExpired)
  }

  @Test(.requirement("O39"), arguments: Kind.allCases)
  func `what was removed or expired since a load began is not kept`(kind: Kind) async throws {
    let test = try CacheStoreUnderTest(kind)
    let mine = CachePartition.account(1)
    let entry = CacheEntry.test("abc", of: mine, tags: ["t", "u"])
    for selection in [
      CacheEntry.Selection.key(entry.key), .prefix("ab", of: mine), .prefix("", of: mine),
      .tag("t", of: mine), .partition(mine),
    ] {
      for expires in [true, false] {
        let ticket = try await test.store.read(entry.key).ticket
        if expires {
          try await test.store.expire(selection)
        } else {
          try await test.store.remove(selection)
        }
        #expect(try await !test.store.write(entry, under: ticket), "\(selection)")
        #expect(try await test.keep(entry))
      }
    }
    // Others are kept nevertheless.
    let ticket = try await test.store.read(entry.key).ticket
    for selection in [
      CacheEntry.Selection.key(CacheEntry.Key("abc", of: .everybody)), .prefix("b", of: mine),
      .tag("v", of: mine), .tag("t", of: .everybody),
    ] {
      try await test.store.remove(selection)
      try await test.store.expire(selection)
    }
    try await test.store.expire(.partition(.everybody))
    #expect(try await test.store.write(entry, under: ticket))
  }

  @Test(.requirement("O39"), arguments: Kind.allCases)
  func `a load from before more removals than are told apart is not kept`(kind: Kind) async throws {
    let test = try CacheStoreUnderTest(kind)
    let other = CacheEntry.Selection.key(CacheEntry.Key("z", of: .everybody))
    for (removals, isKept) in [(256, true), (257, false)] {
      let ticket = try await test.read("a").ticket
      for _ in 0..<removals { try await test.store.remove(other) }
      #expect(try await test.store.write(.test("a"), under: ticket) == isKept)
    }
  }

  @Test(arguments: Kind.allCases)
  func `the answer of an older load does not replace that of a newer one`(kind: Kind) async throws {
    let test = try CacheStoreUnderTest(kind)
    let old = try await test.read("a").ticket
    let new = try await test.read("a").ticket
    #expect(try await test.store.write(.test("a", size: 2), under: new))
    #expect(try await !test.store.write(.test("a", size: 1), under: old))
    #expect(try await test.read("a").entry?.bytes.count == 2)
    // Also where time has passed between them.
    let older = try await test.read("a").ticket
    test.clock.advance(by: .seconds(1))
    #expect(try await test.keep(.test("a", size: 3)))
    #expect(try await !test.store.write(.test("a", size: 1), under: older))
  }

  @Test(arguments: Kind.allCases)
  func `what a load says is gone takes no later answer along, and holds only older ones off`(
    kind: Kind
  ) async throws {
    let test = try CacheStoreUnderTest(kind)
    let entry = CacheEntry.test("a")
    // Loads begin at one instant, or with time between them.
    for pause in [Duration.zero, .seconds(1)] {
      var tickets: [CacheEntry.Ticket] = []
      for _ in 0..<4 {
        tickets.append(try await test.read("a").ticket)
        test.clock.advance(by: pause)
      }
      #expect(try await test.store.write(entry, under: tickets[1]))
      try await test.store.remove(entry.key, under: tickets[0])
      #expect(try await test.read("a").entry == entry)
      try await test.store.remove(entry.key, under: tickets[2])
      #expect(try await test.read("a").entry == nil)
      for ticket in tickets[0...2] {
        #expect(try await !test.store.write(entry, under: ticket))
      }
      #expect(try await test.store.write(entry, under: tickets[3]))
      // A load may also take back what it brought itself.
      try await test.store.remove(entry.key, under: tickets[3])
      #expect(try await test.read("a").entry == nil)
    }
  }

  @Test(arguments: Kind.allCases)
  func `what is expired is kept, and said to be`(kind: Kind) async throws {
    let test = try CacheStoreUnderTest(kind)
    for name in ["a", "ab", "b"] {
      try await test.keep(.test(name, tags: name == "b" ? ["t"] : []))
    }
    try await test.store.expire(.prefix("a", of: .everybody))
    #expect(try await test.read("a").isExpired)
    #expect(try await test.read("ab").isExpired)
    #expect(try await !test.read("b").isExpired)
    try await test.store.expire(.tag("t", of: .everybody))
    #expect(try await test.read("b").isExpired)
    try await test.keep(.test("a"))
    #expect(try await !test.read("a").isExpired)
  }

  @Test(arguments: Kind.allCases)
  func `what was used longest ago makes room`(kind: Kind) async throws {
    let size = CacheEntry.test("a").size
    let test = try CacheStoreUnderTest(kind, maximumBytes: 3 * size)
    for name in ["a", "b", "c"] { try await test.keep(.test(name)) }
    _ = try await test.read("a")
    try await test.keep(.test("d"))
    var kept: [String] = []
    for name in ["a", "b", "c", "d"] where try await test.read(name).entry != nil {
      kept.append(name)
    }
    #expect(kept == ["a", "c", "d"])
  }

  @Test(arguments: Kind.allCases)
  func `an answer that never fits is not kept, and takes the one before along`(kind: Kind)
    async throws
  {
    let test = try CacheStoreUnderTest(kind, maximumBytes: 1_000)
    #expect(try await test.keep(.test("a")))
    #expect(try await test.keep(.test("b")))
    #expect(try await !test.keep(.test("a", size: 1_000)))
    #expect(try await test.read("a").entry == nil)
    #expect(try await test.read("b").entry != nil)
  }

  @Test(arguments: Kind.allCases)
  func `a store of one byte keeps nothing`(kind: Kind) async throws {
    let test = try CacheStoreUnderTest(kind, maximumBytes: 1)
    #expect(try await !test.keep(.test("a", size: 0)))
    #expect(try await test.read("a").entry == nil)
  }

  @Test(arguments: Kind.allCases)
  func `a clock that goes back makes nothing younger`(kind: Kind) async throws {
    let test = try CacheStoreUnderTest(kind)
    try await test.keep(.test("a"))
    test.clock.advance(by: .seconds(100))
    #expect(try await test.read("a").age == .seconds(100))
    test.clock.advance(by: .seconds(-1_000_000))
    #expect(try await test.read("a").age == .seconds(100))
  }

  @Test(arguments: Kind.allCases)
  func `many callers at once lose nothing and keep to the bound`(kind: Kind) async throws {
    let test = try CacheStoreUnderTest(kind, maximumBytes: 10_000)
    await withTaskGroup { group in
      for index in 0..<200 {
        group.addTask {
          do {
            let entry = CacheEntry.test("\(index % 50)", size: index, tags: ["\(index % 3)"])
            try await test.keep(entry)
            if index % 20 == 0 { try await test.store.remove(.tag("1", of: .everybody)) }
            _ = try await test.read("\(index % 7)")
          } catch {
            Issue.record(error)
          }
        }
      }
    }
    var bytes = 0
    for index in 0..<50 { bytes += try await test.read("\(index)").entry?.size ?? 0 }
    #expect(bytes > 0 && bytes <= 10_000)
  }

  /// Both stores take the same random steps; the second one is asked whether it agrees.
  @Test(.requirement("O39")) func `a random walk finds both stores alike`() async throws {
    for seed in 0..<max(20, RandomDose.schedules / 100) {
      var random = SplitMix64(seed: seed)
      let room = 300 * Int.random(in: 1...6, using: &random)
      let stores = try Kind.allCases.map { try CacheStoreUnderTest($0, maximumBytes: room) }
      var tickets: [(key: CacheEntry.Key, tickets: [CacheEntry.Ticket])] = []
      for _ in 0..<40 {
        let partition = CachePartition.account(Int.random(in: 0...1, using: &random))
        let name = ["a", "ab", "b", "\0"][Int.random(in: 0...3, using: &random)]
        let key = CacheEntry.Key(name, of: partition)
        let move = Duration.seconds(Int.random(in: 0...3, using: &random))
        for test in stores { test.clock.advance(by: move) }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
          let (left, right) = (
            try await stores[0].store.read(key), try await stores[1].store.read(key)
          )
          #expect(left.entry == right.entry && left.age == right.age, "seed \(seed)")
          #expect(left.isExpired == right.isExpired, "seed \(seed)")
          tickets.append((key, [left.ticket, right.ticket]))
        case 4..<8:
          guard !tickets.isEmpty else { continue }
          let chosen = tickets.remove(at: Int.random(in: 0..<tickets.count, using: &random))
          let entry = CacheEntry(
            key: chosen.key, bytes: Data(count: Int.random(in: 0..<400, using: &random)),
            form: "", tags: Bool.random(using: &random) ? ["t"] : [],
            initialAge: .seconds(Int.random(in: 0...2, using: &random)))
          if Int.random(in: 0..<4, using: &random) == 0 {
            for (test, ticket) in zip(stores, chosen.tickets) {
              try await test.store.remove(chosen.key, under: ticket)
            }
            continue
          }
          let left = try await stores[0].store.write(entry, under: chosen.tickets[0])
          let right = try await stores[1].store.write(entry, under: chosen.tickets[1])
          #expect(left == right, "seed \(seed)")
        default:
          // A whole partition is removed more cautiously by one of them.
          let selections: [CacheEntry.Selection] = [
            .key(key), .prefix(name, of: partition), .tag("t", of: partition),
          ]
          let selection = selections[Int.random(in: 0...2, using: &random)]
          let removes = Bool.random(using: &random)
          for test in stores {
            if removes {
              try await test.store.remove(selection)
            } else {
              try await test.store.expire(selection)
            }
          }
        }
      }
    }
  }
}
