// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a store keeps, what has to leave when there is too much, and the accounts of both.
///
/// It knows files by their numbers and touches none. `step` says what has to be done next to make
/// room; whoever has done it says so, and asks again.
struct ReportIndexStateMachine: Sendable {
  /// Settings that were checked before.
  struct Settings: Sendable {
    var maximumCount = 100
    var maximumBytes = 5_000_000
    var maximumAge = Duration.seconds(30 * 86_400)
    /// What waits in memory while the folder cannot be written.
    var memoryCount = 32
    var memoryBytes = 1_000_000
  }

  /// What is known of a record that wants in.
  struct Candidate: Sendable, Equatable {
    var id: UUID
    var bytes: Int
    /// How large it is without what can be spared; nil where nothing can.
    var trimmedBytes: Int?
    var severity: Severity
    var category: String
    var contentType: String
    /// Why it has to wait in memory; nil where it becomes a file.
    var memoryReason: ReportStore.DropReason?
  }

  /// A record that is kept.
  struct Entry: Sendable, Equatable {
    /// Its file; those in memory have numbers from ``firstInMemory`` on.
    var number: UInt64
    let id: UUID
    /// The reading at which it was kept; of those found, their age before that.
    var birth: Duration
    var bytes: Int
    var trimmedBytes: Int?
    var severity: Severity
    var category: String
    var contentType: String
    var isSending = false
    /// Whether it may not be sent again.
    var isWithdrawn = false
    /// How often a service asked for it to be sent again, or kept giving no answer, or it could not
    /// be read.
    var attempts = 0
    /// Whether its file could not be read so far, so that this is all that is known of it.
    var isUnread = false
    /// How often in a row a request with it got no answer.
    var silences = 0

    var isInMemory: Bool { number >= ReportIndexStateMachine.firstInMemory }

    /// Whether it may be what the requests got no answer for, such as a text that something on the
    /// way takes for an attack.
    ///
    /// Fewer silences are an outage, in which the oldest stays the first.
    var isSuspect: Bool { silences >= 3 }
  }

  /// What has to be done next.
  enum Step: Sendable, Equatable {
    case fits
    case drop([UInt64], ReportStore.DropReason)
    case trim(UInt64)
    case trimCandidate
    case refuse(ReportStore.DropReason)
  }

  /// Numbers from here on belong to records in memory.
  static let firstInMemory: UInt64 = 1 << 63
  /// Files with greater numbers are not the store's own, so that no sum overflows.
  static let lastNumber: UInt64 = 1 << 62
  /// How many files are settled by one writing of the ledger.
  static let settledAtOnce = 100

  private let settings: Settings
  /// The oldest first.
  private(set) var entries: [Entry] = []
  private(set) var nextNumber: UInt64 = 1
  private var nextInMemory = Self.firstInMemory
  /// Files that were counted and may still be there.
  private(set) var settling: [UInt64] = []
  private var counts = ReportStore.Ledger()
  /// What was found and counted when the folder was opened.
  private var inherited = ReportStore.Ledger()

  init(_ settings: Settings) { self.settings = settings }
}

// MARK: What is asked

extension ReportIndexStateMachine {
  var ledger: ReportStore.Ledger {
    var ledger = counts
    ledger.pending = entries.count
    return ledger
  }

  var bytes: Int { entries.reduce(0) { $0 + $1.bytes } }

  var inMemory: [Entry] { entries.filter(\.isInMemory) }

  func entry(_ number: UInt64) -> Entry? { entries.first { $0.number == number } }

  /// What happened since the folder was opened.
  var books: ReportStore.Books {
    ReportStore.Books(
      inherited: inherited.pending, before: inherited, since: ledger.subtracting(inherited))
  }

  /// What is written down; those in memory are counted apart, since they have no file yet.
  var persisted: LedgerRecord {
    let waiting = inMemory.map(\.id)
    var ledger = counts
    ledger.captured -= waiting.count
    ledger.pending = 0
    let withdrawn = entries.filter { $0.isWithdrawn && !$0.isInMemory }.map(\.number)
    return LedgerRecord(
      next: nextNumber, settling: settling, inMemory: waiting, withdrawn: withdrawn, ledger: ledger)
  }

  /// What has to be done next, to make room for a record or to keep to the limits without one.
  func step(for candidate: Candidate?, now: Duration) -> Step {
    let waiting = entries.filter { !$0.isSending }
    let expired = waiting.filter { now - $0.birth > settings.maximumAge }.map(\.number)
    if !expired.isEmpty { return .drop(Array(expired.prefix(Self.settledAtOnce)), .expired) }
    if let step = stepForTooLarge(waiting) { return step }
    let whole = room(
      in: waiting, for: candidate, count: settings.maximumCount, bytes: settings.maximumBytes,
      .overflow)
    guard whole == .fits, let candidate, let reason = candidate.memoryReason else { return whole }
    return room(
      in: waiting.filter(\.isInMemory), for: candidate, count: settings.memoryCount,
      bytes: settings.memoryBytes, reason)
  }

