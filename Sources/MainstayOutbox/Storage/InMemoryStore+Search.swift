// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

extension InMemoryStore: OperationSearch {
  /// How many there are of each kind, by lane and state.
  package func tally() async throws -> [OperationTally] {
    let counts = state.withLock { state in
      var counts: [OperationTally: Int] = [:]
      for row in state.rows.values {
        counts[row.operation.place(row.operation.state), default: 0] += 1
      }
      for letter in state.dead.values { counts[letter.operation.place(nil), default: 0] += 1 }
      return counts
    }
    return counts.map { place, count in
      OperationTally(kind: place.kind, lane: place.lane, state: place.state, count: count)
    }
  }

  /// The operations that are not finished and match, the oldest first.
  package func operations(
    matching filter: OperationFilter, after id: OperationID?, limit: Int
  ) async throws -> [StoredOperation] {
    state.withLock { state in
      let first = id.flatMap { state.row(of: $0)?.key } ?? 0
      return state.sorted.lazy.filter { $0.key > first }.map(\.value.operation)
        .filter { filter.matches($0) && (filter.state == nil || $0.state == filter.state) }
        .prefix(max(limit, 0)).map(\.self)
    }
  }

  /// The dead letters that match, the oldest operation first.
  package func deadLetters(
    matching filter: OperationFilter, after id: OperationID?, limit: Int
  ) async throws -> [DeadLetter] {
    state.withLock { state in
      let first = id.flatMap { id in state.dead.first { $0.value.id == id }?.key } ?? 0
      return state.dead.sorted { $0.key < $1.key }.lazy.filter { $0.key > first }.map(\.value)
        .filter { filter.matches($0.operation) }.prefix(max(limit, 0)).map(\.self)
    }
  }

  /// The ids of the dead letters that match, the oldest operation first.
  package func deadLetterIDs(
    matching filter: OperationFilter, limit: Int
  ) async throws -> [OperationID] {
    try await deadLetters(matching: filter, after: nil, limit: limit).map(\.id)
  }
}
