// SPDX-License-Identifier: Apache-2.0

extension ErrorMonitor {
  /// Where every captured error is: each loss has a reason and is counted.
  ///
  /// For every sink, at any time, `captured = sent + stored + dropped(reason)`, where what was
  /// dropped before it came to any sink counts for each of them.
  public struct Ledger: Sendable, Hashable, Codable {
    /// What became of the reports that were meant for one sink.
    public struct Delivery: Sendable, Hashable, Codable {
      /// How many the sink has sent.
      public var sent = 0
      /// How many were dropped, by reason.
      public var dropped: [ErrorReport.DropReason: Int] = [:]

      /// Nothing was meant for it so far.
      public init() {}
    }

    /// What a sink that keeps reports itself says about those that it accepted.
    public struct Books: Sendable, Hashable, Codable {
      /// How many it found from earlier runs when it was made.
      public var inherited: Int
      /// What became of those found and those accepted; the others it still keeps.
      public var delivery: Delivery
      /// What had become of all that it ever accepted when it was made; nil where it does not know.
      var before: Account?
      /// The same, by now.
      var now: Account?

      /// Makes books.
      public init(inherited: Int = 0, delivery: Delivery = Delivery()) {
        self.inherited = inherited
        self.delivery = delivery
      }
    }

    /// How many were kept: neither duplicates nor suppressed; each sink was told of them.
    public internal(set) var kept: Int
    /// How many were left out before they came to any sink, by reason.
    public internal(set) var dropped: [ErrorReport.DropReason: Int]
    /// What became of those that were kept, by the name of the sink.
    public internal(set) var sinks: [String: Delivery]
    /// How many runs ended without `shutDown`, or left a file of the ledger that cannot be read.
    ///
    /// What such a run captured after it last wrote the file is in no count, unless a sink that
    /// keeps reports has it.
    public internal(set) var interruptions: Int

    /// Nothing was captured so far.
    public init() {
      kept = 0
      dropped = [:]
      sinks = [:]
      interruptions = 0
    }
  }
}

extension ErrorMonitor.Ledger {
  /// Decodes a ledger, also one from before interruptions were counted.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    kept = try values.decode(Int.self, forKey: .kept)
    dropped = try values.decode([ErrorReport.DropReason: Int].self, forKey: .dropped)
    sinks = try values.decode([String: Delivery].self, forKey: .sinks)
    interruptions = try values.decode(.interruptions, default: 0)
  }
}

extension ErrorMonitor.Ledger {
  /// How many errors were captured.
  public var captured: Int { kept + dropped.values.reduce(0, +) }

  /// How many a sink has sent.
  public func sent(to sink: String) -> Int { sinks[sink]?.sent ?? 0 }

  /// How many wait for a sink, in memory or where it keeps them.
  public func stored(for sink: String) -> Int {
    guard let delivery = sinks[sink] else { return 0 }
    return kept - delivery.total
  }

  /// How many never come to a sink, by reason.
  public func dropped(for sink: String) -> [ErrorReport.DropReason: Int] {
    dropped.merging(sinks[sink]?.dropped ?? [:], uniquingKeysWith: +)
  }

  /// Whether no count is negative, which is what a balanced ledger means.
  public var isBalanced: Bool {
    let counts =
      [kept, interruptions] + dropped.values
      + sinks.values.flatMap { [$0.sent] + $0.dropped.values }
    return counts.allSatisfy { $0 >= 0 } && sinks.keys.allSatisfy { stored(for: $0) >= 0 }
  }

  /// This ledger as a new process goes on with it.
  ///
  /// What waited in memory is lost; what a sink found of its own is not. Where a sink found more
  /// than this ledger knows, since the process ended before the ledger was written, it was captured
  /// and is added.
  ///
  /// - Parameter inherited: How many reports each sink has found, by its name.
  /// - Returns: A ledger in which exactly those are stored.
  public func continued(inheriting inherited: [String: Int] = [:]) -> Self {
    continued(inheriting: inherited, losing: .lost)
  }