  /// What alone is larger than all that may be kept, since the limit was another one, leaves before
  /// the others have to.
  private func stepForTooLarge(_ waiting: [Entry]) -> Step? {
    let large = waiting.filter { !$0.isUnread && $0.bytes > settings.maximumBytes }
    guard let first = large.first else { return nil }
    let fits = large.first { ($0.trimmedBytes ?? .max) <= settings.maximumBytes }
    return fits.map { .trim($0.number) } ?? .drop([first.number], .tooLarge)
  }

  private func room(
    in waiting: [Entry], for candidate: Candidate?, count: Int, bytes: Int,
    _ reason: ReportStore.DropReason
  ) -> Step {
    if let candidate, candidate.bytes > bytes {
      guard let trimmed = candidate.trimmedBytes, trimmed <= bytes else {
        return .refuse(reason == .overflow ? .tooLarge : reason)
      }
      return .trimCandidate
    }
    let isCrowded = waiting.count + (candidate == nil ? 0 : 1) > count
    let isHeavy = waiting.reduce(candidate?.bytes ?? 0) { $0 + $1.bytes } > bytes
    guard isCrowded || isHeavy else { return .fits }
    if !isCrowded, let step = trim(waiting, candidate) { return step }
    // The oldest of the mildest; never one that is worse than what wants in.
    let limit = candidate?.severity ?? .critical
    let excess = waiting.count + (candidate == nil ? 0 : 1) - count
    let victims = Self.mildestFirst(waiting).prefix(min(max(excess, 1), Self.settledAtOnce))
      .prefix { $0.severity <= limit }
    return victims.isEmpty ? .refuse(reason) : .drop(victims.map(\.number), reason)
  }

  /// Trimming that gains something: of the mildest first, of the oldest among those.
  private func trim(_ waiting: [Entry], _ candidate: Candidate?) -> Step? {
    let trimmable = waiting.filter { !$0.isInMemory && ($0.trimmedBytes ?? .max) < $0.bytes }
    let victim = Self.mildest(trimmable)
    if let candidate, let trimmed = candidate.trimmedBytes, trimmed < candidate.bytes,
      victim.map({ candidate.severity < $0.severity }) ?? true
    {
      return .trimCandidate
    }
    return victim.map { .trim($0.number) }
  }

  private static func mildest(_ entries: [Entry]) -> Entry? {
    // Of equals the first, which is the oldest.
    entries.min { $0.severity < $1.severity }
  }

  private static func mildestFirst(_ entries: [Entry]) -> [Entry] {
    Severity.allCases.flatMap { severity in entries.filter { $0.severity == severity } }
  }
}

// MARK: What happens

extension ReportIndexStateMachine {
  /// A record is kept: its file is there, or it lies in memory.
  ///
  /// - Returns: Its number, which is `nextNumber` for a file.
  mutating func admit(_ candidate: Candidate, now: Duration) -> UInt64 {
    let number: UInt64
    if candidate.memoryReason == nil {
      number = takeNumber()
    } else {
      number = nextInMemory
      nextInMemory += 1
    }
    entries.append(
      Entry(
        number: number, id: candidate.id, birth: now, bytes: candidate.bytes,
        trimmedBytes: candidate.trimmedBytes, severity: candidate.severity,
        category: candidate.category, contentType: candidate.contentType))
    counts.captured += 1
    return number
  }

  /// A number is never used twice, also where writing its file failed half-way.
  @discardableResult mutating func takeNumber() -> UInt64 {
    defer { nextNumber += 1 }
    return nextNumber
  }

  /// A record is not kept.
  mutating func refuse(_ reason: ReportStore.DropReason, category: String) {
    counts.captured += 1
    counts.drop(reason, in: category)
  }

  /// Records are lost.
  mutating func drop(_ numbers: [UInt64], _ reason: ReportStore.DropReason) {
    for entry in take(numbers) { counts.drop(reason, in: entry.category) }
  }

  /// A service took records, but for so many of them.
  mutating func send(_ numbers: [UInt64], rejected: Int = 0) {
    let taken = take(numbers)
    let refused = min(max(rejected, 0), taken.count)
    counts.sent += taken.count - refused
    if refused > 0 { counts.drop(.rejected, in: taken[0].category, count: refused) }
  }

  /// A file is damaged.
  mutating func quarantine(_ number: UInt64) { counts.quarantined += take([number]).count }

  /// Files are gone for good.
  mutating func settled(_ numbers: [UInt64]) { settling.removeAll { numbers.contains($0) } }

  mutating func trimmed(_ number: UInt64, bytes: Int) {
    change([number]) {
      $0.bytes = bytes
      $0.trimmedBytes = nil
    }
  }

  /// A record in memory has got a file, whose number is `nextNumber`.
  mutating func moveToDisk(_ number: UInt64) {
    let file = takeNumber()
    change([number]) { $0.number = file }
  }

  mutating func beginSending(_ numbers: [UInt64]) { change(numbers) { $0.isSending = true } }

