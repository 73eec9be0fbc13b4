// SPDX-License-Identifier: Apache-2.0

/// When a store sends what: one request at a time, the oldest records first, and not while a
/// service or its own backoff holds it back.
struct ReportSendingStateMachine: Sendable {
  /// Settings that were checked before.
  struct Settings: Sendable {
    var replies: ReportStore.ReplyPolicy
    var backoff: Backoff
    /// How many records a request holds at most; 1 or more.
    var recordsPerRequest: Int
    /// How many bytes a request of several records holds at most.
    var requestBytes = 1_000_000
  }

  /// What a service says about when to come back.
  struct Hint: Sendable, Equatable {
    var all: Duration?
    var categories: [String: Duration] = [:]
  }

  enum Next: Sendable, Equatable {
    case nothing
    case wait(Duration)
    case send([UInt64])
  }

  enum Verdict: Sendable, Equatable {
    case sent(rejected: Int)
    case dropped(ReportStore.DropReason)
    case stays
  }

  /// No service silences a store for longer, and none makes it turn without a rest.
  static let pauses = Duration.seconds(1)...Duration.seconds(86_400)

  private let settings: Settings
  private(set) var isDraining = false
  private var failures = 0
  /// The readings until which nothing is sent, by the service and by its own backoff.
  private var all: Duration?
  private var own: Duration?
  private var lastDelay: Duration?
  private var categories: [String: Duration] = [:]
  private var latest = Duration.earliestReading

  init(_ settings: Settings) { self.settings = settings }
}

extension ReportSendingStateMachine {
  /// Somebody wants to send; false where somebody else does.
  mutating func begin() -> Bool {
    defer { isDraining = true }
    return !isDraining
  }

  mutating func finish() { isDraining = false }

  /// How long nothing at all is sent; nil where something can be.
  mutating func pause(now: Duration) -> Duration? {
    advance(to: now)
    guard let until = [all, own].compactMap({ $0 }).max(), until > latest else { return nil }
    return until - latest
  }

  /// What is done next with the records that wait, which come the oldest first.
  mutating func next(_ waiting: [ReportIndexStateMachine.Entry], now: Duration) -> Next {
    let pause = pause(now: now)
    guard !waiting.isEmpty else { return .nothing }
    if let pause { return .wait(pause) }
    let free = waiting.filter { categories[$0.category] == nil }
    // Those that a service has put off before come after the others: one that it never takes must
    // not hold up all.
    guard let first = free.min(by: { $0.attempts < $1.attempts }) else {
      let ends = waiting.compactMap { categories[$0.category] }
      return .wait((ends.min() ?? latest) - latest)
    }
    // What is in a file that could not be read is known when it has been: nothing is sent then.
    let isJoined = first.isUnread || Self.joinsLines(first.contentType)
    let size = isJoined && !first.isSuspect ? settings.recordsPerRequest : 1
    var batch: [UInt64] = []
    var bytes = 0
    for entry in free
    where entry.contentType == first.contentType && entry.category == first.category
      && entry.attempts == first.attempts && entry.isSuspect == first.isSuspect
    {
      guard batch.count < size else { break }
      guard batch.isEmpty || bytes + entry.bytes <= settings.requestBytes else { break }
      batch.append(entry.number)
      bytes += entry.bytes
    }
    return .send(batch)
  }

  /// Whether several documents of a content type, one to a line, are one of it again.
  ///
  /// Two documents of JSON are none, and neither are two envelopes.
  static func joinsLines(_ contentType: String) -> Bool {
    let type = contentType.prefix { $0 != ";" }.lowercased()
    return ["application/x-ndjson", "application/jsonl", "text/plain"].contains(type)
  }

  /// How long its own backoff is after a reply, or after none; nil where it has no reason for one.
  ///
  /// It asks the backoff, which may be somebody's own code.
  func delay(after reply: ReportStore.Reply?, fraction: Double) -> Duration? {
    if let reply {
      // An outage must not cost all that is kept where the service's refusal is its last word.
      let isFailure =
        settings.replies.verdict(on: reply.status) == .stays || reply.status == 429
        || (500...599).contains(reply.status)
      guard isFailure else { return nil }
    }
    return settings.backoff.delay(
      attempt: failures + 1, previous: lastDelay, fraction: fraction)
  }

  /// A service has answered.
  ///
  /// - Parameters:
  ///   - reply: The answer.
  ///   - hint: What it says about when to come back.
  ///   - now: The reading.
  ///   - delay: What `delay(after:fraction:)` says about it.
  /// - Returns: What becomes of the records.
  mutating func end(
    _ reply: ReportStore.Reply, _ hint: Hint, now: Duration, delay: Duration?
  ) -> Verdict {
    advance(to: now)
    heed(hint)
    if let delay { backOff(delay) } else { forgive() }
    switch settings.replies.verdict(on: reply.status) {
    case .sent: return .sent(rejected: max(reply.rejected, 0))
    case .dropped: return .dropped(reply.status == 429 ? .rateLimited : .rejected)
    case .stays: return .stays
    }
  }

  /// There was no answer.
  mutating func endWithoutReply(now: Duration, delay: Duration) {
    advance(to: now)
    backOff(delay)
  }

  /// Something has changed, such as the network: its own backoff is over, a service's word is not.
  mutating func forgive() {
    failures = 0
    own = nil
    lastDelay = nil
  }

  private mutating func backOff(_ delay: Duration) {
    failures += 1
    lastDelay = delay
    own = latest + Self.cut(delay)
  }

  private mutating func heed(_ hint: Hint) {
    if let pause = hint.all { all = max(all ?? latest, latest + Self.cut(pause)) }
    for (category, pause) in hint.categories.sorted(by: { $0.key < $1.key }) {
      guard categories[category] != nil || categories.count < 64 else { continue }
      categories[category] = max(categories[category] ?? latest, latest + Self.cut(pause))
    }
  }

  private mutating func advance(to now: Duration) {
    latest = max(latest, min(now, .latestReading))
    categories = categories.filter { $0.value > latest }
  }

  private static func cut(_ pause: Duration) -> Duration {
    min(max(pause, pauses.lowerBound), pauses.upperBound)
  }
}
