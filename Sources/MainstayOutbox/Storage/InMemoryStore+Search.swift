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
    matching filter: OperationFilter, after place: SearchPlace?, limit: Int
  ) async throws -> SearchPage<StoredOperation> {
    state.withLock { state in
      let first = place.flatMap { $0.number ?? state.row(of: $0.id)?.key } ?? 0
      let rows = state.rows.rows(after: first).lazy
        .map { (number: $0.key, operation: $0.value.operation) }
        .filter { row in
          filter.matches(row.operation)
            && (filter.state == nil || row.operation.state == filter.state)
        }.prefix(max(limit, 0) + 1)
      return SearchPage(
        Array(rows), limit: limit,
        place: { SearchPlace(id: $0.operation.id, number: $0.number) }, \.operation)
    }
  }

  /// The dead letters that match, the oldest operation first.
  package func deadLetters(
    matching filter: OperationFilter, after place: SearchPlace?, limit: Int
  ) async throws -> SearchPage<DeadLetter> {
    state.withLock { state in
      let first = place.flatMap { $0.number ?? state.dead.ids[$0.id] } ?? 0
      let rows = state.dead.letters(after: first).lazy
        .filter { filter.matches($0.value.operation) }
        .prefix(max(limit, 0) + 1)
      return SearchPage(
        Array(rows), limit: limit, place: { SearchPlace(id: $0.value.id, number: $0.key) },
        \.value)
    }
  }

  /// The ids of the dead letters that match, the oldest operation first.
  package func deadLetterIDs(
    matching filter: OperationFilter, limit: Int
  ) async throws -> [OperationID] {
    try await deadLetters(matching: filter, after: nil, limit: limit).found.map(\.id)
  }
}
