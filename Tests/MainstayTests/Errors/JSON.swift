// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes a value as JSON and reads it again.
func throughJSON<T: Codable>(_ value: T) throws -> T {
  try JSONDecoder().decode(T.self, from: JSONEncoder().encode(value))
}

/// Reads a value from JSON text.
func decode<T: Decodable>(_ type: T.Type, _ json: String) throws -> T {
  try JSONDecoder().decode(type, from: Data(json.utf8))
}

/// Chance that is the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// A text of up to `pieces` pieces drawn from the list.
  mutating func text(of list: [String], pieces: Int) -> String {
    (0..<Int.random(in: 0...pieces, using: &self)).map { _ in
      list.randomElement(using: &self) ?? ""
    }.joined()
  }
}
