// SPDX-License-Identifier: Apache-2.0

/// Where the pages ended that were handed out last: the next one begins there, though that
/// operation may have gone meanwhile.
struct PageEnds {
  private static let count = 100
  private var ends: [(id: OperationID, number: Int64)] = []

  /// Where an operation stood that was the last one of a page; nil where nobody knows any more.
  func number(of id: OperationID) -> Int64? { ends.last { $0.id == id }?.number }

  /// Remembers the end of a page.
  mutating func note(_ id: OperationID, _ number: Int64) {
    ends.removeAll { $0.id == id }
    if ends.count == Self.count { ends.removeFirst() }
    ends.append((id, number))
  }
}
