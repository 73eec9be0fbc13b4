// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayServer
import MainstayTesting
import TestSupport
import Testing

/// The rules of every store of answers, kept by the one in memory, and missed by wrong ones.
@Suite(.ends(withinMinutes: 2)) struct IdempotencyConformanceTests {
  @Test(arguments: IdempotencyConformance.rules)
  func `the store in memory keeps the rules`(rule: IdempotencyConformance.Rule) async {
    let suite = IdempotencyConformance { [InMemoryIdempotencyStore()] }
    let found = await suite.violations(of: rule)
    #expect(found.isEmpty, "\(found)")
  }

  /// Breaks one rule.
  private final class Wrong: IdempotencyStore {
    enum Fault: CaseIterable {
      case looksAtNoFingerprint, forgetsAnswers, endsAnything, handlesTwice, losesFields
    }

    let fault: Fault
    private let store = InMemoryIdempotencyStore()
    private let last = Locked<UInt64>(0)

    init(_ fault: Fault) { self.fault = fault }

    func begin(_ key: String, fingerprint: Data) async throws -> IdempotencyVerdict {
      let seen = fault == .looksAtNoFingerprint ? Data() : fingerprint
      let verdict = try await store.begin(key, fingerprint: seen)
      if case .handle(let claim) = verdict { last.withLock { $0 = claim } }
      if fault == .handlesTwice, verdict == .running { return .handle(claim: 7) }
      return verdict
    }

    func end(_ key: String, _ claim: UInt64, with answer: StoredAnswer?) async throws {
      let claim = fault == .endsAnything ? last.withLock { $0 } : claim
      var answer = answer
      if fault == .forgetsAnswers { answer = nil }
      if fault == .losesFields, let kept = answer {
        answer = StoredAnswer(status: kept.status, fields: [:], body: kept.body)
      }
      await store.end(key, claim, with: answer)
    }
  }

  @Test func `a store that breaks a rule is found`() async {
    for fault in Wrong.Fault.allCases {
      let suite = IdempotencyConformance { [Wrong(fault)] }
      #expect(await !suite.violations().isEmpty, "\(fault)")
    }
    struct Nowhere: Error {}
    let empty = IdempotencyConformance { [] }
    let broken = IdempotencyConformance { throw Nowhere() }
    #expect(await !empty.violations().isEmpty)
    #expect(await !broken.violations().isEmpty)
  }
}
