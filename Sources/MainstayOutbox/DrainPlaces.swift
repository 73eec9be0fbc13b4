// SPDX-License-Identifier: Apache-2.0

/// How many more operations may begin, by how many do something.
///
/// Work that ended well leaves its place to the next while its end is on the way to the store. A
/// store that takes no ends would be asked for more and more: so nothing begins while as many ends
/// are on their way as may run at once. What is leased then is less than two sets.
package struct DrainPlaces: Sendable, Equatable {
  /// How many may run at once.
  package let limit: Int
  /// How many are leased, and not recorded as ended.
  package let leased: Int
  /// How many of those have ended well, and are on their way to the store.
  package let settling: Int

  package init(limit: Int, leased: Int, settling: Int) {
    self.limit = limit
    self.leased = leased
    self.settling = settling
  }

  /// How many more may begin.
  package var free: Int { settling < limit ? max(limit - (leased - settling), 0) : 0 }
}
