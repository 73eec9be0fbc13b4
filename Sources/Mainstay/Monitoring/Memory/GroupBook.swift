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
    /// Whether nobody was told of any that its window let out, so that nobody is of the others.
    fileprivate(set) var isDropped = false
    /// Whether somebody was told of one since its window began.
    private var isHeard = false
    /// What reports carried that nobody was told of, after all.
    private var owed: ErrorReport.Suppressed?

    /// What was counted and not told, as far as it is to be.
    var untold: ErrorReport.Suppressed? { gate.suppressed?.adding(owed) ?? owed }

    /// When that is to be told by itself; nil where it is nothing.
    var due: Duration? { untold == nil ? nil : gate.silence }

    /// Tells what was counted, but for those of which nobody is told.
    mutating func takeUntold() -> ErrorReport.Suppressed? {
      let counted = gate.close()
      return takeOwed(besides: counted)
    }

    /// One is let out; what was counted before it goes along, but for those of which nobody is
    /// told.
    mutating func letOut(after counted: ErrorReport.Suppressed?) -> ErrorReport.Suppressed? {
      if gate.hasJustBegun { isHeard = false }
      return takeOwed(besides: counted)
    }

    private mutating func takeOwed(
      besides counted: ErrorReport.Suppressed?
    ) -> ErrorReport.Suppressed? {
      defer { owed = nil }
      return isDropped ? owed : counted?.adding(owed) ?? owed
    }

    fileprivate mutating func keep(_ new: Sample) {
      sample = new
      isHeard = true
      isDropped = false
    }

    /// Where others of the window were kept, those that are only counted may be like them.
    fileprivate mutating func drop() { isDropped = !isHeard }

    /// That is still to be told, where there are words for it.
    fileprivate mutating func owe(_ suppressed: ErrorReport.Suppressed) {
      if sample != nil { owed = suppressed.adding(owed) }
    }
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
      mild.untold?.adding(critical.untold) ?? critical.untold
    }

    /// Whether nobody is told of it, since the app drops all that was let out of late.
    var isDropped: Bool {
      let doors = [mild, critical]
      return doors.contains(where: \.isDropped)
        && !doors.contains { $0.sample != nil && !$0.isDropped }
    }

    /// One of it was kept.
    mutating func keep(_ sample: Sample, isCritical: Bool) {
      isNewestCritical = isCritical
      change(isCritical) { $0.keep(sample) }
    }

    /// One of it was let out, and is not kept; what it carried is still to be told.
    ///
    /// - Returns: When that is to be told by itself; nil where there is nothing.
    mutating func drop(
      isCritical: Bool, carrying suppressed: ErrorReport.Suppressed?
    ) -> Duration? {
      change(isCritical) { $0.drop() }
      guard let suppressed else { return nil }
      // A last word that is critical carries milder ones, too.
      let isCritical = isCritical && critical.sample != nil
      change(isCritical) { $0.owe(suppressed) }
      return isCritical ? critical.due : mild.due
    }

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
