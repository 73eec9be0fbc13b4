// SPDX-License-Identifier: Apache-2.0

/// Answers from what was loaded before, where that is fresh enough or where loading fails, and says
/// which of these it is.
///
/// ```swift
/// let cache = ResponseCache("books", of: .account(user), in: MemoryCacheStore())
/// let book = try await cache.value(for: "book/\(isbn)", as: Book.self) {
///   try await catalog.run { try await api.book(isbn) }
/// }
/// show(book.value, isOld: !book.freshness.isFresh)
/// ```
///
/// It stands around a pipeline, so that a kept answer is given after all attempts have failed.
/// Callers that ask for the same thing share one load. A cancellation is never answered from the
/// cache, and nothing that failed is ever kept. A store that fails costs the cache, never the
/// answer. <doc:CachingAnswers> has the states.
///
/// Make one for each account, and ``wipe()`` it when the account leaves.
public final class ResponseCache: Sendable {
  /// The name, for events.
  public let name: String
  /// Whose answers it keeps.
  public let partition: CachePartition
  /// How long answers are given, where a call does not say otherwise.
  public let policy: CachePolicy

  typealias Session = CacheSessionStateMachine<AsyncStream<Void>.Continuation>

  /// What a store can fail at: one that is full is still read.
  enum StoreUse: Sendable {
    case reading
    case writing
  }

  struct Guarded {
    var session = Session()
    var mailbox = EventMailbox()
    /// What the store fails at; it is told of once, until that works again.
    var failures: Set<StoreUse> = []
    var debt = CacheDebtStateMachine()
  }

  let store: any CacheStore
  let timeline: Timeline
  let audience: PolicyAudience
  let guarded = Locked(Guarded())
  let flights: Coalesce<Session.Flight>
  let unclassified = UnclassifiedReports()

  /// Makes a cache.
  ///
  /// - Parameters:
  ///   - name: The name, for events.
  ///   - partition: Whose answers it keeps.
  ///   - store: Where it keeps them; several caches may share one.
  ///   - policy: How long answers are given; by default they are fresh for a minute, and stand in
  ///     for failures for a day after that.
  ///   - clock: The clock of its events; the default is the continuous one. Ages are measured by
  ///     the store.
  ///   - observer: Who is told about its events, besides the observer of the process.
  public init(
    _ name: String, of partition: CachePartition, in store: some CacheStore,
    policy: CachePolicy = CachePolicy(), clock: some Clock<Duration> = ContinuousClock(),
    observer: (any PolicyObserver)? = nil
  ) {
    self.name = name
    self.partition = partition
    self.policy = policy
    self.store = store
    timeline = Timeline(clock)
    audience = PolicyAudience(own: observer)
    flights = Coalesce(name, clock: clock, observer: observer)
  }

  /// A value: what is kept of it where that is fresh, else what is loaded, else what is kept and
  /// may stand in.
  ///
  /// - Parameters:
  ///   - key: What the answer depends on, such as `book/` with a number; any text is legal.
  ///   - type: What is kept; an answer of another type under the same key is not there.
  ///   - policy: How long it is given; nil, the default, for the cache's own.
  ///   - tags: What it is about, to be invalidated by.
  ///   - load: Asks for it, such as through a pipeline; it runs beside its callers, who share it.
  /// - Returns: The value, and what it is worth.
  /// - Throws: What `load` threw, unchanged, where nothing that is kept may stand in for it;
  ///   `CancellationError` for a caller that is cancelled.
  public func value<Value: Codable & Sendable>(
    for key: String, as type: Value.Type = Value.self, policy: CachePolicy? = nil,
    tags: Set<String> = [], load: @escaping @Sendable () async throws -> Value
  ) async throws -> CachedValue<Value> {
    try await answer(key, policy ?? self.policy, isForced: false) { _ in
      .value(try await load(), tags: tags)
    }
  }

  /// A value, from a service that can say that it has not changed.
  ///
  /// - Parameters:
  ///   - key: What the answer depends on; any text is legal.
  ///   - type: What is kept; an answer of another type under the same key is not there.
  ///   - policy: How long it is given; nil, the default, for the cache's own.
  ///   - load: Asks for it; it gets what the service named the kept version by, such as an ETag.
  /// - Returns: The value, and what it is worth.
  /// - Throws: As ``value(for:as:policy:tags:load:)``.
  public func value<Value: Codable & Sendable>(
    for key: String, as type: Value.Type = Value.self, policy: CachePolicy? = nil,
    load: @escaping @Sendable (_ validator: String?) async throws -> Loaded<Value>
  ) async throws -> CachedValue<Value> {
    try await answer(key, policy ?? self.policy, isForced: false, load)
  }

  /// A value that is loaded although a fresh one may be kept: what a person asks for who pulls a
  /// list down.
  ///
  /// - Parameters:
  ///   - key: What the answer depends on; any text is legal.
  ///   - type: What is kept.
  ///   - policy: How long it is given; nil, the default, for the cache's own.
  ///   - tags: What it is about, to be invalidated by.
  ///   - load: Asks for it.
  /// - Returns: The value, and what it is worth; where loading failed, what is kept is `stale` with
  ///   the cause, however fresh it is.
  /// - Throws: As ``value(for:as:policy:tags:load:)``.
  public func refresh<Value: Codable & Sendable>(
    _ key: String, as type: Value.Type = Value.self, policy: CachePolicy? = nil,
    tags: Set<String> = [], load: @escaping @Sendable () async throws -> Value
  ) async throws -> CachedValue<Value> {
    try await answer(key, policy ?? self.policy, isForced: true) { _ in
      .value(try await load(), tags: tags)
    }
  }

  /// What is kept and may be shown; nobody is asked.
  ///
  /// - Parameters:
  ///   - key: What the answer depends on.
  ///   - type: What is kept.
  ///   - policy: How long it is given; nil, the default, for the cache's own.
  /// - Returns: The value, and what it is worth; nil where nothing is kept, or nothing that may be
  ///   shown.
  public func cached<Value: Codable & Sendable>(
    _ key: String, as type: Value.Type = Value.self, policy: CachePolicy? = nil
  ) async -> CachedValue<Value>? {
    let policy = policy ?? self.policy
    let key = CacheEntry.Key(key, of: partition)
    guard let kept = await look(key, as: Value.self).kept, policy.isShown(kept.found) else {
      return nil
    }
    return CachedValue(kept.value, freshness(of: kept.found, key, policy))
  }

  /// What is kept and may stand in for a call that failed, for a `fallback:` of a pipeline; most
  /// are better served by ``value(for:as:policy:tags:load:)``, which keeps what it loads.
  ///
  /// - Parameters:
  ///   - key: What the answer depends on.
  ///   - type: What is kept.
  ///   - error: Why the call failed.
  ///   - policy: How long it is given; nil, the default, for the cache's own.
  /// - Returns: The value, and what it is worth.
  /// - Throws: The error, unchanged, where nothing may stand in for it.
  public func fallback<Value: Codable & Sendable>(
    for key: String, as type: Value.Type = Value.self, after error: any Error,
    policy: CachePolicy? = nil
  ) async throws -> CachedValue<Value> {
    try await standIn(
      CacheEntry.Key(key, of: partition), policy ?? self.policy, isForced: false, after: error)
  }
}

extension ResponseCache: ObservedPolicy {
  func withMailbox<T: Sendable>(_ body: @Sendable (inout EventMailbox) -> T) -> T {
    guarded.withLock { body(&$0.mailbox) }
  }
}
