// SPDX-License-Identifier: Apache-2.0

/// Where a ``ResponseCache`` keeps its answers: bytes in, bytes out.
///
/// Times are the store's own, so ages are right whatever happens to the time of day while the
/// process runs. A store is bounded in bytes and drops what has not been used for longest. It may
/// throw: whoever asks goes on without it. The suite that each store has to pass is
/// `Tests/MainstayOutboxTests/Cache/CacheStoreConformanceTests.swift`.
public protocol CacheStore: Sendable {
  /// What is kept under a key; the ticket names the load that may begin now.
  func read(_ key: CacheEntry.Key) async throws -> CacheEntry.Lookup

  /// Keeps an answer in place of the one before.
  ///
  /// One that is larger than everything that may be kept is not kept, nor is the one before.
  ///
  /// - Parameters:
  ///   - entry: The answer.
  ///   - ticket: That of the load that brought it; its age counts from there.
  /// - Returns: Whether it is kept: not where a later load has brought one already, or where it
  ///   was, or may have been, expired or removed since the load began.
  /// - Throws: What the place fails with.
  func write(_ entry: CacheEntry, under ticket: CacheEntry.Ticket) async throws -> Bool

  /// Marks answers as no longer right; they are kept for when no better one can be had.
  func expire(_ selection: CacheEntry.Selection) async throws

  /// Removes answers; nothing of them can be read any more when it returns.
  func remove(_ selection: CacheEntry.Selection) async throws

  /// Removes an answer, unless a later load has brought it: what the service no longer has, or what
  /// may no longer be kept.
  ///
  /// What loads bring that began before that one is not kept any more; later ones are not held off.
  ///
  /// - Parameters:
  ///   - key: What it is kept under.
  ///   - ticket: That of the load that says so.
  /// - Throws: What the place fails with.
  func remove(_ key: CacheEntry.Key, under ticket: CacheEntry.Ticket) async throws
}

extension CacheStore {
  /// Removes an answer, whichever load has brought it.
  ///
  /// A store of your own does without the ticket so, and loses what was kept meanwhile.
  public func remove(_ key: CacheEntry.Key, under ticket: CacheEntry.Ticket) async throws {
    try await remove(.key(key))
  }
}
