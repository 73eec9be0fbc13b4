// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres
import MainstayOutboxTesting
import PostgresTestSupport
import TestSupport
import Testing

/// Four processes that do anything at once, under few keys.
@Suite(.ends(withinMinutes: 10))
struct StormTests {
  /// One process, which decides by chance.
  private struct Actor {
    let store: PostgresStore
    var chance: SplitMix64
    var ids: [OperationID] = []

    mutating func number(_ bound: Int) -> Int { Int(chance.next() % UInt64(bound)) }

    mutating func step() async throws {
      switch number(10) {
      case 0...3: try await enqueue()
      case 4...7:
        for run in try await store.claim(3) {
          _ = try await store.settle(run.lease, verdict())
        }
      case 8:
        guard !ids.isEmpty else { return }
        _ = try await store.cancel(ids[number(ids.count)])
      default:
        _ = try await store.promote(NewOperation.types)
        for letter in try await store.deadLetters(after: nil, limit: 2) {
          let isWanted = number(2) == 0
          _ = try await isWanted ? store.redrive(letter.id) : store.discard(letter.id)
        }
      }
    }

    private mutating func enqueue() async throws {
      var wishes = NewOperation.Wishes()
      if number(4) == 0 {
        let modes = EnqueueOptions.UniqueKey.IfTaken.allCases
        wishes.uniqueKey = .init("u\(number(2))", ifTaken: modes[number(modes.count)])
      }
      if number(3) == 0, !ids.isEmpty {
        let policies = EnqueueOptions.Dependencies.IfGivenUp.allCases
        wishes.dependencies = .init(
          [ids[number(ids.count)]], ifGivenUp: policies[number(policies.count)])
      }
      let key = number(2) == 0 ? "k\(number(3))" : nil
      do {
        ids.append(try await store.insert(.note("x", orderedBy: key, wishes: wishes)))
      } catch let error as OutboxError where error.code == .duplicate {}
    }

    private mutating func verdict() -> OperationVerdict {
      switch number(8) {
      case 0: OperationVerdict(.dead(.refused, followers: .holdKey))
      case 1: OperationVerdict(.dead(.refused, followers: .dropFollowers))
      case 2: OperationVerdict(.scheduled(after: .milliseconds(1)), attempts: 1)
      case 3: OperationVerdict(.ready)
      default: OperationVerdict(.done)
      }
    }
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `nothing is lost or left behind in a storm`(seed: UInt64) async throws {
    let place = try await Place()
    try await withThrowingTaskGroup { group in
      for number in 0..<4 {
        group.addTask {
          let store = try await place.opened()
          var actor = Actor(store: store, chance: SplitMix64(seed: seed * 4 + UInt64(number)))
          for _ in 0..<60 { try await actor.step() }
          await store.close()
        }
      }
      try await group.waitForAll()
    }
    let store = try await place.opened()
    var rounds = 0
    while try await store.snapshot().pending > 0, rounds < 2_000 {
      rounds += 1
      _ = try await store.promote(NewOperation.types)
      let runs = try await store.claim(50)
      for run in runs { #expect(try await store.settle(run.lease, OperationVerdict(.done))) }
      guard runs.isEmpty else { continue }
      for letter in try await store.deadLetters(after: nil, limit: 99) {
        _ = try await store.discard(letter.id)
      }
    }
    let snapshot = try await store.snapshot()
    let stuck = try await place.query(
      """
      SELECT format('%s %s key %s needs %s of %s', id, state, encode(ordering_key, 'escape'),
        (SELECT array_agg(needs) FROM @.dep WHERE op = id),
        (SELECT array_agg(o.id) FROM @.op AS o
          WHERE o.id IN (SELECT needs FROM @.dep WHERE op = op.id)))
      FROM @.op ORDER BY id
      """)
    let lines = try stuck.map { try $0.text(0) }.joined(separator: "\n")
    #expect(snapshot.pending == 0, "\(lines)")
    #expect(try await store.ledger().isBalanced)
    let left = try await place.query(
      "SELECT (SELECT sum(pending) FROM @.load), (SELECT sum(bytes) FROM @.load)")
    #expect(try left.first?.int(0) == 0)
    #expect(try left.first?.int(1) == 0)
    await store.close()
  }
}
