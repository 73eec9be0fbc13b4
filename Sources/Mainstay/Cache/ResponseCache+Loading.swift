// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Something that is kept, in the form that callers want.
struct KeptValue<Value: Sendable>: Sendable {
  let value: Value
  let entry: CacheEntry
  let found: CacheEntry.Lookup
}

// Encoding, decoding and the store stand on no caller's actor: a list may be long.
extension ResponseCache {
  typealias Loader<Value: Sendable> = @Sendable (String?) async throws -> Loaded<Value>

  /// Answers a question.
  func answer<Value: Codable & Sendable>(
    _ name: String, _ policy: CachePolicy, isForced: Bool, _ load: @escaping Loader<Value>
  ) async throws -> CachedValue<Value> {
    try Task.checkCancellation()
    let key = CacheEntry.Key(name, of: partition)
    if !isForced, let kept = await look(key, as: Value.self).kept {
      switch policy.use(of: kept.found) {
      case .fresh:
        tell { _ in .cacheHit(isRevalidating: false) }
        return CachedValue(kept.value, .fresh)
      case .revalidate:
        revalidate(key, policy, load)
        tell { _ in .cacheHit(isRevalidating: true) }
        return CachedValue(kept.value, .revalidating(age: kept.found.age))
      case .load: break
      }
    }
    let flight = guarded.withLock { $0.session.flight(key, isForced: isForced) }
    do {
      return try await flights.run(flight) { [self] in
        try await fly(flight, policy, load)
      }
    } catch {
      return try await standIn(key, policy, isForced: isForced, after: error)
    }
  }

  /// The load that callers share.
  private func fly<Value: Codable & Sendable>(
    _ flight: Session.Flight, _ policy: CachePolicy, _ load: Loader<Value>
  ) async throws -> CachedValue<Value> {
    let key = flight.key
    // Whoever came too late for the last load finds what it brought.
    let (kept, ticket) = await look(key, as: Value.self)
    if !flight.isForced, let kept, policy.use(of: kept.found) == .fresh {
      tell { _ in .cacheHit(isRevalidating: false) }
      return CachedValue(kept.value, .fresh)
    }
    signal { $0.session.beginLoading(key) }
    do {
      let loaded = try await load(kept?.entry.validator)
      guard let value = loaded.value ?? kept?.value else {
        throw AppError.Service.invalidResponse.appError
      }
      await keep(value, loaded, key, before: kept, ticket)
      signal { $0.session.endLoading(key, .brought) }
      tell { _ in .cacheMissed }
      return CachedValue(value, .fresh)
    } catch {
      let failure = error.isCancellation ? nil : ErrorMapping.current.map(error)
      if failure?.kind == .notFound { await drop(key, ticket, unless: policy, allows: error) }
      signal { $0.session.endLoading(key, failure.map { .failed($0) } ?? .cancelled) }
      throw error
    }
  }

  /// What a service says it does not have is not given later as if it had.
  private func drop(
    _ key: CacheEntry.Key, _ ticket: CacheEntry.Ticket?, unless policy: CachePolicy,
    allows error: any Error
  ) async {
    guard !policy.condition.allows(error, Classification.disposition(of: error)) else { return }
    await remove(key, under: ticket)
  }

  /// Loads behind an answer; what fails there reaches nobody but observers.
  private func revalidate<Value: Codable & Sendable>(
    _ key: CacheEntry.Key, _ policy: CachePolicy, _ load: @escaping Loader<Value>
  ) {
    let (flight, begins) = guarded.withLock { guarded in
      let flight = guarded.session.flight(key, isForced: false)
      return (flight, guarded.session.beginRevalidating(flight))
    }
    guard begins else { return }
    // It belongs to nobody: the caller may be gone, and its deadline over.
    _ = RetryScope.outlivingCaller {
      Task {
        do {
          _ = try await flights.run(flight) { [self] in try await fly(flight, policy, load) }
          guarded.withLock { $0.session.endRevalidating(flight) }
        } catch {
          guarded.withLock { $0.session.endRevalidating(flight) }
          guard !error.isCancellation else { return }
          tell { _ in .revalidationFailed(key: key.name, error: error) }
        }
      }
    }
  }

  /// What is kept and may stand in for a failure.
  ///
  /// Who asked although something fresh is kept is told that there is nothing newer, and why.
  func standIn<Value: Codable & Sendable>(
    _ key: CacheEntry.Key, _ policy: CachePolicy, isForced: Bool, after error: any Error
  ) async throws -> CachedValue<Value> {
    var cause = error
    if error.isCancellation {
      // One of our own time limits ended the wait: nobody has lost interest.
      guard let limit = ActiveLimit.current, limit.hasExpired else { throw error }
      cause = limit.error
    }
    let disposition = Classification.disposition(of: cause)
    guard policy.condition.allows(cause, disposition) else {
      if disposition == .unclassified,
        let what = unclassified.report(
          cause, of: name, to: audience, until: "what is kept does not stand in for it")
      {
        tell { _ in what }
      }
      throw error
    }
    guard let kept = await look(key, as: Value.self).kept, policy.standsIn(kept.found) else {
      throw error
    }
    // Somebody else may have brought a newer one meanwhile.
    guard isForced || policy.use(of: kept.found) != .fresh else {
      tell { _ in .cacheHit(isRevalidating: false) }
      return CachedValue(kept.value, .fresh)
    }
    tell { [cause] _ in .staleServed(key: key.name, age: kept.found.age, error: cause) }
    return CachedValue(
      kept.value, .stale(age: kept.found.age, cause: ErrorMapping.current.map(cause)))
  }
}

