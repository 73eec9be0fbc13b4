// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// How many operations stand where; what a status page or a banner shows.
public struct OutboxSnapshot: Sendable, Hashable, Codable {
  /// All that are not finished; dead letters are not among them.
  public var pending = 0
  /// May run now.
  public var ready = 0
  /// A worker has them.
  public var running = 0
  /// Run again at a known time, after a failure.
  public var scheduled = 0
  /// Follow another one with the same ordering key.
  public var blocked = 0
  /// Refused for now by a policy of the app, in a lane that is closed, or of a kind that is paused.
  public var waiting = 0
  /// Somebody has to decide.
  public var conflicted = 0
  /// This build has no worker for them.
  public var parked = 0
  /// Given up, and neither redriven nor discarded yet.
  public var dead = 0
  /// How large the payloads of all that are not finished are together, as they lie in the store.
  ///
  /// It is what ``Outbox/Configuration/maximumBytes`` limits.
  public var bytes = 0
  /// Why those wait that are ``scheduled`` or ``waiting``.
  public var causes = Causes()
  /// How long the oldest one has been waiting, which was enqueued first; nil where none is.
  public var oldestAge: Duration?
  /// How long it takes to work off what can be worked off; nil where nothing is known yet.
  ///
  /// An outbox knows it, a store does not.
  public var estimate: DrainEstimate?
  /// How many of the blocked ones wait for what can run alone; nil where the store does not say.
  ///
  /// It is for the estimate, and an outbox hands it to nobody.
  package var following: Int?

  /// Makes a snapshot of an empty outbox.
  public init() {}
}

extension OutboxSnapshot {
  /// Counts operations that are alike.
  ///
  /// - Parameters:
  ///   - state: Where they stand.
  ///   - number: How many there are.
  ///   - cause: Why they wait, where they do.
  ///   - closure: Why their lane is closed; nil where it is open.
  ///   - isPaused: Whether their kind is paused; the default is false.
  package mutating func count(
    _ state: OperationState, _ number: Int, for cause: WaitingCause?,
    in closure: LaneClosure.Cause?, isPaused: Bool = false
  ) {
    if state != .dead { pending += number }
    switch state {
    case .ready:
      guard closure != nil || isPaused else { return ready += number }
      waiting += number
      if let closure { causes.count(closure, number) } else { causes.kindPaused += number }
    case .waiting:
      waiting += number
      causes.count(cause ?? .policy, number)
    case .scheduled:
      scheduled += number
      causes.count(cause ?? .failure, number)
    case .blocked: blocked += number
    case .leased: running += number
    case .parked: parked += number
    case .conflicted: conflicted += number
    case .dead: dead += number
    }
  }
}

extension OutboxSnapshot {
  /// How many operations wait for which cause; each counts once.
  ///
  /// All causes together are ``OutboxSnapshot/scheduled`` and ``OutboxSnapshot/waiting``. What else
  /// stands in the way of one operation says ``Outbox/explain(_:)``.
  public struct Causes: Sendable, Hashable, Codable {
    /// They were enqueued with a delay that is not over.
    public var delay = 0
    /// They failed, and are tried again after their backoff.
    public var failure = 0
    /// The network could not be reached, and they are tried again after their backoff, or when a
    /// circuit of their worker lets them, which stays open since then.
    public var unreachable = 0
    /// A policy of the app refused them for now for another reason, or their worker threw
    /// ``Snooze``.
    public var policy = 0
    /// A constraint did not hold where they were to be started.
    public var constraint = 0
    /// They are ready, and their lane is paused.
    public var lanePaused = 0
    /// They are ready, and somebody has to do something before their lane goes on.
    public var laneNeedsUser = 0
    /// They are ready, and their lane rests, since the other side asked for that.
    public var laneThrottled = 0
    /// They are ready and their lane is open, and their kind is paused.
    public var kindPaused = 0

    /// Makes causes that nothing waits for.
    public init() {}
  }
}

extension OutboxSnapshot.Causes {
  fileprivate mutating func count(_ cause: WaitingCause, _ number: Int) {
    switch cause {
    case .delay: delay += number
    case .failure: failure += number
    case .unreachable: unreachable += number
    case .policy: policy += number
    case .constraint: constraint += number
    }
  }

  fileprivate mutating func count(_ closure: LaneClosure.Cause, _ number: Int) {
    switch closure {
    case .paused: lanePaused += number
    case .needsUser: laneNeedsUser += number
    case .throttled: laneThrottled += number
    }
  }

  /// What operations wait for, in words that follow "for", and how many do.
  package var inWords: [(what: String, count: Int)] {
    [
      ("a delay", delay), ("the next attempt after a failure", failure),
      ("the next attempt, since the network could not be reached", unreachable),
      ("a policy that refuses for now, such as an open circuit", policy),
      ("a constraint", constraint), ("a lane that is paused", lanePaused),
      ("a lane in which a person is needed", laneNeedsUser),
      ("a lane that rests, as the other side asked", laneThrottled),
      ("a kind that is paused", kindPaused),
    ].filter { $0.1 > 0 }
  }
}

