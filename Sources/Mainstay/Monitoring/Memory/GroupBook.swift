// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What is known of the groups that errors fall into; the one that was seen longest ago leaves when
/// there are too many.
///
/// Groups lie in slots that are used again, chained from the one seen last to the one seen longest
/// ago, so that a look-up moves nothing.
struct GroupBook<Key: Hashable & Sendable, Sample: Sendable>: Sendable {
  /// A limit, and the newest that was kept of what it let out, in whose words it is closed.
  struct Door: Sendable {
    var gate = FloodGate()
    fileprivate(set) var sample: Sample?
    /// Whether nobody was told of the newest that it let out, so that nobody is of the others.
    fileprivate(set) var isDropped = false
  }

  /// One group.
  struct Entry: Sendable {
    let key: Key
    var count = 0
    var firstSeen: Date
    var lastSeen: Date
    /// The reading at which it was last seen.
    var reading = Duration.zero
    /// Critical ones have a limit of their own, or milder ones of the group would use it up.
    var mild = Door()
    var critical = Door()
    var trends = Trends()
    /// How often it was met in each operation, in the order in which they were first met.
    var operations: [(name: String, count: Int)] = []
    /// How often it was met in operations for which there was no more room.
    var otherOperations = 0
    var attempts = 0
    var successes = 0
    /// Until when no further stack is taken.
    var tracedUntil: Duration?
    /// Whether the newest that was kept of it is a critical one.
    private var isNewestCritical = false

    fileprivate var newer: Int?
    fileprivate var older: Int?

    init(key: Key, firstSeen: Date, lastSeen: Date) {
      self.key = key
      self.firstSeen = firstSeen
      self.lastSeen = lastSeen
    }

    /// The newest that was kept of it.
    var sample: Sample? { isNewestCritical ? critical.sample : mild.sample }

    /// What was counted of it and not told.
    var suppressed: ErrorReport.Suppressed? {
      mild.gate.suppressed?.adding(critical.gate.suppressed) ?? critical.gate.suppressed
    }

    /// One of it was kept.
    mutating func keep(_ sample: Sample, isCritical: Bool) {
      isNewestCritical = isCritical
      change(isCritical) { door in
        door.sample = sample
        door.isDropped = false
      }
    }

    /// One of it was let out, and is not kept.
    mutating func drop(isCritical: Bool) { change(isCritical) { $0.isDropped = true } }

    private mutating func change(_ isCritical: Bool, _ body: (inout Door) -> Void) {
      if isCritical { body(&critical) } else { body(&mild) }
    }

    /// Something was learned of what was kept of it.
    mutating func replace(
      with sample: @autoclosure () -> Sample, where isSame: (Sample) -> Bool
    ) {
      if mild.sample.map(isSame) == true { mild.sample = sample() }
      if critical.sample.map(isSame) == true { critical.sample = sample() }
    }
  }

  private let capacity: Int
  private var slots: [Entry] = []
  private var places: [Key: Int] = [:]
  private var newest: Int?
  private var oldest: Int?
  /// How many groups have left since there was no room.
  private(set) var evicted = 0
  /// The group that left for the one that was seen last; nil where none had to.
  private(set) var leaver: Entry?

  /// Makes an empty book; a capacity below 1 becomes 1.
  init(capacity: Int) { self.capacity = max(1, capacity) }

  /// How many groups there are.
  var count: Int { slots.count }

  /// All groups, the one seen last first.
  var newestFirst: [Entry] {
    var entries: [Entry] = []
    entries.reserveCapacity(slots.count)
    var place = newest
    while let current = place {
      entries.append(slots[current])
      place = slots[current].older
    }
    return entries
  }

  /// The group seen last.
  var newestEntry: Entry? { newest.map { slots[$0] } }

  /// The group of a key, without seeing it.
  func entry(_ key: Key) -> Entry? { places[key].map { slots[$0] } }

  /// Sees a group and changes it; a new one is made where there is none.
  mutating func see<T>(_ key: Key, at date: Date, _ change: (inout Entry) -> T) -> T {
    let place: Int
    leaver = nil
    if let known = places[key] {
      place = known
      if place != newest {
        unlink(place)
        linkAsNewest(place)
      }
    } else {
      place = makePlace(for: key, at: date)
    }
    return change(&slots[place])
  }

  /// Changes a group that is there, without seeing it.
  mutating func update(_ key: Key, _ change: (inout Entry) -> Void) {
    guard let place = places[key] else { return }
    change(&slots[place])
  }

  /// Changes all groups, without seeing them.
  mutating func updateAll(_ change: (inout Entry) -> Void) {
    for place in slots.indices { change(&slots[place]) }
  }

  private mutating func makePlace(for key: Key, at date: Date) -> Int {
    let entry = Entry(key: key, firstSeen: date, lastSeen: date)
    let place: Int
    if slots.count == capacity, let victim = oldest {
      unlink(victim)
      places[slots[victim].key] = nil
      evicted += 1
      leaver = slots[victim]
      slots[victim] = entry
      place = victim
    } else {
      place = slots.count
      slots.append(entry)
    }
    places[key] = place
    linkAsNewest(place)
    return place
  }

  private mutating func unlink(_ place: Int) {
    let (newer, older) = (slots[place].newer, slots[place].older)
    if let newer { slots[newer].older = older } else { newest = older }
    if let older { slots[older].newer = newer } else { oldest = newer }
  }

  private mutating func linkAsNewest(_ place: Int) {
    slots[place].newer = nil
    slots[place].older = newest
    if let newest { slots[newest].newer = place } else { oldest = place }
    newest = place
  }
}

extension GroupBook.Entry {
  static var maximumOperations: Int { 8 }

  /// Counts an operation by its name as it is kept.
  ///
  /// - Returns: False where the name is not among those kept and there is room for it.
  mutating func count(knownOperation name: String) -> Bool {
    if let index = operations.firstIndex(where: { $0.name == name }) {
      operations[index].count += 1
      return true
    }
    guard operations.count >= Self.maximumOperations else { return false }
    otherOperations += 1
    return true
  }

  /// Counts an operation; its name is kept, so nothing private stands in it.
  mutating func count(operation name: String) {
    if !count(knownOperation: name) { operations.append((name, 1)) }
  }
}
