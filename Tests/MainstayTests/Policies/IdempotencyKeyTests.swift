// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// The keys of several effects that belong together.
@Suite(.ends(withinMinutes: 5)) struct IdempotencyKeyTests {
  private let order: IdempotencyKey

  init() throws { order = try #require(IdempotencyKey("order-1")) }

  // Made by another implementation: the first 128 bits of SHA-256 of key, line break and effect.
  @Test(arguments: [
    ("refund", "1e26c1d1-8b03-8ac4-b39b-7d3f26665fad"),
    ("", "07284773-39ca-8515-8dd5-c2ce2694dade"),
    ("Rückzahlung", "0c4bc8da-2974-81b8-b761-d5b83edab9b6"),
  ])
  func `a derived key is the same in every release`(effect: String, expected: String) {
    #expect(order.derived(for: effect).rawValue == expected)
  }

  @Test func `a derived key is a legal one and a UUID`() throws {
    for seed in 0..<50 {
      let key = IdempotencyKey().derived(for: "effect \(seed)")
      #expect(IdempotencyKey(key.rawValue) == key)
      #expect(UUID(uuidString: key.rawValue)?.uuidString.lowercased() == key.rawValue)
    }
  }

  @Test func `effects of one key and one effect of two keys have different keys`() throws {
    let other = try #require(IdempotencyKey("order-2"))
    let keys = [
      order, other, order.derived(for: "a"), order.derived(for: "b"), other.derived(for: "a"),
      order.derived(for: "a").derived(for: "b"), order.derived(for: "b").derived(for: "a"),
    ]
    #expect(Set(keys).count == keys.count)
  }
}
