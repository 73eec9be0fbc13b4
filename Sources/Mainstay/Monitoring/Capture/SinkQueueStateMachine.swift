// SPDX-License-Identifier: Apache-2.0

/// What waits for one sink, and what became of all that was meant for it.
///
/// It is idle, or it sends one batch at a time, or it waits before it sends that batch again. What
/// is critical comes first, in batches of its own, and may be handed over besides. It has no clock,
/// no lock, and never calls a sink: `next` and `end` say what is to be done.
struct SinkQueueStateMachine<Report: Sendable>: Sendable {
  /// Settings that were checked before.
  struct Settings: Sendable {
    /// How many wait at most, besides those being sent; 1 or more.
    var capacity: Int
    /// How many are sent at once; 1 or more.
    var batchSize: Int
  }

  enum Phase: Sendable, Equatable {
    case idle
    case sending
    /// The sink asked to be left alone.
    case pausing
  }

  /// What the sender does next.
  enum Next: Sendable, Equatable {
    case send
    case pause(Duration)
  }

  private struct Item: Sendable {
    let number: UInt64
    let report: Report
    let severity: Severity
  }

  private let settings: Settings
  private(set) var phase = Phase.idle
  private var isEnded = false
  /// Whether nothing is handed over, since nobody has said yet whether it may be.
  private(set) var isHeld = false
  private var waiting = Array(repeating: Fifo<Item>(), count: Severity.allCases.count)
  private var inFlight: [Item] = []
  private var nextNumber: UInt64 = 0
  /// Whether what is being sent may not be sent again.
  private var isWithdrawn = false
  private var refusals = 0
  /// How many are no longer waiting, nor being sent for the first time.
  private(set) var books = ErrorMonitor.Ledger.Delivery()
  private(set) var waitingCount = 0
  /// How many are handed over besides, since they are critical.
  private(set) var urgentCount = 0
  /// How many those are at most: they are in nobody's bounds.
  private let maximumUrgentCount = 8

  init(_ settings: Settings) { self.settings = settings }

  /// Whether a batch, which may hold no report, is being sent.
  private(set) var isSending = false

  /// How many are here: waiting, or being sent.
  var stored: Int { waitingCount + inFlight.count + urgentCount }

  /// Whether there is nothing to do before something is offered, or the pause is over.
  var isSettled: Bool { phase != .sending && urgentCount == 0 }

  /// The same for whoever comes when the pause is over by the clock, and nobody has resumed yet:
  /// what is due has to be sent first.
  var isSettledBeyondPause: Bool { isSettled && phase != .pausing }

  /// A report is meant for this sink.
  ///
  /// - Returns: Whether somebody has to begin to send.
  mutating func offer(_ report: Report, severity: Severity) -> Bool {
    guard !isEnded else {
      drop(1, .shutDown)
      return false
    }
    waiting[severity.place].append(Item(number: nextNumber, report: report, severity: severity))
    nextNumber += 1
    waitingCount += 1
    evict()
    return begin()
  }

  /// A critical report is handed over now, besides what waits.
  ///
  /// - Parameter isBounded: Whether there may be no more than a few of them.
  /// - Returns: False where it has to wait like the others.
  mutating func beginUrgent(isBounded: Bool = true) -> Bool {
    guard !isEnded, !isBounded || urgentCount < maximumUrgentCount else { return false }
    urgentCount += 1
    return true
  }

  /// The sink has taken it over, or could not, and then it is offered like the others.
  mutating func endUrgent(isTaken: Bool = true) {
    urgentCount -= 1
    if isTaken { books.sent += 1 }
  }

  /// Keeps what comes and hands over nothing more, until it is released.
  mutating func hold() { isHeld = true }

  /// What was held may be handed over.
  ///
  /// - Parameter hasMore: Whether there is something else to send than reports.
  /// - Returns: Whether somebody has to begin to send.
  mutating func release(hasMore: Bool) -> Bool {
    guard isHeld else { return false }
    isHeld = false
    return !isEnded && (waitingCount > 0 || hasMore) && begin()
  }

  /// A report is not for this sink.
  mutating func withhold() { drop(1, .withheld) }

  /// There is something else to send than reports.
  ///
  /// - Returns: Whether somebody has to begin to send.
  mutating func wake() -> Bool { isEnded ? false : begin() }

