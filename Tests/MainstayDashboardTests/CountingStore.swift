// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting

/// A store in memory that knows what it was asked, and for how much.
///
/// Beside what it keeps it may say that it has many dead letters, which it makes up as they are
/// asked for.
final class CountingStore: ForwardingStore, OperationSearch {
  let inner: InMemoryStore
  private let letters: Int
  /// What it says that it has beside.
  private let others = Locked<[OperationTally]>([])
  private let calls = Locked<[(name: String, limit: Int)]>([])

  init(_ inner: InMemoryStore, letters: Int = 0) { (self.inner, self.letters) = (inner, letters) }

  var store: any OutboxStore { inner }

  func count(_ name: String) -> Int { calls.withLock { $0.filter { $0.name == name }.count } }

  /// The most that was ever asked for at once.
  func largest(_ name: String) -> Int? {
    calls.withLock { $0.filter { $0.name == name }.map(\.limit).max() }
  }

  func pretend(_ tallies: [OperationTally]) { others.withLock { $0 = tallies } }

  func forget() { calls.withLock { $0 = [] } }

  private func note(_ name: String, _ limit: Int) { calls.withLock { $0.append((name, limit)) } }

  func tally() async throws -> [OperationTally] {
    note("tally", 0)
    let crowd = OperationTally(kind: Order.kind, lane: .main, state: nil, count: letters)
    return try await inner.tally() + (letters > 0 ? [crowd] : []) + others.withLock { $0 }
  }

  func operations(
    matching filter: OperationFilter, after place: SearchPlace?, limit: Int
  ) async throws -> SearchPage<StoredOperation> {
    note("operations", limit)
    return try await inner.operations(matching: filter, after: place, limit: limit)
  }

  func deadLetters(
    matching filter: OperationFilter, after place: SearchPlace?, limit: Int
  ) async throws -> SearchPage<DeadLetter> {
    note("deadLetters", limit)
    let found = (0..<min(limit, letters)).map { number in
      let id = OperationID(UUID())
      let operation = StoredOperation(
        id: id, type: PayloadType(kind: Order.kind, version: 1), lane: .main, orderingKey: nil,
        idempotencyKey: IdempotencyKey(), payload: Data("\(number)".utf8), state: .dead,
        enqueued: Date(timeIntervalSince1970: 0))
      return DeadLetter(
        operation: operation, reason: .refused, since: Date(timeIntervalSince1970: 0),
        holdsKey: false)
    }
    let last = letters > limit ? found.last?.id : nil
    return SearchPage(found: found, next: last.map { SearchPlace(id: $0) })
  }

  func deadLetterIDs(matching filter: OperationFilter, limit: Int) async throws -> [OperationID] {
    note("deadLetterIDs", limit)
    return (0..<min(limit, letters)).map { _ in OperationID(UUID()) }
  }
}
