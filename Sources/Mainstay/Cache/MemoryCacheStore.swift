// SPDX-License-Identifier: Apache-2.0

/// Keeps answers in memory, as long as the process lives.
///
/// What has not been used for longest is dropped to make room: an app reads again what it has just
/// read, and a person goes back to what was open before.
public final class MemoryCacheStore: CacheStore {
  private let shelf: Locked<CacheShelfStateMachine>
  private let timeline: Timeline

  /// Makes an empty store.
  ///
  /// - Parameters:
  ///   - maximumBytes: How many bytes are kept at most, with what keeping them costs; 1 or more,
  ///     the default is 16 MiB.
  ///   - clock: What ages are measured with; the default is `ContinuousClock`.
  public init(maximumBytes: Int = 16_777_216, clock: some Clock<Duration> = ContinuousClock()) {
    precondition(
      maximumBytes >= 1,
      "MemoryCacheStore(maximumBytes: \(maximumBytes)) is not legal: it must be 1 or more")
    shelf = Locked(CacheShelfStateMachine(maximumBytes: maximumBytes))
    timeline = Timeline(clock)
  }

  /// How many answers are kept.
  public var count: Int { shelf.withLock { $0.count } }

  /// How many bytes are kept.
  public var bytes: Int { shelf.withLock { $0.bytes } }

  /// What is kept under a key.
  public func read(_ key: CacheEntry.Key) async -> CacheEntry.Lookup {
    let now = timeline.now
    return shelf.withLock { $0.read(key, now: now) }
  }

  /// Keeps an answer in place of the one before.
  public func write(_ entry: CacheEntry, under ticket: CacheEntry.Ticket) async -> Bool {
    shelf.withLock { $0.write(entry, under: ticket) }
  }

  /// Marks answers as no longer right.
  public func expire(_ selection: CacheEntry.Selection) async {
    shelf.withLock { $0.expire(selection) }
  }

  /// Removes answers.
  public func remove(_ selection: CacheEntry.Selection) async {
    shelf.withLock { $0.remove(selection) }
  }

  /// Removes an answer, unless a later load has brought it.
  public func remove(_ key: CacheEntry.Key, under ticket: CacheEntry.Ticket) async {
    shelf.withLock { $0.remove(key, under: ticket) }
  }
}
