// SPDX-License-Identifier: Apache-2.0

/// How many more operations may begin, by how many do something.
///
/// Work that ended well leaves its place to the next while its end is on the way to the store. A
/// store that takes no ends would be asked for more and more: so nothing begins while as many ends
/// are on their way as may run at once. What is leased then is less than two sets.
///
/// After the network was away few begin at once. What has been running for a while takes no place
/// from them, up to the number that may run at all.
package struct DrainPlaces: Sendable, Equatable {
  /// How many may run at once.
  package let limit: Int
  /// How many are leased, and not recorded as ended.
  package let leased: Int
  /// How many of those have ended well, and are on their way to the store.
  package let settling: Int

  /// How many of those that work have done so for so long that they count no more.
  package let lasting: Int
  /// How many may run at once, however long they do.
  package let maximum: Int

  package init(
    limit: Int, leased: Int, settling: Int, lasting: Int = 0, maximum: Int? = nil
  ) {
    self.limit = limit
    self.leased = leased
    self.settling = settling
    self.lasting = lasting
    self.maximum = maximum ?? limit
  }

  /// How many may run at once, with those that count no more.
  package var most: Int { lasting < maximum - limit ? limit + lasting : maximum }

  /// How many more may begin.
  package var free: Int { settling < limit ? max(most - (leased - settling), 0) : 0 }
}
