// SPDX-License-Identifier: Apache-2.0

extension ResponseCache {
  /// What is kept under a key, now and after each change by this cache: what a screen shows.
  ///
  /// It begins with what is there, and nil says that nothing is, or nothing that may be shown. The
  /// newest is never missed, older ones may be. Nobody is asked: somebody calls
  /// ``value(for:as:policy:tags:load:)`` for that, once or again and again, and the stream tells
  /// what came of it, also that it failed. That time passes is not told. It ends with the
  /// ``wipe()``.
  ///
  /// - Parameters:
  ///   - key: What the answer depends on.
  ///   - type: What is kept.
  ///   - policy: How long it is given; nil, the default, for the cache's own.
  /// - Returns: The stream; each use of this function makes one of its own.
  public func updates<Value: Codable & Sendable>(
    for key: String, as type: Value.Type = Value.self, policy: CachePolicy? = nil
  ) -> some AsyncSequence<CachedValue<Value>?, Never> & Sendable {
    signals(key).map { [self] in await cached(key, as: Value.self, policy: policy) }
  }

  /// What is kept under a key with local changes laid over it, now and after each change of either.
  ///
  /// - Parameters:
  ///   - key: What the answer depends on.
  ///   - type: What is kept.
  ///   - policy: How long it is given; nil, the default, for the cache's own.
  ///   - changes: The changes that are not delivered yet, the oldest first, each time they have
  ///     changed; nothing is told before the first of them.
  ///   - apply: Makes one change; see ``CachedValue/overlaying(_:on:_:)``.
  /// - Returns: The stream; it ends with the cache's ``wipe()``.
  public func updates<Value: Codable & Sendable, Change: Sendable>(
    for key: String, as type: Value.Type = Value.self, policy: CachePolicy? = nil,
    overlaying changes: some AsyncSequence<[Change], Never> & Sendable,
    _ apply: @escaping @Sendable (inout Value?, Change) -> Void
  ) -> some AsyncSequence<CachedValue<Value>?, Never> & Sendable {
    let overlaid = OverlaidUpdates<Value, Change>(apply)
    // The first changes bring the first look.
    let signals = signals(key, isAtOnce: false)
    let (stream, continuation) = AsyncStream.makeStream(
      of: CachedValue<Value>?.self, bufferingPolicy: .bufferingNewest(1))
    let task = Task {
      await withTaskGroup { group in
        group.addTask { [self] in
          for await _ in signals {
            let look = overlaid.begin()
            let kept = await cached(key, as: Value.self, policy: policy)
            // Nothing of an account that has left is shown, nor what it changed here.
            if isEnded { break }
            overlaid.tell(kept, of: look, to: continuation)
          }
          overlaid.end(continuation)
        }
        group.addTask { [self] in
          for await changes in changes {
            // What was delivered is kept by now. Over what was kept before it would vanish.
            let look = overlaid.begin()
            let kept = await cached(key, as: Value.self, policy: policy)
            if isEnded { break }
            overlaid.tell(kept, of: look, with: changes, to: continuation)
          }
        }
        // What is changed here may end; what is kept ends the stream.
        await group.next()
        if self.isEnded { group.cancelAll() }
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  /// Says that there is something to look at: at once, where that is wanted, and after each change.
  private func signals(_ name: String, isAtOnce: Bool = true) -> AsyncStream<Void> {
    let key = CacheEntry.Key(name, of: partition)
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    if isAtOnce { continuation.yield() }
    guard let id = guarded.withLock({ $0.session.watch(key, continuation) }) else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.guarded.withLock { $0.session.unwatch(key, id) }
    }
    return stream
  }

  /// What is known of an answer that nobody asked for just now.
  func freshness(
    of found: CacheEntry.Lookup, _ key: CacheEntry.Key, _ policy: CachePolicy
  ) -> CacheFreshness {
    guard policy.use(of: found) != .fresh else { return .fresh }
    let (isLoading, failure) = guarded.withLock { $0.session.reason(key) }
    return isLoading ? .revalidating(age: found.age) : .stale(age: found.age, cause: failure)
  }
}

/// Puts what is kept and what was changed here together, whichever of them moves.
private final class OverlaidUpdates<Value: Sendable, Change: Sendable>: Sendable {
  private enum News {
    case value(CachedValue<Value>?)
    case end
  }

  private struct State {
    var kept: CachedValue<Value>?
    /// The look that it is from, and how many have begun: one that began before is older.
    var look: UInt64 = 0
    var looks: UInt64 = 0
    var changes: [Change]?
    var number: UInt64 = 0
    var told: UInt64 = 0
    var isOver = false
    var news = Mailbox<News>()
  }

  private let state = Locked(State())
  private let apply: @Sendable (inout Value?, Change) -> Void

  init(_ apply: @escaping @Sendable (inout Value?, Change) -> Void) { self.apply = apply }

  /// A look at what is kept begins.
  func begin() -> UInt64 {
    state.withLock { state in
      state.looks += 1
      return state.looks
    }
  }

  /// Takes what a look has found, and the changes that were known before it began.
  ///
  /// The user's function runs outside of the lock; what was overtaken meanwhile is not told.
  func tell(
    _ kept: CachedValue<Value>?, of look: UInt64, with changes: [Change]? = nil,
    to stream: AsyncStream<CachedValue<Value>?>.Continuation
  ) {
    let (kept, changes, number) = state.withLock { state in
      let isNewer = look > state.look
      if isNewer { (state.kept, state.look) = (kept, look) }
      if let changes { state.changes = changes }
      state.number += 1
      let isNews = isNewer || changes != nil
      return (state.kept, isNews ? state.changes : nil, state.number)
    }
    guard let changes else { return }
    let value = CachedValue.overlaying(changes, on: kept) { apply(&$0, $1) }
    handOn(stream) { state in
      guard number > state.told, !state.isOver else { return }
      state.told = number
      state.news.post(.value(value))
    }
  }

  /// Tells that there is nothing to be seen any more.
  func end(_ stream: AsyncStream<CachedValue<Value>?>.Continuation) {
    handOn(stream) { state in
      state.isOver = true
      state.news.post(.value(nil))
      state.news.post(.end)
    }
  }

  /// Changes the state, and tells what is new.
  private func handOn(
    _ stream: AsyncStream<CachedValue<Value>?>.Continuation, _ change: (inout State) -> Void
  ) {
    state.deliver(\.news, after: change) { news in
      switch news {
      case .value(let value): stream.yield(value)
      case .end: stream.finish()
      }
    }
  }
}
