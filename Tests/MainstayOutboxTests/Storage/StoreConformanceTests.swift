// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import TestSupport
import Testing

/// A store of one of the two kinds, with a time of day that the test sets.
struct StoreUnderTest: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case memory
    case sqlite
  }

  let store: any OutboxStore
  let time: TimeOfDay
  private let folder: TemporaryFolder
  private let limits: StoreLimits

  init(_ kind: Kind, limits: StoreLimits = StoreLimits()) async throws {
    let (folder, time) = (try TemporaryFolder(), TimeOfDay())
    (self.folder, self.time, self.limits) = (folder, time, limits)
    switch kind {
    case .memory: store = InMemoryStore(limits: limits, now: { time.now })
    case .sqlite:
      store = SQLiteStore(at: folder.database, limits: limits, now: { time.now })
    }
    _ = try await store.open()
  }

  /// What happens when the process dies and another one opens the store.
  func crash() async throws -> (store: any OutboxStore, report: OpeningReport) {
    guard let sqlite = store as? SQLiteStore else { return (store, try await store.open()) }
    sqlite.abandon()
    let (folder, time) = (folder, time)
    let next = SQLiteStore(at: folder.database, limits: limits, now: { time.now })
    return (next, try await next.open())
  }
}

/// What every store does alike.
@Suite(
  .requirement(
    "T6", "C13", "C14", "C21", "O1", "O2", "O9", "O10", "O11", "O12", "O18", "O19", "O20", "O22",
    "O23",
    "O24", "O25", "O36"))
struct StoreConformanceTests {
  @Test(arguments: StoreUnderTest.Kind.allCases, StoreConformance.rules)
  func `both stores keep the rules`(
    kind: StoreUnderTest.Kind, rule: StoreConformance.Rule
  ) async {
    let found = await Self.suite(of: kind).violations(of: rule)
    #expect(found.isEmpty)
  }

  @Test(.requirement("O4"), arguments: StoreUnderTest.Kind.allCases, StoreConformance.clockRules)
  func `both stores go on when somebody sets the clock`(
    kind: StoreUnderTest.Kind, rule: StoreConformance.Rule
  ) async {
    let found = await Self.suite(of: kind).violations(of: rule)
    #expect(found.isEmpty)
  }

  private static func suite(of kind: StoreUnderTest.Kind) -> StoreConformance {
    StoreConformance { now, limits in
      switch kind {
      case .memory:
        let store = InMemoryStore(limits: limits, now: now)
        return StoreConformance.Place { store }
      case .sqlite:
        let folder = try TemporaryFolder()
        return StoreConformance.Place {
          SQLiteStore(at: folder.database, limits: limits, now: now)
        } kill: { store in
          (store as? SQLiteStore)?.abandon()
        }
      }
    }
  }

  @Test func `each rule has a sentence of its own`() {
    #expect(StoreConformance.rules.count > 40)
    #expect(Set(StoreConformance.rules).count == StoreConformance.rules.count)
  }

  @Test func `a store that breaks a rule is told which`() async throws {
    let flaws: [(flaw: @Sendable (InMemoryStore) -> any OutboxStore, rule: String)] = [
      ({ UnorderedStore($0) }, "only the head of an ordering key runs, and other keys pass it"),
      ({ UnfencedStore($0) }, "an answer under an old token changes nothing"),
      ({ TimelessStore($0) }, "scheduled and waiting operations come back when they are due"),
      ({ GenerousStore($0) }, "what was inserted is claimed once, the oldest first"),
      ({ WriteBehindStore($0) }, "what was inserted is claimed once, the oldest first"),
      ({ LyingStore($0) }, "what is leased had no obstacle, and what is not has one"),
      (
        { KeylessStore($0) },
        "what is not finished, and a dead letter, is found by its idempotency key"
      ),
      ({ ReentrantStore($0) }, "claims that come at once lease each operation once"),
      (
        { ReentrantStore($0) },
        "what comes several times at once under one idempotency key is kept once"
      ),
      (
        { ReentrantStore($0) },
        "of what comes at once under one unique key one is kept, and the others are refused"
      ),
      ({ ReentrantStore($0) }, "an end that is told several times at once counts once"),
    ]
    for (flaw, rule) in flaws {
      let suite = StoreConformance { now, limits in
        let store = flaw(InMemoryStore(limits: limits, now: now))
        return StoreConformance.Place { store }
      }
      let broken = await suite.violations().map(\.rule.description)
      #expect(broken.contains(rule), "\(broken)")
    }
  }

  @Test func `a place that cannot be made breaks every rule`() async {
    let suite = StoreConformance { _, _ in throw CancellationError() }
    #expect(await suite.violations().count == StoreConformance.rules.count)
  }
}

extension StoreUnderTest {
  private init(_ store: any OutboxStore, like other: StoreUnderTest) {
    self.store = store
    (time, folder, limits) = (other.time, other.folder, other.limits)
  }

  /// The same test on the store that came after a crash.
  func with(_ store: any OutboxStore) -> StoreUnderTest { StoreUnderTest(store, like: self) }
}
