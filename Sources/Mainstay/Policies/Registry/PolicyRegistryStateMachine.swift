// SPDX-License-Identifier: Apache-2.0

/// Which policies a ``PolicyRegistry`` keeps, and which it forgets: the pure part.
///
/// Entries lie in slots and are threaded by when they were last used, or had to stay when room was
/// made. A slot is named by its index: it stays what it is for as long as somebody borrows it.
struct PolicyRegistryStateMachine<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// Settings that were checked before.
  struct Limits: Sendable {
    var maximumCount: Int
    var idleAfter: Duration?
  }

  /// A kept policy that somebody uses.
  struct Loan: Sendable {
    let slot: Int
    let value: Value
  }

  /// What making room led to.
  struct Insertion: Sendable {
    let loan: Loan
    /// What was forgotten; to be released outside of the lock.
    let forgotten: [Value]
    /// Whether more are kept than there should be, for the first time since there were fewer.
    let beganToOverflow: Bool
  }

  private struct Entry: Sendable {
    let key: Key
    let value: Value
    var borrowers: Int
    /// Whether somebody has taken it out; it stays here until its last call has ended.
    var isTakenOut = false
    var lastUsed: Duration
    /// Counts all uses, of which several may be at one reading.
    var latestUse: UInt64
    var older: Int?
    var newer: Int?
  }

  let limits: Limits
  private var slots: [Entry?] = []
  private var freeSlots: [Int] = []
  private var slotByKey: [Key: Int] = [:]
  private var oldest: Int?
  private var newest: Int?
  private var latest = Duration.zero
  private var uses: UInt64 = 0

  /// How many were made and kept.
  private(set) var made = 0
  /// How many were forgotten.
  private(set) var forgotten = 0

  init(_ limits: Limits) { self.limits = limits }

  /// How many are kept.
  var count: Int { slotByKey.count }
  /// All keys, the one that was used the longest ago first.
  var keys: [Key] {
    slots.compactMap(\.self).filter { !$0.isTakenOut }.sorted { $0.latestUse < $1.latestUse }
      .map(\.key)
  }
  /// How many calls use the policy of a key.
  func borrowers(of key: Key) -> Int { slotByKey[key].flatMap { slots[$0]?.borrowers } ?? 0 }

  /// What is kept for a key; it is not thereby used.
  func value(of key: Key) -> Value? { slotByKey[key].flatMap { slots[$0]?.value } }

  /// The most entries that are looked at to make room once, so that a crowd of open breakers does
  /// not make every new key slow.
  static var longestSearch: Int { 32 }

  /// After which time without a call nobody counts on what a policy has learned.
  static var usualIdleTime: Duration { .seconds(3600) }
}

// Borrowing.
extension PolicyRegistryStateMachine {
  /// A call uses what is kept for a key; nil where nothing is.
  mutating func borrow(_ key: Key, now: Duration) -> Loan? {
    guard let slot = slotByKey[key], let entry = slots[slot] else { return nil }
    advance(to: now)
    slots[slot]?.borrowers += 1
    use(slot)
    return Loan(slot: slot, value: entry.value)
  }

  /// A call has ended; that counts as a use, at the latest reading that is known.
  ///
  /// - Returns: What was taken out, where that was its last call; to be released outside of the
  ///   lock.
  @discardableResult
  mutating func giveBack(_ slot: Int) -> Value? {
    slots[slot]?.borrowers -= 1
    guard let entry = slots[slot], entry.isTakenOut else {
      use(slot)
      return nil
    }
    return entry.borrowers == 0 ? free(slot) : nil
  }

  private mutating func use(_ slot: Int) {
    uses += 1
    slots[slot]?.latestUse = uses
    slots[slot]?.lastUsed = latest
    renew(slot)
  }

  /// A call uses what was just made for a key, unless somebody else was faster.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: What was made.
  ///   - now: The reading of the clock.
  ///   - isPristine: Whether a policy remembers nothing.
  ///   - isPristineWhenIdle: Whether what one remembers is of no use once nobody has called for the
  ///     idle time; by default the same.
  /// - Returns: What is kept, and what was forgotten for it.
  mutating func insert(
    _ key: Key, _ value: Value, now: Duration, isPristine: (Value) -> Bool,
    isPristineWhenIdle: ((Value) -> Bool)? = nil
  ) -> Insertion {
    if let loan = borrow(key, now: now) {
      return Insertion(loan: loan, forgotten: [], beganToOverflow: false)
    }
    advance(to: now)
    let countBefore = count
    let forgotten = makeRoom(isPristine, isPristineWhenIdle)
    let slot = freeSlots.popLast() ?? slots.endIndex
    uses += 1
    let entry = Entry(key: key, value: value, borrowers: 1, lastUsed: latest, latestUse: uses)
    if slot == slots.endIndex { slots.append(entry) } else { slots[slot] = entry }
    slotByKey[key] = slot
    made += 1
    link(slot)
    return Insertion(
      loan: Loan(slot: slot, value: value), forgotten: forgotten,
      beganToOverflow: count > limits.maximumCount && countBefore <= limits.maximumCount)
  }
}