/// What came and what became of it: nothing that was accepted goes missing without a trace.
public struct OutboxLedger: Sendable, Hashable, Codable {
  /// All that were ever accepted.
  public var enqueued = 0
  /// Those that are not finished.
  public var pending = 0
  /// Those that are dead letters now.
  public var dead = 0
  /// What became of the others.
  public var receipts: [OutboxReceipt] = []

  /// Makes an empty ledger.
  public init() {}

  /// How many of the others ended in this way.
  public func count(_ reason: OutboxReceipt.Reason) -> Int {
    receipts.filter { $0.reason == reason }.reduce(0) { $0 + $1.count }
  }

  /// Whether every accepted operation is accounted for.
  public var isBalanced: Bool {
    // What a damaged file says may be too much for a sum.
    enqueued == receipts.reduce(pending &+ dead) { $0 &+ $1.count }
  }
}

/// How many operations of a kind are gone for one reason; their payloads are gone with them.
public struct OutboxReceipt: Sendable, Hashable, Codable {
  /// Why they are gone; the set is open.
  public struct Reason: Sendable, Hashable, Codable {
    /// The name of the reason.
    public let rawValue: String

    /// Makes a reason from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The worker returned.
    public static let done = Reason(rawValue: "done")
    /// Somebody discarded the dead letter.
    public static let discarded = Reason(rawValue: "discarded")
    /// A conflict ended with the other side's version.
    public static let dropped = Reason(rawValue: "dropped")
    /// Somebody cancelled it.
    public static let cancelled = Reason(rawValue: "cancelled")
    /// A newer one took its place under the same unique key.
    public static let replaced = Reason(rawValue: "replaced")
    /// It and its neighbour came to one operation, or to none.
    public static let coalesced = Reason(rawValue: "coalesced")
    /// One before it under the same ordering key was given up, and those behind that were dropped.
    public static let followed = Reason(rawValue: "followed")
    /// It was expendable, and the outbox was full.
    public static let evicted = Reason(rawValue: "evicted")
    /// Its time was over.
    public static let expired = Reason(rawValue: "expired")
    /// The file was damaged, and the operation could not be read.
    public static let unreadable = Reason(rawValue: "unreadable")
  }

  /// The kind; `*` where it could not be read.
  public let kind: String
  /// Why they are gone.
  public let reason: Reason
  /// How many.
  public var count: Int
  /// The size of their payloads together, in bytes.
  public var bytes: Int
  /// When the first one went.
  public var first: Date
  /// When the last one went.
  public var last: Date

  /// Makes a receipt; for stores.
  public init(
    kind: String, reason: Reason, count: Int, bytes: Int, first: Date, last: Date
  ) {
    self.kind = kind
    self.reason = reason
    self.count = count
    self.bytes = bytes
    self.first = first
    self.last = last
  }
}

/// What was found when a store was opened.
public struct OpeningReport: Sendable, Hashable, Codable {
  /// What happened to a damaged file.
  public struct Salvage: Sendable, Hashable, Codable {
    /// Where the damaged file and its companions lie now.
    public let movedTo: [String]
    /// How many operations could be read.
    public let operations: Int
    /// How many dead letters could be read.
    public let deadLetters: Int
    /// How many accepted operations are missing; nil where that cannot be known.
    public let missing: Int?

    /// Makes a report; for stores.
    public init(movedTo: [String], operations: Int, deadLetters: Int, missing: Int?) {
      self.movedTo = movedTo
      self.operations = operations
      self.deadLetters = deadLetters
      self.missing = missing
    }
  }

  /// What may harm the file later, and can be helped; the set is open.
  public struct Warning: Sendable, Hashable, Codable {
    /// The name of the warning.
    public let rawValue: String

    /// Makes a warning from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Others have the file open, and the SQLite of this process is older than 3.51.3.
    ///
    /// In rare cases two connections that write and check at the same moment damage a file then. A
    /// newer SQLite helps, or a file for each process.
    public static let sharedByOldSQLite = Warning(rawValue: "sharedByOldSQLite")
  }

  /// How many operations had been running when a process died, and were taken back.
  public var recovered = 0
  /// How many of them were given up, since they were lost too often.
  public var quarantined = 0
  /// Whether every operation that was ever accepted is accounted for.
  public var isBalanced = true
  /// What was saved from a damaged file; nil where the file was whole.
  public var salvage: Salvage?
  /// What may harm the file later, as far as it could be seen now: who opens it first hears nothing
  /// of those that come later.
  public var warnings: [Warning] = []

  /// Makes the report of an empty store.
  public init() {}
}