  /// The same, with the reason by which what waited in memory is counted.
  func continued(
    inheriting inherited: [String: Int], losing reason: ErrorReport.DropReason
  ) -> Self {
    var copy = self
    let unknown = inherited.map { name, count in
      max(0, count - (sinks[name] == nil ? 0 : stored(for: name)))
    }
    copy.kept += unknown.max() ?? 0
    for name in Set(sinks.keys).union(inherited.keys) {
      if copy.sinks[name] == nil {
        copy.sinks[name] = .init()
        copy.sinks[name]?.dropped[.noSink] = kept == 0 ? nil : kept
      }
      let lost = copy.stored(for: name) - max(0, inherited[name] ?? 0)
      if lost > 0 { copy.sinks[name]?.dropped[reason, default: 0] += lost }
    }
    return copy
  }

  /// What became of all that a sink that keeps reports ever accepted, over all processes.
  struct Account: Sendable, Hashable, Codable {
    var accepted = 0
    var delivery = Delivery()
  }

  /// This ledger with what sinks that keep reports did after it was written.
  ///
  /// A sink may also have forgotten what it did last, since the process was killed before that was
  /// on the disk: then it is done again, and counted then.
  ///
  /// - Parameters:
  ///   - then: What each of them said of itself when it was written.
  ///   - now: The same, when the next process began.
  /// - Returns: A ledger in which fewer are stored than it says, where sinks accepted and settled
  ///   some that it does not know; ``continued(inheriting:)`` makes up for them.
  func settled(from then: [String: Account], to now: [String: Account]) -> Self {
    var copy = self
    for (name, earlier) in then {
      guard let later = now[name], var delivery = copy.sinks[name] else { continue }
      // One that has accepted less than it had is another one, which cannot take anything back.
      let isSame = later.accepted >= earlier.accepted
      func sum(_ count: Int, _ earlier: Int, _ later: Int) -> Int {
        max(0, count + (isSame ? later - earlier : max(0, later - earlier)))
      }
      delivery.sent = sum(delivery.sent, earlier.delivery.sent, later.delivery.sent)
      for reason in Set(earlier.delivery.dropped.keys).union(later.delivery.dropped.keys) {
        let count = sum(
          delivery.dropped[reason] ?? 0, earlier.delivery.dropped[reason] ?? 0,
          later.delivery.dropped[reason] ?? 0)
        delivery.dropped[reason] = count > 0 ? count : nil
      }
      copy.sinks[name] = delivery
    }
    return copy
  }

  /// Both together: what one process captured, and the next one.
  ///
  /// A sink that only one of them knows was not there for what the other one kept.
  func adding(_ other: Self) -> Self {
    var sum = self
    sum.kept += other.kept
    sum.interruptions += other.interruptions
    sum.dropped.add(other.dropped)
    for name in Set(sinks.keys).union(other.sinks.keys) {
      let (own, others) = (sinks[name] ?? .absent(kept), other.sinks[name] ?? .absent(other.kept))
      sum.sinks[name] = own.adding(others)
    }
    return sum
  }
}

extension ErrorMonitor.Ledger.Delivery {
  /// How many are no longer on their way.
  var total: Int { sent + dropped.values.reduce(0, +) }

  /// For a sink that was not there.
  fileprivate static func absent(_ kept: Int) -> Self {
    var delivery = Self()
    if kept > 0 { delivery.dropped[.noSink] = kept }
    return delivery
  }

  /// Both together.
  func adding(_ other: Self) -> Self {
    var sum = self
    sum.sent += other.sent
    sum.dropped.add(other.dropped)
    return sum
  }

  /// What the sink says about those that it accepted, in place of them.
  func applying(_ books: ErrorMonitor.Ledger.Books?) -> Self {
    guard let books else { return self }
    var own = self
    own.sent = 0
    return own.adding(books.delivery)
  }
}