// The store: whatever it fails with is told, and never thrown.
extension ResponseCache {
  /// What is kept under a key, and the ticket of a load that begins now; nothing where the store
  /// fails.
  @concurrent func look<Value: Codable & Sendable>(
    _ key: CacheEntry.Key, as type: Value.Type
  ) async -> (kept: KeptValue<Value>?, ticket: CacheEntry.Ticket?) {
    guard !isEnded else { return (nil, nil) }
    await payDebt()
    let debt = guarded.withLock(\.debt)
    let read = await storing(.reading) { try await $0.read(key) }
    // What was read while the account left is not given either.
    guard let found = read.map(debt.applied), !isEnded else { return (nil, nil) }
    guard let entry = found.entry, entry.form == QualifiedTypeName.of(Value.self) else {
      return (nil, found.ticket)
    }
    do {
      let value = try JSONDecoder().decode(Value.self, from: entry.bytes)
      return (KeptValue(value: value, entry: entry, found: found), found.ticket)
    } catch {
      // Such as one that an older version of the app has kept.
      let error = AppError.decoding(error)
      tell { _ in .cacheStorageFailed(error) }
      return (nil, found.ticket)
    }
  }

  /// Keeps what was loaded, unless it may not be kept or has been overtaken.
  @concurrent func keep<Value: Codable & Sendable>(
    _ value: Value, _ loaded: Loaded<Value>, _ key: CacheEntry.Key, before: KeptValue<Value>?,
    _ ticket: CacheEntry.Ticket?
  ) async {
    guard !isEnded else { return }
    // What was kept before must not come back as if it were the newest.
    guard loaded.isKept, !loaded.isPersonal || partition != .everybody else {
      return await remove(key, under: ticket)
    }
    // The store could not be read, and it may have something older.
    guard let ticket else { return owe(.expiry(of: .key(key))) }
    let bytes: Data
    if loaded.value == nil, let before {
      bytes = before.entry.bytes
    } else {
      do { bytes = try JSONEncoder().encode(value) } catch {
        let error = ErrorMapping.current.map(error)
        tell { _ in .cacheStorageFailed(error) }
        return await remove(key, under: ticket)
      }
    }
    let old = loaded.value == nil ? before?.entry : nil
    let entry = CacheEntry(
      key: key, bytes: bytes, form: QualifiedTypeName.of(Value.self),
      validator: loaded.validator ?? old?.validator,
      tags: loaded.tags.isEmpty ? old?.tags ?? [] : loaded.tags, initialAge: loaded.age.clamped,
      freshFor: loaded.freshFor?.clamped ?? old?.freshFor,
      mustRevalidate: loaded.mustRevalidate || old?.mustRevalidate ?? false,
      staleWhileRevalidate: loaded.staleWhileRevalidate ?? old?.staleWhileRevalidate,
      staleIfError: loaded.staleIfError ?? old?.staleIfError)
    guard let isKept = await storing(.writing, { try await $0.write(entry, under: ticket) }) else {
      // Not told: that the store can remove does not mean that it works again.
      if (try? await store.remove(key, under: ticket)) == nil { owe(.removal(of: .key(key))) }
      return
    }
    if !isKept { tell { _ in .lateAnswerDropped(key: key.name) } }
  }

  /// Uses the store.
  ///
  /// - Returns: What it answered; nil where it failed.
  @discardableResult
  func storing<T: Sendable>(
    _ use: StoreUse = .writing, _ body: @Sendable (any CacheStore) async throws -> T
  ) async -> T? {
    do {
      let result = try await body(store)
      guarded.withLock { _ = $0.failures.remove(use) }
      return result
    } catch {
      let isNews = guarded.withLock { $0.failures.insert(use).inserted }
      if isNews { tell { _ in .cacheStorageFailed(error) } }
      return nil
    }
  }

  /// Removes what is kept, unless a later load has brought it; without a ticket nobody knows that.
  private func remove(_ key: CacheEntry.Key, under ticket: CacheEntry.Ticket?) async {
    guard !isEnded else { return }
    let isRemoved: Void? = await storing { store in
      guard let ticket else { return try await store.remove(.key(key)) }
      try await store.remove(key, under: ticket)
    }
    if isRemoved == nil { owe(.removal(of: .key(key))) }
    await leaveNothing()
  }

  /// Tells the store what is no longer right, and remembers it where the store fails.
  ///
  /// Nothing is kept of a partition that was wiped, and it is not named any more.
  func settle(_ item: CacheDebtStateMachine.Item) async {
    guard !isEnded else { return }
    if await !tellStore(item) { owe(item) }
  }

  /// Tells the store what it could not do before, if it can by now.
  func payDebt() async {
    while let item = guarded.withLock({ $0.debt.next(at: timeline.now) }) {
      // Whatever is owed was told as the failure by which it came to be owed.
      let isPaid: Void? = try? await Self.tell(store, item)
      await leaveNothing()
      guard isPaid != nil else { return }
      guarded.withLock { $0.debt.paid(item) }
    }
  }

  func owe(_ item: CacheDebtStateMachine.Item) {
    guarded.withLock { $0.debt.owe(item, of: partition) }
  }

  private func tellStore(_ item: CacheDebtStateMachine.Item) async -> Bool {
    let isTold: Void? = await storing { try await Self.tell($0, item) }
    await leaveNothing()
    return isTold != nil
  }

  private static func tell(
    _ store: any CacheStore, _ item: CacheDebtStateMachine.Item
  ) async throws {
    if item.isRemoval {
      try await store.remove(item.selection)
    } else {
      try await store.expire(item.selection)
    }
  }

  /// What was told to the store while the account left names it, so that is wiped once more.
  private func leaveNothing() async {
    guard isEnded else { return }
    await storing { [partition] in try await $0.remove(.partition(partition)) }
  }

  var isEnded: Bool { guarded.withLock { $0.session.isEnded } }
}
