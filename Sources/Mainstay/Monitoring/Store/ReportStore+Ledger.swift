// SPDX-License-Identifier: Apache-2.0

extension ReportStore {
  /// What became of all records that a store was handed: each loss has a reason and is counted.
  ///
  /// `captured = sent + pending + dropped + quarantined`, over all processes that used the folder.
  public struct Ledger: Sendable, Hashable, Codable {
    /// How many the store was handed.
    public internal(set) var captured = 0
    /// How many a service took.
    public internal(set) var sent = 0
    /// How many wait, in files and in memory.
    public internal(set) var pending = 0
    /// How many were lost, by reason and category of data; beyond eight categories, `other`.
    public internal(set) var dropped: [DropReason: [String: Int]] = [:]
    /// How many files were damaged.
    public internal(set) var quarantined = 0
    /// How many requests failed; a store never reports its own failures, it counts them.
    public internal(set) var failedRequests = 0
    /// How often the ledger itself was damaged and begun anew.
    public internal(set) var resets = 0

    /// Nothing has happened so far.
    public init() {}

    /// How many were lost for a reason, in all categories.
    public func dropped(_ reason: DropReason) -> Int {
      dropped[reason]?.values.reduce(0, +) ?? 0
    }

    /// How many were lost.
    public var droppedInAll: Int { dropped.keys.reduce(0) { $0 + dropped($1) } }

    /// Whether every record is accounted for.
    public var isBalanced: Bool { captured == sent + pending + droppedInAll + quarantined }

    private static let categories = 8

    mutating func drop(_ reason: DropReason, in category: String, count: Int = 1) {
      let known = Set(dropped.values.flatMap(\.keys))
      let isKnown = known.contains(category) || known.count < Self.categories
      dropped[reason, default: [:]][isKnown ? category : "other", default: 0] += count
    }
  }

  /// How a store is doing.
  public struct Status: Sendable, Hashable {
    /// Where records go.
    public enum Condition: Sendable, Hashable {
      /// Into the folder.
      case writing
      /// Into memory, unless they are critical: the volume has less room left than the reserve.
      case noSpace
      /// Into memory: another store has the folder.
      case lockedByAnother
      /// Into memory: the folder cannot be written; what the system says about it.
      case unwritable(String)
    }

    /// Where records go.
    public let condition: Condition
    /// How many wait.
    public let pending: Int
    /// How many of them wait in memory.
    public let pendingInMemory: Int
    /// How many bytes they are.
    public let bytes: Int
    /// How long nothing is sent; nil where something can be.
    public let pause: Duration?
    /// What became of all records.
    public let ledger: Ledger
  }

  /// The accounts of this process alone, for whoever keeps a ledger of its own.
  package struct Books: Sendable, Hashable {
    /// How many records were found when the store was made.
    package let inherited: Int
    /// What had become of all records by then, over all processes.
    package let before: Ledger
    /// What happened since: what is captured here does not include those.
    package let since: Ledger
  }
}
