// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport

struct Novel: Codable, Sendable, Equatable {
  var title: String
}

/// A cache in memory whose clock a test moves, and a service that does what the test says.
struct CacheBench: Sendable {
  let clock = ManualClock()
  let recorder = EventRecorder()
  let store: MemoryCacheStore
  let cache: ResponseCache
  let asked = Log()

  init(_ policy: CachePolicy = CachePolicy(), maximumBytes: Int = 1_000_000) {
    store = MemoryCacheStore(maximumBytes: maximumBytes, clock: clock)
    cache = ResponseCache(
      "books", of: .account(1), in: store, policy: policy, clock: clock, observer: recorder)
  }

  /// Asks for a title; what is asked of the service is written down.
  func ask(
    _ answer: @autoclosure @escaping @Sendable () throws -> String, key: String = "a",
    policy: CachePolicy? = nil, tags: Set<String> = []
  ) async throws -> CachedValue<Novel> {
    try await cache.value(for: key, policy: policy, tags: tags) { [asked] in
      asked.add(key)
      return Novel(title: try answer())
    }
  }

  /// Throws, where an answer is wanted.
  static func fail(_ error: any Error) throws -> String { throw error }

  /// The service fails in a way that may pass.
  static func down() throws -> String { throw AppError.http(status: 503, isRepeatable: true) }
}

/// A store that fails whenever a test wants it to.
final class BrokenCacheStore: CacheStore {
  struct Broken: Error {}

  let isBroken: Flag
  private let inner = MemoryCacheStore(clock: ManualClock())

  init(isBroken: Flag = Flag()) { self.isBroken = isBroken }

  private func whole() throws { if isBroken.isRaised { throw Broken() } }

  func read(_ key: CacheEntry.Key) async throws -> CacheEntry.Lookup {
    try whole()
    return await inner.read(key)
  }

  func write(_ entry: CacheEntry, under ticket: CacheEntry.Ticket) async throws -> Bool {
    try whole()
    return await inner.write(entry, under: ticket)
  }

  func expire(_ selection: CacheEntry.Selection) async throws {
    try whole()
    await inner.expire(selection)
  }

  func remove(_ selection: CacheEntry.Selection) async throws {
    try whole()
    await inner.remove(selection)
  }
}

extension EventRecorder {
  /// The names of the events that are about caches.
  var cacheNames: [String] { events.map(\.what.name) }
}

/// A store whose readers wait at a gate, those with these numbers.
final class SlowCacheStore: CacheStore {
  let gate = BreakerBench.Gate()
  private let inner = MemoryCacheStore(clock: ManualClock())
  private let slow: Set<Int>
  private let reads = Log()

  init(slow: Set<Int>) { self.slow = slow }

  func read(_ key: CacheEntry.Key) async -> CacheEntry.Lookup {
    let found = await inner.read(key)
    reads.add(key.name)
    if slow.contains(reads.lines.count) { await gate.pass() }
    return found
  }

  func write(_ entry: CacheEntry, under ticket: CacheEntry.Ticket) async -> Bool {
    await inner.write(entry, under: ticket)
  }

  func expire(_ selection: CacheEntry.Selection) async { await inner.expire(selection) }

  func remove(_ selection: CacheEntry.Selection) async { await inner.remove(selection) }

  func remove(_ key: CacheEntry.Key, under ticket: CacheEntry.Ticket) async {
    await inner.remove(key, under: ticket)
  }
}

/// Writes the names of events down, so that a test can wait for them.
struct EventLines: PolicyObserver {
  let log = Log()

  func observe(_ event: PolicyEvent) { log.add(event.what.name) }
}
