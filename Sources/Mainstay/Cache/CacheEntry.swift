// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// One answer as a ``CacheStore`` keeps it.
public struct CacheEntry: Sendable, Hashable {
  /// What it answers, and whose it is.
  public let key: Key
  /// The encoded value.
  public let bytes: Data
  /// The name of the type that was encoded: an answer of another type is not there.
  public let form: String
  /// What the service names this version by, such as an ETag; nil where it does not.
  public let validator: String?
  /// What it is about, to be selected by.
  public let tags: Set<String>
  /// How old it was already when it was loaded, such as in a cache on the way; zero to a year.
  public let initialAge: Duration
  /// For how long the service says that it is fresh; nil where it does not say.
  public let freshFor: Duration?
  /// Whether it must not be given once it is no longer fresh, whatever a policy allows (RFC 9111,
  /// `must-revalidate`).
  public let mustRevalidate: Bool
  /// How long after it ceased to be fresh the service lets it be given while a newer one is loaded,
  /// at most; nil where it does not say.
  ///
  /// A policy allows less, never more (RFC 5861).
  public let staleWhileRevalidate: Duration?
  /// How long after it ceased to be fresh the service lets it be given where loading failed, at
  /// most; nil where it does not say.
  ///
  /// A policy allows less, never more (RFC 5861).
  public let staleIfError: Duration?

  /// Makes an entry; for caches and tests.
  public init(
    key: Key, bytes: Data, form: String, validator: String? = nil, tags: Set<String> = [],
    initialAge: Duration = .zero, freshFor: Duration? = nil, mustRevalidate: Bool = false,
    staleWhileRevalidate: Duration? = nil, staleIfError: Duration? = nil
  ) {
    self.key = key
    self.bytes = bytes
    self.form = form
    self.validator = validator
    self.tags = tags
    self.initialAge = initialAge.clamped
    self.freshFor = freshFor?.clamped
    self.mustRevalidate = mustRevalidate
    self.staleWhileRevalidate = staleWhileRevalidate?.clamped
    self.staleIfError = staleIfError?.clamped
  }

  /// How many bytes it counts as: its own, and what keeping it costs.
  public var size: Int {
    let texts = key.name.utf8.count + key.partition.name.utf8.count + form.utf8.count
    let labels = (validator?.utf8.count ?? 0) + tags.reduce(0) { $0 + $1.utf8.count + 64 }
    return bytes.count + texts + labels + 256
  }
}

extension CacheEntry {
  /// What an answer is kept under.
  ///
  /// Names are compared byte by byte, and any text is legal.
  public struct Key: Sendable {
    /// Whose it is.
    public let partition: CachePartition
    /// What the answer depends on.
    public let name: String

    /// Makes a key.
    public init(_ name: String, of partition: CachePartition) {
      self.name = name
      self.partition = partition
    }
  }

  /// Several entries of one partition.
  public enum Selection: Sendable, Hashable {
    /// What is kept under a key.
    case key(Key)
    /// What is kept under keys that begin so.
    case prefix(String, of: CachePartition)
    /// What carries a tag.
    case tag(String, of: CachePartition)
    /// Everything of a partition.
    case partition(CachePartition)
  }

  /// When a load began, by the count and the clock of a store; so that what it brings is not kept
  /// where it has been overtaken.
  public struct Ticket: Sendable, Hashable {
    /// How many selections had been expired or removed.
    public let removals: Int64
    /// A number that is greater for each later load of this process.
    public let number: Int64
    /// The reading of the store's clock.
    public let reading: Duration

    /// Makes a ticket; for stores.
    public init(removals: Int64, number: Int64, reading: Duration) {
      self.removals = removals
      self.number = number
      self.reading = reading
    }
  }

  /// What a store finds under a key.
  public struct Lookup: Sendable, Hashable {
    /// The entry; nil where nothing is kept.
    public let entry: CacheEntry?
    /// The time since the load of it began, with its initial age; nil where that is not known.
    public let age: Duration?
    /// Whether somebody said that it is no longer right.
    public let isExpired: Bool
    /// Names the load that begins now.
    public let ticket: Ticket

    /// Makes what was found; for stores.
    public init(entry: CacheEntry?, age: Duration?, isExpired: Bool, ticket: Ticket) {
      self.entry = entry
      self.age = age
      self.isExpired = isExpired
      self.ticket = ticket
    }
  }
}

extension CacheEntry.Key: Hashable {
  /// Whether both have the same bytes.
  public static func == (left: Self, right: Self) -> Bool {
    left.partition == right.partition && left.name.hasSameBytes(right.name)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(partition)
    name.hashBytes(into: &hasher)
  }
}

extension CacheEntry.Selection {
  /// Whether an entry is one of those.
  package func covers(_ entry: CacheEntry) -> Bool {
    switch self {
    case .key(let key): entry.key == key
    case .prefix(let start, let partition):
      entry.key.partition == partition && entry.key.name.utf8.starts(with: start.utf8)
    case .tag(let tag, let partition):
      entry.key.partition == partition && entry.tags.contains { $0.hasSameBytes(tag) }
    case .partition(let partition): entry.key.partition == partition
    }
  }
}
