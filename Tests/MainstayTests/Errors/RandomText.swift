// SPDX-License-Identifier: Apache-2.0

import MainstayTesting

extension SeededGenerator {
  /// A text of up to `pieces` pieces drawn from the list.
  mutating func text(of list: [String], pieces: Int) -> String {
    (0..<Int.random(in: 0...pieces, using: &self)).map { _ in
      list.randomElement(using: &self) ?? ""
    }.joined()
  }
}
