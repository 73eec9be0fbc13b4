// SPDX-License-Identifier: Apache-2.0

/// Answers in memory, those used last before those used long ago: the pure part of
/// ``MemoryCacheStore``.
struct CacheShelfStateMachine: Sendable {
  private struct Slot: Sendable {
    var entry: CacheEntry
    var ticket: CacheEntry.Ticket
    var isExpired = false
    /// The one that was used next after it.
    var newer: Int?
    /// The one that was used last before it.
    var older: Int?
  }

  /// How many bytes are kept at most.
  let maximumBytes: Int
  /// How many bytes are kept.
  private(set) var bytes = 0
  /// How many answers were dropped to make room.
  private(set) var evictions = 0

  private var slots: [Slot?] = []
  private var free: [Int] = []
  private var index: [CacheEntry.Key: Int] = [:]
  private var newest: Int?
  private var oldest: Int?
  private var removals = CacheRemovals()
  private var lastTicket: Int64 = 0
  /// The latest reading: time does not go back.
  private var latest = Duration.zero

  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// How many answers are kept.
  var count: Int { index.count }

  /// How many places there are; those of dropped answers are used again.
  var places: Int { slots.count }

  /// The keys of what is kept, those used last first.
  var keys: [CacheEntry.Key] {
    var keys: [CacheEntry.Key] = []
    var next = newest
    while let slot = next.flatMap({ slots[$0] }) {
      keys.append(slot.entry.key)
      next = slot.older
    }
    return keys
  }

  /// What is kept under a key; it counts as used.
  mutating func read(_ key: CacheEntry.Key, now: Duration) -> CacheEntry.Lookup {
    latest = max(latest, now)
    lastTicket += 1
    let ticket = CacheEntry.Ticket(
      removals: removals.count, number: lastTicket, reading: latest)
    guard let place = index[key], let slot = slots[place] else {
      return CacheEntry.Lookup(entry: nil, age: nil, isExpired: false, ticket: ticket)
    }
    unlink(place)
    link(place)
    // A ticket from the future is not one of this store.
    let since = latest - slot.ticket.reading
    return CacheEntry.Lookup(
      entry: slot.entry, age: since < .zero ? nil : slot.entry.initialAge + since,
      isExpired: slot.isExpired, ticket: ticket)
  }

  /// Keeps an answer.
  mutating func write(_ entry: CacheEntry, under ticket: CacheEntry.Ticket) -> Bool {
    guard !removals.overtook(entry, ticket) else { return false }
    if let place = index[entry.key] {
      if let present = slots[place], present.ticket.number > ticket.number { return false }
      drop(place)
    }
    guard entry.size <= maximumBytes else { return false }
    while bytes + entry.size > maximumBytes, let oldest {
      drop(oldest)
      evictions += 1
    }
    let place = free.popLast() ?? slots.count
    if place == slots.count { slots.append(nil) }
    slots[place] = Slot(entry: entry, ticket: ticket)
    index[entry.key] = place
    bytes += entry.size
    link(place)
    return true
  }

  /// Marks answers as no longer right.
  mutating func expire(_ selection: CacheEntry.Selection) {
    removals.note(selection)
    for place in places(of: selection) { slots[place]?.isExpired = true }
  }

  /// Removes answers.
  mutating func remove(_ selection: CacheEntry.Selection) {
    removals.note(selection)
    for place in places(of: selection) { drop(place) }
  }

  /// Removes an answer, unless a later load has brought it.
  mutating func remove(_ key: CacheEntry.Key, under ticket: CacheEntry.Ticket) {
    removals.note(.key(key), by: ticket.number)
    guard let place = index[key], let present = slots[place] else { return }
    if present.ticket.number <= ticket.number { drop(place) }
  }

  private func places(of selection: CacheEntry.Selection) -> [Int] {
    if case .key(let key) = selection { return index[key].map { [$0] } ?? [] }
    return index.values.filter { slots[$0].map { selection.covers($0.entry) } ?? false }
  }

  private mutating func drop(_ place: Int) {
    unlink(place)
    guard let slot = slots[place] else { return }
    slots[place] = nil
    free.append(place)
    index[slot.entry.key] = nil
    bytes -= slot.entry.size
  }

  private mutating func link(_ place: Int) {
    slots[place]?.older = newest
    slots[place]?.newer = nil
    if let newest { slots[newest]?.newer = place }
    newest = place
    oldest = oldest ?? place
  }

  private mutating func unlink(_ place: Int) {
    guard let slot = slots[place] else { return }
    if let newer = slot.newer { slots[newer]?.older = slot.older } else { newest = slot.older }
    if let older = slot.older { slots[older]?.newer = slot.newer } else { oldest = slot.newer }
  }
}

/// Which answers were expired or removed of late, so that what was asked for before is not kept
/// afterwards.
struct CacheRemovals: Sendable {
  /// How many are told apart; an answer that was asked for before the first of them is not kept.
  static let capacity = 256

  /// What they were, and the load that said so; nil where it was said to all loads.
  private var recent: [(selection: CacheEntry.Selection, by: Int64?)] = []
  /// How many there were in all.
  private(set) var count: Int64 = 0

  mutating func note(_ selection: CacheEntry.Selection, by load: Int64? = nil) {
    count += 1
    recent.append((selection, load))
    if recent.count > Self.capacity { recent.removeFirst() }
  }

  /// Whether an answer may have been removed since it was asked for; what an earlier load said does
  /// not count.
  func overtook(_ entry: CacheEntry, _ ticket: CacheEntry.Ticket) -> Bool {
    let earlier = ticket.removals
    guard count > earlier else { return false }
    guard count - earlier <= Int64(recent.count) else { return true }
    return recent.suffix(Int(count - earlier)).contains { removal in
      removal.by.map { $0 >= ticket.number } ?? true && removal.selection.covers(entry)
    }
  }
}
