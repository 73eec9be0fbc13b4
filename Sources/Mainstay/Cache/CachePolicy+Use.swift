// SPDX-License-Identifier: Apache-2.0

// What may be done with what is kept: the pure part of a cache's answers.
extension CachePolicy {
  /// What becomes of a question when something is kept.
  enum Use: Sendable, Hashable {
    /// It is answered, and nobody asks.
    case fresh
    /// It is answered, and somebody asks behind it.
    case revalidate
    /// Somebody asks first.
    case load
  }

  /// What becomes of a question for which this was found.
  func use(of found: CacheEntry.Lookup) -> Use {
    guard let entry = found.entry, !found.isExpired else { return .load }
    if let age = found.age, age < lifetime(of: entry) { return .fresh }
    guard !entry.mustRevalidate else { return .load }
    let allowance = configuration.staleWhileRevalidate.bounded(by: entry.staleWhileRevalidate)
    return allowance.covers(excess(of: found)) ? .revalidate : .load
  }

  /// Whether what was found may be given after a load has failed.
  func standsIn(_ found: CacheEntry.Lookup) -> Bool {
    guard let entry = found.entry else { return false }
    if use(of: found) == .fresh { return true }
    guard !entry.mustRevalidate else { return false }
    let allowance = configuration.staleIfError.bounded(by: entry.staleIfError)
    return allowance.covers(excess(of: found))
  }

  /// Whether what was found may be shown by whoever asks nobody.
  func isShown(_ found: CacheEntry.Lookup) -> Bool { use(of: found) != .load || standsIn(found) }

  /// The service's word on its own answer goes before that of the app.
  private func lifetime(of entry: CacheEntry) -> Duration {
    entry.freshFor ?? configuration.freshFor
  }

  /// How long ago it ceased to be fresh; nil where nobody knows.
  private func excess(of found: CacheEntry.Lookup) -> Duration? {
    guard let entry = found.entry, let age = found.age else { return nil }
    return max(.zero, age - lifetime(of: entry))
  }
}
