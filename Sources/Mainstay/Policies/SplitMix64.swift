// SPDX-License-Identifier: Apache-2.0

/// A small, fast generator of random numbers for delays and jitter; not for secrets.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Makes a generator; the same seed gives the same numbers.
  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// A number in `0..<1`.
  package mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}

/// The source of chance of one policy, shared by all its copies and calls.
///
/// It is seeded once, since the system's generator costs a hundred times as much per number, and it
/// is shared rather than copied: copies would all draw the same numbers (P20).
package final class Chance: Sendable {
  private let generator: Locked<SplitMix64>

  /// Makes a source; with a seed its numbers can be foretold, which tests use.
  package init(seed: UInt64? = nil) {
    generator = Locked(SplitMix64(seed: seed ?? .random(in: .min ... .max)))
  }

  /// A number in `0..<1`.
  package func fraction() -> Double { generator.withLock { $0.fraction() } }
}
