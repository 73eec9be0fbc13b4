// SPDX-License-Identifier: Apache-2.0

/// What a cache knows besides what is kept: what is loaded, what failed, who watches; the pure part
/// of ``ResponseCache``.
struct CacheSessionStateMachine<Watcher: Sendable>: Sendable {
  /// One load that callers share.
  struct Flight: Hashable, Sendable {
    let key: CacheEntry.Key
    /// Callers who come after an invalidation, or after a change was kept, do not share the load of
    /// those before it.
    let epoch: UInt64
    /// Whether it asks although something fresh is kept.
    let isForced: Bool
  }

  /// How a load ended.
  enum Ending: Sendable {
    /// With an answer.
    case brought
    /// With an error.
    case failed(AppError)
    /// Nobody waited for it any more; that says nothing.
    case cancelled
  }

  private struct Watched: Sendable {
    var watchers: [UInt64: Watcher] = [:]
    /// Why the last load failed; nil after one that did not.
    var failure: AppError?
  }

  /// Whether nothing is kept any more.
  private(set) var isEnded = false
  private var epoch: UInt64 = 0
  private var lastID: UInt64 = 0
  private var revalidating: Set<Flight> = []
  private var loading: [CacheEntry.Key: Int] = [:]
  private var watched: [CacheEntry.Key: Watched] = [:]

  /// How many keys are being loaded, watched or loaded anew behind an answer.
  var counts: (loading: Int, watched: Int, revalidating: Int) {
    (loading.count, watched.count, revalidating.count)
  }

  /// The load that a question would begin now.
  func flight(_ key: CacheEntry.Key, isForced: Bool) -> Flight {
    Flight(key: key, epoch: epoch, isForced: isForced)
  }

  /// Whether a load behind an answer is to be begun: at most one for each key.
  mutating func beginRevalidating(_ flight: Flight) -> Bool {
    !isEnded && revalidating.insert(flight).inserted
  }

  mutating func endRevalidating(_ flight: Flight) { revalidating.remove(flight) }

  /// A load has begun.
  mutating func beginLoading(_ key: CacheEntry.Key) -> [Watcher] {
    loading[key, default: 0] += 1
    return watchers(of: key)
  }

  /// A load has ended.
  mutating func endLoading(_ key: CacheEntry.Key, _ ending: Ending) -> [Watcher] {
    let left = (loading[key] ?? 1) - 1
    loading[key] = left > 0 ? left : nil
    switch ending {
    case .brought: watched[key]?.failure = nil
    case .failed(let error): watched[key]?.failure = error
    case .cancelled: break
    }
    return watchers(of: key)
  }

  /// Why there is nothing fresh, as far as it is known.
  func reason(_ key: CacheEntry.Key) -> (isLoading: Bool, failure: AppError?) {
    (loading[key] != nil, watched[key]?.failure)
  }

  /// Something of what is kept is no longer right, or gone.
  mutating func invalidate() -> [Watcher] {
    epoch += 1
    return watched.values.flatMap(\.watchers.values)
  }

  /// Something newer is kept under a key.
  mutating func kept(_ key: CacheEntry.Key) -> [Watcher] {
    // Whoever keeps all items of a list, one by one, makes nobody load another key twice.
    if loading[key] != nil { epoch += 1 }
    watched[key]?.failure = nil
    return watchers(of: key)
  }

  /// Nothing is kept from now on; those who watch are told a last time.
  mutating func end() -> [Watcher] {
    let watchers = invalidate()
    isEnded = true
    watched = [:]
    return watchers
  }

  /// Somebody watches a key; nil where there will be nothing to see.
  mutating func watch(_ key: CacheEntry.Key, _ watcher: Watcher) -> UInt64? {
    guard !isEnded else { return nil }
    lastID += 1
    watched[key, default: Watched()].watchers[lastID] = watcher
    return lastID
  }

  mutating func unwatch(_ key: CacheEntry.Key, _ id: UInt64) {
    watched[key]?.watchers[id] = nil
    if watched[key]?.watchers.isEmpty == true { watched[key] = nil }
  }

  private func watchers(of key: CacheEntry.Key) -> [Watcher] {
    watched[key].map { Array($0.watchers.values) } ?? []
  }
}
