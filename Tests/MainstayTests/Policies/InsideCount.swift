// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// Counts the operations that run, apart from what a policy says of itself.
final class InsideCount: Sendable {
  private let count = Locked(0)

  /// One begins.
  ///
  /// - Returns: How many run, this one included.
  func enter() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }

  /// One ends.
  func leave() { count.withLock { $0 -= 1 } }
}
