// SPDX-License-Identifier: Apache-2.0

/// What a store was told to expire or to remove, and could not, as a value.
///
/// A disk that is full lets nobody write, and everybody read. So that what was said to be no longer
/// right does not come back as if it were, it is left out of what was read until the store has
/// heard of it.
struct CacheDebtStateMachine: Sendable, Equatable {
  /// One thing that the store has not done.
  struct Item: Sendable, Hashable {
    let selection: CacheEntry.Selection
    let isRemoval: Bool

    static func removal(of selection: CacheEntry.Selection) -> Self {
      Self(selection: selection, isRemoval: true)
    }

    static func expiry(of selection: CacheEntry.Selection) -> Self {
      Self(selection: selection, isRemoval: false)
    }
  }

  /// How many expiries, and how many removals, are remembered one by one; beyond that it is the
  /// whole partition for those of that kind.
  static let limit = 256
  /// How long the store is left alone after it has refused: where it is busy, each try waits.
  static let pause = Duration.seconds(1)

  private(set) var items: [Item] = []
  private var tried: Duration?

  /// The store could not do it.
  mutating func owe(_ item: Item, of partition: CachePartition) {
    guard !items.contains(item) else { return }
    items.append(item)
    // Each kind for itself: one removal among many expiries removes nothing that is only to expire.
    let kind = item.isRemoval
    guard items.count(where: { $0.isRemoval == kind }) > Self.limit else { return }
    items.removeAll { $0.isRemoval == kind }
    items.append(Item(selection: .partition(partition), isRemoval: kind))
  }

  /// What the store is to be told now; nil where there is nothing, or it has just refused.
  mutating func next(at now: Duration) -> Item? {
    guard let item = items.first else { return nil }
    if let tried, now - tried < Self.pause, now >= tried { return nil }
    tried = now
    return item
  }

  /// The store has done it, so the next may follow at once.
  mutating func paid(_ item: Item) {
    items.removeAll { $0 == item }
    tried = nil
  }

  /// What was found, without what was removed, and with what is no longer right marked as such.
  func applied(to found: CacheEntry.Lookup) -> CacheEntry.Lookup {
    guard let entry = found.entry else { return found }
    let about = items.filter { $0.selection.covers(entry) }
    guard !about.isEmpty else { return found }
    let isRemoved = about.contains(where: \.isRemoval)
    return CacheEntry.Lookup(
      entry: isRemoved ? nil : entry, age: isRemoved ? nil : found.age, isExpired: !isRemoved,
      ticket: found.ticket)
  }
}
