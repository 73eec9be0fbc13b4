// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// What a full store refuses, and what it lets go instead.
@Suite(.requirement("T6", "O36")) struct StoreLimitsTests {
  typealias Kind = StoreUnderTest.Kind

  /// The payload of each note of one letter has as many bytes.
  private static let bytes = NewOperation.note("a").payload.count

  private static func wishes(
    _ priority: OperationPriority = .normal, isExpendable: Bool = true
  ) -> NewOperation.Wishes {
    NewOperation.Wishes(priority: priority, isExpendable: isExpendable)
  }

  private static func texts(_ store: any OutboxStore) async throws -> String {
    try await store.operations(after: nil, limit: 99).map { operation in
      String(decoding: operation.payload, as: UTF8.self).split(separator: "\"")[3]
    }.joined()
  }

  @Test(arguments: Kind.allCases)
  func `payloads are counted by their bytes`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind, limits: StoreLimits(maximumBytes: 2 * Self.bytes))
    for text in ["a", "b"] { _ = try await test.store.insert(.note(text)) }
    await #expect(throws: OutboxError(.full, details: "")) {
      _ = try await test.store.insert(.note("c"))
    }
    let first = try #require(try await test.store.claim(1).first)
    _ = try await test.store.settle(first.lease, OperationVerdict(.done))
    _ = try await test.store.insert(.note("c"))
    #expect(try await Self.texts(test.store) == "bc")
  }

  @Test(arguments: Kind.allCases)
  func `one that could never fit costs nobody its place`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind, limits: StoreLimits(maximumBytes: Self.bytes))
    _ = try await test.store.insert(.note("a", wishes: Self.wishes()))
    await #expect(throws: OutboxError(.full, details: "")) {
      _ = try await test.store.insert(.note("too long"))
    }
    #expect(try await Self.texts(test.store) == "a")
  }

  @Test(arguments: Kind.allCases)
  func `what has expired goes first, then the least important, the oldest of them first`(
    kind: Kind
  ) async throws {
    let test = try await StoreUnderTest(kind, limits: StoreLimits(maximumPending: 5))
    _ = try await test.store.insert(.note("a", wishes: Self.wishes(.high)))
    _ = try await test.store.insert(.note("b", wishes: Self.wishes(.low)))
    _ = try await test.store.insert(.note("c", wishes: Self.wishes(.low)))
    _ = try await test.store.insert(.note("d", wishes: Self.wishes(isExpendable: false)))
    _ = try await test.store.insert(.note("e", timeToLive: .seconds(1)))
    test.time.advance(by: .seconds(1))
    for (text, left) in [("f", "abcdf"), ("g", "acdfg"), ("h", "adfgh"), ("i", "dfghi")] {
      _ = try await test.store.insert(.note(text))
      #expect(try await Self.texts(test.store) == left)
    }
    await #expect(throws: OutboxError(.full, details: "")) {
      _ = try await test.store.insert(.note("j"))
    }
    let ledger = try await test.store.ledger()
    #expect(ledger.count(.expired) == 1 && ledger.count(.evicted) == 3 && ledger.isBalanced)
  }

  @Test(arguments: Kind.allCases)
  func `an expendable newcomer takes the place of nothing more important`(
    kind: Kind
  ) async throws {
    let test = try await StoreUnderTest(kind, limits: StoreLimits(maximumPending: 1))
    _ = try await test.store.insert(.note("a", wishes: Self.wishes(.high)))
    await #expect(throws: OutboxError(.full, details: "")) {
      _ = try await test.store.insert(.note("b", wishes: Self.wishes(.normal)))
    }
    _ = try await test.store.insert(.note("c", wishes: Self.wishes(.high)))
    #expect(try await Self.texts(test.store) == "c")
  }

  @Test(arguments: Kind.allCases)
  func `what runs, what may have been sent and what others need stays`(
    kind: Kind
  ) async throws {
    let test = try await StoreUnderTest(kind, limits: StoreLimits(maximumPending: 4))
    _ = try await test.store.insert(.note("a", wishes: Self.wishes()))
    _ = try await test.store.claim(1)
    _ = try await test.store.insert(.note("b", effect: .sentUnknown, wishes: Self.wishes()))
    let needed = try await test.store.insert(.note("c", wishes: Self.wishes()))
    var wishes = Self.wishes(isExpendable: false)
    wishes.dependencies = .init([needed])
    _ = try await test.store.insert(.note("d", wishes: wishes))
    await #expect(throws: OutboxError(.full, details: "")) {
      _ = try await test.store.insert(.note("e"))
    }
    #expect(try await Self.texts(test.store) == "abcd")
  }

  @Test(arguments: Kind.allCases)
  func `nothing goes where all that could go would not be enough`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind, limits: StoreLimits(maximumBytes: 3 * Self.bytes))
    _ = try await test.store.insert(.note("a", wishes: Self.wishes()))
    for text in ["b", "c"] { _ = try await test.store.insert(.note(text)) }
    await #expect(throws: OutboxError(.full, details: "")) {
      _ = try await test.store.insert(.note("dd"))
    }
    #expect(try await Self.texts(test.store) == "abc")
  }

  @Test(arguments: Kind.allCases)
  func `one that made room for its own follower leaves it free`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind, limits: StoreLimits(maximumPending: 1))
    var wishes = Self.wishes()
    wishes.uniqueKey = .init("u", ifTaken: .append)
    _ = try await test.store.insert(.note("a", wishes: wishes))
    _ = try await test.store.insert(.note("b", wishes: wishes))
    #expect(try await test.store.claim().map(\.text) == ["b"])
  }

  @Test(arguments: Kind.allCases)
  func `a lane that nothing was accepted in is still new`(kind: Kind) async throws {
    let test = try await StoreUnderTest(kind, limits: StoreLimits(maximumPending: 1))
    _ = try await test.store.insert(.note("a"))
    await #expect(throws: OutboxError(.full, details: "")) {
      _ = try await test.store.insert(.note("b", lane: "side"))
    }
    let first = try #require(try await test.store.claim(1).first)
    _ = try await test.store.settle(first.lease, OperationVerdict(.done))
    _ = try await test.store.insert(.note("b", lane: "side"))
    #expect(try await test.store.claim().map(\.text) == ["b"])
  }

  @Test func `two processes on one file share its limits`() async throws {
    let folder = try TemporaryFolder()
    let limits = StoreLimits(maximumPending: 2)
    let (one, other) = (
      SQLiteStore(at: folder.database, limits: limits),
      SQLiteStore(at: folder.database, limits: limits)
    )
    _ = try await one.open()
    _ = try await other.open()
    _ = try await one.insert(.note("a"))
    _ = try await other.insert(.note("b"))
    await #expect(throws: OutboxError(.full, details: "")) {
      _ = try await one.insert(.note("c"))
    }
    let first = try #require(try await other.claim(1).first)
    _ = try await other.settle(first.lease, OperationVerdict(.done))
    _ = try await one.insert(.note("c"))
    await one.close()
    await other.close()
  }

  @Test func `limits that make no sense stop the program`() async {
    await #expect(processExitsWith: .failure) { _ = InMemoryStore(limits: .init(maximumBytes: 0)) }
    await #expect(processExitsWith: .failure) {
      _ = InMemoryStore(limits: .init(maximumPending: -1))
    }
    await #expect(processExitsWith: .failure) {
      _ = InMemoryStore(limits: .init(maximumOutcomes: -1))
    }
  }
}
