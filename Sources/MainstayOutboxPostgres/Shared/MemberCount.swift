// SPDX-License-Identifier: Apache-2.0

/// How many processes share, as one of them counts them.
///
/// Who was cut off from the database may have been forgotten there, and takes a while to come back.
/// So after a look that failed the number may rise, but does not fall until all have had the time.
struct MemberCount: Sendable {
  /// How many there are; 1 or more.
  private(set) var members = 1
  /// How many looks have to succeed until the number may fall.
  private let patience: Int
  private var looksLeft = 0

  /// Makes a count of one process.
  ///
  /// - Parameters:
  ///   - pause: The longest time after which a process asks again.
  ///   - interval: The time between two looks.
  init(pause: Duration, interval: Duration) {
    // Two more: the first look begins the time, and one that came at its end is seen by the next.
    patience = Int((pause / interval).rounded(.up)) + 2
  }

  /// A look showed so many.
  mutating func see(_ count: Int) {
    looksLeft = max(looksLeft - 1, 0)
    members = looksLeft > 0 ? max(members, count) : count
  }

  /// A look failed.
  mutating func lose() { looksLeft = patience }
}
