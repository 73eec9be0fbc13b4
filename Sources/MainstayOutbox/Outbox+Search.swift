// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// What operators look at and decide, whatever the store.
extension Outbox {
  private static func search(of store: any OutboxStore) -> any OperationSearch {
    (store as? any OperationSearch) ?? PagedSearch(store: store)
  }

  /// How many operations of each kind stand where, by lane and state.
  ///
  /// - Throws: ``OutboxError``.
  package func tally() async throws(OutboxError) -> [OperationTally] {
    try await calling { try await Self.search(of: $0).tally() }
  }

  /// A page of the operations that are not finished and match, the oldest first.
  ///
  /// - Throws: ``OutboxError``.
  package func operations(
    matching filter: OperationFilter, after place: SearchPlace?, limit: Int
  ) async throws(OutboxError) -> SearchPage<StoredOperation> {
    try await calling {
      try await Self.search(of: $0).operations(matching: filter, after: place, limit: limit)
    }.map(vault.opened)
  }

  /// A page of the dead letters that match, the oldest operation first.
  ///
  /// - Throws: ``OutboxError``.
  package func deadLetters(
    matching filter: OperationFilter, after place: SearchPlace?, limit: Int
  ) async throws(OutboxError) -> SearchPage<DeadLetter> {
    try await calling {
      try await Self.search(of: $0).deadLetters(matching: filter, after: place, limit: limit)
    }.map(vault.opened)
  }

  /// The ids of the dead letters that match, the oldest operation first; no payload is read.
  ///
  /// - Throws: ``OutboxError``.
  package func deadLetterIDs(
    matching filter: OperationFilter, limit: Int
  ) async throws(OutboxError) -> [OperationID] {
    try await calling {
      try await Self.search(of: $0).deadLetterIDs(matching: filter, limit: limit)
    }
  }

  /// How many are decided on by one transaction, so that nobody else waits for long.
  private static let part = 200

  /// Puts dead letters back, some hundred at a time.
  ///
  /// - Parameters:
  ///   - ids: The dead letters.
  ///   - progress: Told after each part how many of it were still there.
  /// - Throws: ``OutboxError``; what `progress` was told of stays done.
  package func redrive(
    contentsOf ids: [OperationID], progress: (Int) -> Void
  ) async throws(OutboxError) {
    for start in stride(from: 0, to: ids.count, by: Self.part) {
      let part = Array(ids[start..<min(start + Self.part, ids.count)])
      let done = try await changing { try await Self.search(of: $0).redrive(contentsOf: part) }
      progress(done.count)
    }
  }

  /// Throws dead letters away, some hundred at a time; receipts count them.
  ///
  /// - Parameters:
  ///   - ids: The dead letters.
  ///   - progress: Told after each part how many of it were still there.
  /// - Throws: ``OutboxError``; what `progress` was told of stays done.
  package func discard(
    contentsOf ids: [OperationID], progress: (Int) -> Void
  ) async throws(OutboxError) {
    for start in stride(from: 0, to: ids.count, by: Self.part) {
      let part = Array(ids[start..<min(start + Self.part, ids.count)])
      let done = try await changing { try await Self.search(of: $0).discard(contentsOf: part) }
      progress(done.count)
    }
  }
}