// Forgetting.
extension PolicyRegistryStateMachine {
  /// Takes out what is kept for a key, whatever it remembers: the next call of the key finds
  /// nothing, and calls on their way go on.
  ///
  /// - Returns: What was taken out; nil where nothing was kept.
  mutating func takeOut(_ key: Key) -> Value? {
    guard let slot = slotByKey.removeValue(forKey: key), let entry = slots[slot] else { return nil }
    unlink(slot)
    forgotten += 1
    if entry.borrowers == 0 { return free(slot) }
    slots[slot]?.isTakenOut = true
    return entry.value
  }

  private mutating func free(_ slot: Int) -> Value? {
    defer { slots[slot] = nil }
    freeSlots.append(slot)
    return slots[slot]?.value
  }

  /// Forgets everything that remembers nothing and was not used for the idle time.
  mutating func forgetIdle(
    now: Duration, isPristine: (Value) -> Bool, isPristineWhenIdle: ((Value) -> Bool)? = nil
  ) -> [Value] {
    guard limits.idleAfter != nil else { return [] }
    advance(to: now)
    var values: [Value] = []
    for slot in slots.indices where isIdle(slot) {
      if let value = forget(slot, isPristine, isPristineWhenIdle) { values.append(value) }
    }
    return values
  }

  /// Forgets what is idle among the oldest, and as much more as there is too much.
  ///
  /// What must be kept goes to the young end, so that the next search looks further.
  private mutating func makeRoom(
    _ isPristine: (Value) -> Bool, _ isPristineWhenIdle: ((Value) -> Bool)?
  ) -> [Value] {
    var values: [Value] = []
    for _ in 0..<min(Self.longestSearch, count) {
      guard let slot = oldest, count >= limits.maximumCount || isIdle(slot) else { break }
      if let value = forget(slot, isPristine, isPristineWhenIdle) {
        values.append(value)
      } else {
        renew(slot)
      }
    }
    return values
  }

  private func isIdle(_ slot: Int) -> Bool {
    guard let idleAfter = limits.idleAfter, let entry = slots[slot] else { return false }
    return latest - entry.lastUsed >= idleAfter
  }

  /// Forgets one, unless it is in use or remembers something.
  private mutating func forget(
    _ slot: Int, _ isPristine: (Value) -> Bool, _ isPristineWhenIdle: ((Value) -> Bool)?
  ) -> Value? {
    guard let entry = slots[slot], entry.borrowers == 0 else { return nil }
    // Where idle policies stay while there is room, the usual time counts where there is none.
    let isIdle = latest - entry.lastUsed >= limits.idleAfter ?? Self.usualIdleTime
    let isUseless = isIdle ? isPristineWhenIdle?(entry.value) : nil
    guard isUseless ?? isPristine(entry.value) else { return nil }
    unlink(slot)
    slotByKey[entry.key] = nil
    forgotten += 1
    return free(slot)
  }

  /// A reading that is not later than the latest means that no time has passed.
  private mutating func advance(to now: Duration) { latest = max(latest, min(now, .seconds(1e15))) }
}

// The thread from the oldest to the newest.
extension PolicyRegistryStateMachine {
  private mutating func renew(_ slot: Int) {
    guard newest != slot else { return }
    unlink(slot)
    link(slot)
  }

  private mutating func link(_ slot: Int) {
    slots[slot]?.older = newest
    slots[slot]?.newer = nil
    if let newest { slots[newest]?.newer = slot } else { oldest = slot }
    newest = slot
  }

  private mutating func unlink(_ slot: Int) {
    guard let entry = slots[slot] else { return }
    if let older = entry.older { slots[older]?.newer = entry.newer } else { oldest = entry.newer }
    if let newer = entry.newer { slots[newer]?.older = entry.older } else { newest = entry.older }
  }
}
