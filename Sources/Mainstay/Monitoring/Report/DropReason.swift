// SPDX-License-Identifier: Apache-2.0

extension ErrorReport {
  /// Why a report was not sent, in one word.
  ///
  /// The set is open: a sink adds its own, such as `DropReason("quotaUsedUp")`. Of those the first
  /// 16 of each sink are told apart, the others count as `other`: have few, without values in them.
  public struct DropReason: Sendable, Hashable {
    /// The word.
    public let rawValue: String

    /// Makes a reason; of a longer text the first 64 bytes are kept.
    public init(_ rawValue: String) {
      self.rawValue = BoundedText.cut(rawValue, to: 64)
    }
  }
}

extension ErrorReport.DropReason {
  /// The same failure was captured before.
  public static let duplicate = Self("duplicate")
  /// Its group had its share of the window, of critical ones or of milder ones; the next such
  /// report of the group tells how many there were, or one that closes it does.
  public static let suppressed = Self("suppressed")
  /// The person has not agreed to what the sink is for, or it is not what the sink is for.
  public static let withheld = Self("withheld")
  /// There was no room where it had to wait, and others were worse.
  public static let overflow = Self("overflow")
  /// The other side does not accept it.
  public static let rejected = Self("rejected")
  /// It was captured while a sink was sending: told, it would cause another.
  public static let ownFailure = Self("ownFailure")
  /// The monitor had been shut down, or was shut down while it waited.
  public static let shutDown = Self("shutDown")
  /// It waited in the memory of a process that ended.
  public static let lost = Self("lost")
  /// Its process ended before anybody wrote down what became of it: it waited in memory then, and
  /// may have been sent.
  public static let unaccounted = Self("unaccounted")
  /// Its sink was not there when it was captured.
  public static let noSink = Self("noSink")
}

extension [ErrorReport.DropReason: Int] {
  private static let others = ErrorReport.DropReason("other")

  /// What the package says itself, a store too; each is told apart, whatever else is.
  private static let known = Set<ErrorReport.DropReason>(
    [
      .duplicate, .suppressed, .withheld, .overflow, .rejected, .ownFailure, .shutDown, .lost,
      .unaccounted, .noSink, others, .init("quarantined"),
    ]
      + [ReportStore.DropReason.expired, .tooLarge, .noSpace, .unwritable, .rateLimited].map {
        .init($0.rawValue)
      })

  /// Counts losses by their reason; an app has its own, and may make them of anything.
  mutating func add(_ count: Int, for reason: ErrorReport.DropReason) {
    let isNamed =
      self[reason] != nil || Self.known.contains(reason)
      || keys.count { !Self.known.contains($0) } < 16
    self[isNamed ? reason : Self.others, default: 0] += count
  }

  /// Counts what others have counted.
  mutating func add(_ others: Self) {
    // In an order that is always the same, since not all may be told apart.
    for (reason, count) in others.sorted(by: { $0.key < $1.key }) { add(count, for: reason) }
  }
}

extension ErrorReport.DropReason: Comparable {
  /// The order of the words.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension ErrorReport.DropReason: CustomStringConvertible {
  /// The word.
  public var description: String { rawValue }
}

extension ErrorReport.DropReason: Codable, CodingKeyRepresentable {
  /// The reason as the key of an object.
  public var codingKey: any CodingKey { ReasonKey(stringValue: rawValue) }

  /// The reason that a key names.
  public init?(codingKey: some CodingKey) { self.init(codingKey.stringValue) }

  /// Decodes a reason from its word.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the reason as its word.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

private struct ReasonKey: CodingKey {
  let stringValue: String
  let intValue: Int? = nil

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
