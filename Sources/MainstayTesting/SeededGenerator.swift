// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// A generator of random numbers that gives the same numbers for the same seed on every platform.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var generator: SplitMix64

  /// The seed; a failing test prints it, so that the run can be repeated.
  public let seed: UInt64

  /// Makes a generator.
  public init(seed: UInt64) {
    self.seed = seed
    generator = SplitMix64(seed: seed)
  }

  /// The next number.
  public mutating func next() -> UInt64 { generator.next() }
}
