// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

@Suite(.requirement("O39")) struct CachePolicyStateMachineTests {
  private func found(
    age: Duration?, freshFor: Duration? = nil, mustRevalidate: Bool = false,
    staleWhileRevalidate: Duration? = nil, staleIfError: Duration? = nil, isExpired: Bool = false
  ) -> CacheEntry.Lookup {
    CacheEntry.Lookup(
      entry: CacheEntry(
        key: CacheEntry.Key("a", of: .everybody), bytes: Data(), form: "", freshFor: freshFor,
        mustRevalidate: mustRevalidate, staleWhileRevalidate: staleWhileRevalidate,
        staleIfError: staleIfError),
      age: age, isExpired: isExpired,
      ticket: CacheEntry.Ticket(removals: 0, number: 0, reading: .zero))
  }

  @Test func `an answer of unknown age is stale, and within no bound`() {
    let bounded = CachePolicy(
      staleWhileRevalidate: .within(.seconds(99)), staleIfError: .within(.seconds(99)))
    #expect(bounded.use(of: found(age: nil)) == .load)
    #expect(!bounded.standsIn(found(age: nil)) && !bounded.isShown(found(age: nil)))
    let unbounded = CachePolicy(staleIfError: .always)
    #expect(unbounded.use(of: found(age: nil)) == .load && unbounded.standsIn(found(age: nil)))
    let eager = CachePolicy(staleWhileRevalidate: .always, staleIfError: .never)
    #expect(eager.use(of: found(age: nil)) == .revalidate && !eager.standsIn(found(age: nil)))
  }

  @Test func `extreme spans neither trap nor wrap`() {
    let policy = CachePolicy(
      freshFor: .seconds(Int64.max), staleWhileRevalidate: .within(.seconds(Int64.max)),
      staleIfError: .within(.seconds(Int64.max)))
    #expect(policy.configuration.freshFor == .aYear)
    #expect(policy.use(of: found(age: .zero)) == .fresh)
    #expect(policy.use(of: found(age: .aYear)) == .revalidate)
    #expect(policy.standsIn(found(age: .aYear * 2)))
    #expect(!policy.standsIn(found(age: .aYear * 2 + .nanoseconds(1))))
    #expect(policy.use(of: found(age: .zero, freshFor: .seconds(-5))) == .revalidate)
  }

  @Test func `the service's bound on staleness makes that of the policy shorter, never longer`() {
    let policy = CachePolicy(
      freshFor: .zero, staleWhileRevalidate: .within(.seconds(10)), staleIfError: .always)
    func entry(_ age: Int64, behind: Int64? = nil, error: Int64? = nil) -> CacheEntry.Lookup {
      found(
        age: .seconds(age), staleWhileRevalidate: behind.map { .seconds($0) },
        staleIfError: error.map { .seconds($0) })
    }
    #expect(policy.use(of: entry(5, behind: 5)) == .revalidate)
    #expect(policy.use(of: entry(6, behind: 5)) == .load)
    #expect(policy.use(of: entry(11, behind: 99)) == .load)
    #expect(policy.standsIn(entry(5, error: 5)) && !policy.standsIn(entry(6, error: 5)))
    #expect(policy.standsIn(entry(6, behind: 5)))
    let never = CachePolicy(freshFor: .zero, staleIfError: .never)
    #expect(!never.standsIn(entry(1, error: 99)))
    // Not even at the moment it ceases to be fresh.
    #expect(!policy.standsIn(entry(0, behind: 0, error: 0)))
    #expect(policy.use(of: entry(0, behind: 0)) == .load)
    #expect(!policy.standsIn(found(age: nil, staleIfError: .seconds(5))))
  }

  @Test func `random entries agree with the words of RFC 5861`() {
    var random = SplitMix64(seed: 5861)
    for _ in 0..<(RandomDose.schedules * 2) {
      func seconds(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
      func allowance() -> CachePolicy.Allowance {
        switch seconds(0...3) {
        case 0: .never
        case 1: .always
        default: .within(.seconds(seconds(1...6)))
        }
      }
      let policy = CachePolicy(
        freshFor: .seconds(seconds(0...5)), staleWhileRevalidate: allowance(),
        staleIfError: allowance())
      let (age, own) = (seconds(-1...15), seconds(-1...5))
      let (behind, error) = (seconds(-4...4), seconds(-4...4))
      let (must, expired) = (seconds(0...3) == 0, seconds(0...3) == 0)
      let found = found(
        age: age < 0 ? nil : .seconds(age), freshFor: own < 0 ? nil : .seconds(own),
        mustRevalidate: must, staleWhileRevalidate: behind < 0 ? nil : .seconds(behind),
        staleIfError: error < 0 ? nil : .seconds(error), isExpired: expired)
      // The model, in seconds.
      let lifetime = own < 0 ? Int(policy.configuration.freshFor.inSeconds) : own
      func may(_ allowance: CachePolicy.Allowance, _ limit: Int) -> Bool {
        let isInLimit = limit < 0 || (limit > 0 && age >= 0 && age <= lifetime + limit)
        return switch allowance {
        case .never: false
        case .always: isInLimit
        case .within(let more): isInLimit && age >= 0 && age <= lifetime + Int(more.inSeconds)
        }
      }
      let isFresh = !expired && age >= 0 && age < lifetime
      let isServedBehind =
        !expired && !must && may(policy.configuration.staleWhileRevalidate, behind)
      #expect(
        policy.use(of: found) == (isFresh ? .fresh : isServedBehind ? .revalidate : .load),
        "\(policy.configuration) \(found)")
      // What was invalidated while it was fresh is as old as it is.
      let isInTime =
        may(policy.configuration.staleIfError, error)
        || (expired && age >= 0 && age < lifetime && error != 0
          && policy.configuration.staleIfError != .never)
      #expect(
        policy.standsIn(found) == (isFresh || (!must && isInTime)),
        "\(policy.configuration) \(found)")
    }
  }
}