  /// Records wait again; where a service asked for it, after the others.
  mutating func putBack(_ numbers: [UInt64], wasRefused: Bool) {
    change(numbers) {
      $0.isSending = false
      guard wasRefused else { return }
      $0.attempts += 1
      $0.silences = 0
    }
  }

  /// There was no answer: the records wait again, after the others where that goes on.
  mutating func unanswered(_ numbers: [UInt64]) {
    change(numbers) {
      $0.isSending = false
      $0.silences += 1
      if $0.isSuspect { $0.attempts += 1 }
    }
  }

  /// Nothing of what is here may be sent any more.
  ///
  /// - Returns: What waits, to be dropped; what is being sent is marked.
  mutating func withdraw() -> [UInt64] {
    change(entries.filter(\.isSending).map(\.number)) { $0.isWithdrawn = true }
    return entries.filter { !$0.isSending }.map(\.number)
  }

  /// A file that could not be read when it was found says what it is.
  mutating func identify(_ known: Entry) {
    change([known.number]) {
      $0.birth = known.birth
      $0.bytes = known.bytes
      $0.trimmedBytes = known.trimmedBytes
      $0.severity = known.severity
      $0.category = known.category
      $0.contentType = known.contentType
      $0.isUnread = false
    }
  }

  mutating func requestFailed() { counts.failedRequests += 1 }

  private mutating func change(_ numbers: [UInt64], _ body: (inout Entry) -> Void) {
    for place in entries.indices where numbers.contains(entries[place].number) {
      body(&entries[place])
    }
  }

  private mutating func take(_ numbers: [UInt64]) -> [Entry] {
    let taken = entries.filter { numbers.contains($0.number) }
    entries.removeAll { numbers.contains($0.number) }
    settling += taken.filter { !$0.isInMemory }.map(\.number)
    return taken
  }
}

// MARK: Opening

extension ReportIndexStateMachine {
  /// Goes on with what an earlier process left; what this one has in memory stays.
  ///
  /// - Parameters:
  ///   - record: The ledger; nil where there is none.
  ///   - isDamaged: Whether there was one that cannot be read.
  ///   - found: The files that are whole, or cannot be read now; their births are those of this
  ///     process's clock.
  ///   - damaged: The names of those that are not.
  /// - Returns: Files that were counted already and only have to be taken away.
  mutating func open(
    _ record: LedgerRecord?, isDamaged: Bool, found: [Entry], damaged: [RecordName]
  ) -> [UInt64] {
    let record = record ?? LedgerRecord()
    let counted = Set(record.settling)
    let kept = found.filter { !counted.contains($0.number) }.sorted { $0.number < $1.number }
    let broken = damaged.filter { !counted.contains($0.number) }
    let names = kept.map { RecordName(number: $0.number, id: $0.id) } + broken
    let new = names.filter { $0.number >= record.next }
    // Of those in memory some may have got a file after the ledger was written.
    let filed = Set(new.map(\.id))
    let forgotten = record.inMemory.count { !filed.contains($0) }
    var old = record.ledger
    old.captured += new.count + forgotten
    old.quarantined += broken.count
    old.resets += isDamaged ? 1 : 0
    old.pending = kept.count
    // With what was forgotten: it was captured, and nobody can say more about it.
    let missing = old.captured - old.sent - old.droppedInAll - old.quarantined - old.pending
    if missing > 0 { old.drop(.lost, in: "other", count: missing) } else { old.captured -= missing }
    inherited = old
    counts = old.adding(counts)
    entries = kept + entries
    change(record.withdrawn) { $0.isWithdrawn = true }
    let files = found.map(\.number) + damaged.map(\.number)
    let last = (files + record.settling).max() ?? 0
    nextNumber = max(nextNumber, record.next, last + 1)
    let remaining = files.filter(counted.contains)
    settling = remaining + broken.map(\.number)
    return remaining
  }
}

extension ReportStore.Ledger {
  /// What happened in this one and the other.
  func adding(_ other: Self) -> Self { combined(other, +) }

  /// What happened in this one and not in the other, which came before.
  func subtracting(_ other: Self) -> Self { combined(other, -) }

  private func combined(_ other: Self, _ operation: (Int, Int) -> Int) -> Self {
    var result = Self()
    result.captured = operation(captured, other.captured)
    result.sent = operation(sent, other.sent)
    result.pending = operation(pending, other.pending)
    result.quarantined = operation(quarantined, other.quarantined)
    result.failedRequests = operation(failedRequests, other.failedRequests)
    result.resets = operation(resets, other.resets)
    for reason in Set(dropped.keys).union(other.dropped.keys) {
      let (mine, theirs) = (dropped[reason] ?? [:], other.dropped[reason] ?? [:])
      for category in Set(mine.keys).union(theirs.keys) {
        let count = operation(mine[category] ?? 0, theirs[category] ?? 0)
        if count != 0 { result.dropped[reason, default: [:]][category] = count }
      }
    }
    return result
  }
}