  /// What is to be sent now: what is critical, or else the others, the oldest first; the one that
  /// sends asks until there is nothing.
  mutating func next(hasMore: Bool = false) -> [Report]? {
    guard phase == .sending, !isSending else { return nil }
    guard !isHeld, waitingCount > 0 || hasMore else {
      phase = .idle
      return nil
    }
    let critical = Severity.critical.place
    let isUrgent = waiting[critical].first != nil
    while inFlight.count < settings.batchSize, let item = isUrgent ? take(critical) : takeOldest() {
      inFlight.append(item)
    }
    isSending = true
    return inFlight.map(\.report)
  }

  /// The sink has answered.
  mutating func end(_ outcome: ErrorReport.SendOutcome) -> Next {
    let count = inFlight.count
    isSending = false
    switch outcome {
    case .accepted: books.sent += count
    case .rejected(let reason): drop(count, reason)
    case .later(let hint):
      refusals += 1
      guard !isEnded else {
        drop(count, .shutDown)
        break
      }
      putBack()
      phase = .pausing
      return .pause(pause(hint))
    }
    inFlight = []
    isWithdrawn = false
    refusals = 0
    return .send
  }

  /// The pause is over.
  mutating func resume() { if phase == .pausing { phase = .sending } }

  /// Drops what waits, since it may not be sent any more; what is being sent is dropped where it
  /// would have to be sent again.
  mutating func withdraw() {
    clear(.withheld)
    isWithdrawn = !inFlight.isEmpty
  }

  /// Drops what waits; from now on all that is offered is dropped.
  mutating func shutDown() {
    isEnded = true
    clear(.shutDown)
  }

  private mutating func begin() -> Bool {
    guard phase == .idle, !isHeld else { return false }
    phase = .sending
    return true
  }

  private mutating func drop(_ count: Int, _ reason: ErrorReport.DropReason) {
    if count > 0 { books.dropped.add(count, for: reason) }
  }

  private mutating func clear(_ reason: ErrorReport.DropReason) {
    drop(waitingCount, reason)
    for place in waiting.indices { waiting[place].removeAll() }
    waitingCount = 0
  }

  /// The oldest of the mildest leave when there are too many.
  private mutating func evict() {
    while waitingCount > settings.capacity,
      let place = waiting.firstIndex(where: { $0.first != nil })
    {
      _ = waiting[place].takeFirst()
      waitingCount -= 1
      drop(1, .overflow)
    }
  }

  private mutating func takeOldest() -> Item? {
    let oldest = waiting.indices.min {
      waiting[$0].first?.number ?? .max < waiting[$1].first?.number ?? .max
    }
    return oldest.flatMap { take($0) }
  }

  private mutating func take(_ place: Int) -> Item? {
    guard let item = waiting[place].takeFirst() else { return nil }
    waitingCount -= 1
    return item
  }

  private mutating func putBack() {
    if isWithdrawn {
      drop(inFlight.count, .withheld)
      inFlight = []
      isWithdrawn = false
      return
    }
    // All at once: one by one, each would move all that wait.
    for place in waiting.indices {
      waiting[place].prepend(inFlight.filter { $0.severity.place == place })
    }
    waitingCount += inFlight.count
    inFlight = []
    evict()
  }

  /// At least a second; without a hint twice as long each time, up to five minutes.
  private func pause(_ hint: Duration?) -> Duration {
    if let hint { return max(hint.clamped, .seconds(1)) }
    return .seconds(min(300, 1 << min(refusals - 1, 9)))
  }
}

/// First in, first out; whatever number is put back at once, each element is moved once at most.
struct Fifo<Element: Sendable>: Sendable {
  /// What leaves next, the last one first.
  private var leaving: [Element] = []
  /// What came since, the first one first.
  private var coming: [Element] = []

  var count: Int { leaving.count + coming.count }

  var first: Element? { leaving.last ?? coming.first }

  mutating func append(_ element: Element) { coming.append(element) }

  /// Puts elements before all others, the first one first.
  mutating func prepend(_ elements: [Element]) { leaving += elements.reversed() }

  mutating func takeFirst() -> Element? {
    if leaving.isEmpty {
      leaving = coming.reversed()
      coming = []
    }
    return leaving.popLast()
  }

  mutating func removeAll() {
    leaving = []
    coming = []
  }
}

extension Severity {
  /// Its place among all severities, the mildest first.
  fileprivate var place: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .warning: 2
    case .error: 3
    case .critical: 4
    }
  }
}
