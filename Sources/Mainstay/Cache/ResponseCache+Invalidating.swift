// SPDX-License-Identifier: Apache-2.0

extension ResponseCache {
  /// What is told that it is no longer right, or forgotten.
  public enum Scope: Sendable, Hashable {
    /// One key.
    case key(String)
    /// All keys that begin so.
    case prefix(String)
    /// All that was kept with a tag.
    case tag(String)
    /// Everything of the partition.
    case everything
  }

  /// Says that what is kept is no longer right, such as after a change: the next question asks the
  /// service, and what is kept stands in only where that fails.
  ///
  /// What is being loaded already may be older than the change, so it is not kept.
  public func invalidate(_ scope: Scope) async {
    let selection = selection(scope)
    await settle(.expiry(of: selection))
    signal { $0.session.invalidate() }
  }

  /// Forgets what is kept; what is being loaded already is not kept.
  public func remove(_ scope: Scope) async {
    let selection = selection(scope)
    await settle(.removal(of: selection))
    signal { $0.session.invalidate() }
  }

  /// Forgets everything of the partition, and keeps and shows nothing from now on: what an
  /// account's time in the app ends with.
  ///
  /// What is being loaded goes to those who wait for it, and is not kept. Streams tell that there
  /// is nothing, and end. Another cache is made when somebody signs in.
  ///
  /// - Returns: Whether the store has confirmed it; ask again where it has not.
  @discardableResult
  public func wipe() async -> Bool {
    let watchers = guarded.withLock { $0.session.end() }
    for watcher in watchers {
      watcher.yield()
      watcher.finish()
    }
    let partition = partition
    return await storing { try await $0.remove(.partition(partition)) } != nil
  }

  /// Keeps a value that came another way, such as the answer to a change.
  ///
  /// A load that began before is older, and is not kept in its place.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: What it is kept under.
  ///   - tags: What it is about, to be invalidated by.
  public func keep<Value: Codable & Sendable>(
    _ value: Value, for key: String, tags: Set<String> = []
  ) async {
    let key = CacheEntry.Key(key, of: partition)
    guard !isEnded else { return }
    await payDebt()
    let ticket = await storing(.reading) { try await $0.read(key) }?.ticket
    await keep(value, .value(value, tags: tags), key, before: nil, ticket)
    signal { $0.session.kept(key) }
  }

  private func selection(_ scope: Scope) -> CacheEntry.Selection {
    switch scope {
    case .key(let name): .key(CacheEntry.Key(name, of: partition))
    case .prefix(let start): .prefix(start, of: partition)
    case .tag(let tag): .tag(tag, of: partition)
    case .everything: .partition(partition)
    }
  }

  /// Tells those who watch that there is something to look at.
  func signal(_ change: @Sendable (inout Guarded) -> [AsyncStream<Void>.Continuation]) {
    for watcher in guarded.withLock({ change(&$0) }) { watcher.yield() }
  }
}
