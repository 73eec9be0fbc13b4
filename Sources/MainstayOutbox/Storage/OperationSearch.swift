// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// What an operator looks for; what is left open is not asked for.
package struct OperationFilter: Sendable, Hashable {
  /// Stands in the id, the kind, the lane, the ordering key, or the code or message of the last
  /// failure, in capitals or not.
  ///
  /// On PostgreSQL, capitals beyond ASCII are found as they stand where the database has no others
  /// (`LC_CTYPE` is `C`), and so they are in ordering keys.
  package var text: String
  package var kind: OperationKind?
  package var lane: Lane?
  /// Dead letters have none, and are found whatever it is.
  package var state: OperationState?

  package init(
    text: String = "", kind: OperationKind? = nil, lane: Lane? = nil,
    state: OperationState? = nil
  ) {
    self.text = text
    self.kind = kind
    self.lane = lane
    self.state = state
  }

  /// The text with the capitals of ASCII made small.
  package var plain: String {
    let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    return String(decoding: text.utf8.map { capitals.contains($0) ? $0 | 32 : $0 }, as: UTF8.self)
  }

  /// The text with all capitals made small; nil where it is of ASCII, and ``plain`` says the same.
  package var folded: String? { text.utf8.allSatisfy { $0 < 128 } ? nil : text.lowercased() }

  /// The text without the hyphens of an id, where it may be a part of one.
  package var idPart: String? {
    let digits = text.lowercased().filter { $0 != "-" }
    return !digits.isEmpty && digits.allSatisfy(\.isHexDigit) ? digits : nil
  }

  func matches(_ operation: StoredOperation) -> Bool {
    guard kind == nil || operation.type.kind == kind, lane == nil || operation.lane == lane else {
      return false
    }
    guard !text.isEmpty else { return true }
    let id = operation.id.description.filter { $0 != "-" }
    if let idPart, id.contains(idPart) { return true }
    let places = [
      operation.type.kind.rawValue, operation.lane.rawValue, operation.orderingKey,
      operation.failure?.code.rawValue, operation.failure?.message,
    ]
    return places.contains { $0?.lowercased().contains(text.lowercased()) == true }
  }
}

/// How many operations of a kind stand somewhere.
package struct OperationTally: Sendable, Hashable {
  package let kind: OperationKind
  package let lane: Lane
  /// Nil for dead letters.
  package let state: OperationState?
  package let count: Int

  package init(kind: OperationKind, lane: Lane, state: OperationState?, count: Int) {
    self.kind = kind
    self.lane = lane
    self.state = state
    self.count = count
  }
}

/// Where a page of a search ends, and the next one begins.
package struct SearchPlace: Sendable, Hashable {
  /// The last operation of the page.
  package let id: OperationID
  /// Where it stood in its store, which counts though it may have gone; nil where nobody knows.
  package let number: Int64?

  package init(id: OperationID, number: Int64? = nil) {
    self.id = id
    self.number = number
  }
}

/// A page of what was found.
package struct SearchPage<Element: Sendable>: Sendable {
  package let found: [Element]
  /// Where the next page begins; nil where there is none.
  package let next: SearchPlace?

  package init(found: [Element], next: SearchPlace?) {
    self.found = found
    self.next = next
  }

  /// Makes a page of rows, of which one more was read than stand on it.
  ///
  /// - Parameters:
  ///   - rows: The rows; what cannot be read is left out.
  ///   - limit: How many stand on the page.
  ///   - place: Where a row stands.
  ///   - element: What a row says.
  package init<Row>(
    _ rows: [Row], limit: Int, place: (Row) -> SearchPlace?, _ element: (Row) -> Element?
  ) {
    let shown = rows.prefix(max(limit, 0))
    found = shown.compactMap(element)
    next = rows.count > shown.count ? shown.last.flatMap(place) : nil
  }

  package func map<Other>(_ change: (Element) -> Other) -> SearchPage<Other> {
    SearchPage<Other>(found: found.map(change), next: next)
  }
}

/// What operators ask of a store; one that does not answer it by itself is read page by page.
package protocol OperationSearch: Sendable {
  /// How many there are of each kind, by lane and state.
  func tally() async throws -> [OperationTally]

  /// The operations that are not finished and match, the oldest first.
  func operations(
    matching filter: OperationFilter, after place: SearchPlace?, limit: Int
  ) async throws -> SearchPage<StoredOperation>

  /// The dead letters that match, the oldest operation first.
  func deadLetters(
    matching filter: OperationFilter, after place: SearchPlace?, limit: Int
  ) async throws -> SearchPage<DeadLetter>

  /// The ids of the dead letters that match, the oldest operation first.
  func deadLetterIDs(matching filter: OperationFilter, limit: Int) async throws -> [OperationID]

  /// Puts dead letters back, as ``OutboxStore/redrive(_:)`` does with one.
  ///
  /// - Returns: Those that were still there.
  func redrive(contentsOf ids: [OperationID]) async throws -> [OperationID]

  /// Throws dead letters away, as ``OutboxStore/discard(_:)`` does with one.
  ///
  /// - Returns: Those that were still there.
  func discard(contentsOf ids: [OperationID]) async throws -> [OperationID]
}

extension OperationSearch {
  /// Goes through the operations that are not finished, the oldest first.
  ///
  /// - Parameters:
  ///   - page: How many are read at once; the default is 500.
  ///   - body: Called with each, which may have gone meanwhile; false ends it.
  /// - Throws: What reading and the body throw.
  package func eachOperation(
    pages page: Int = 500, _ body: (StoredOperation) async throws -> Bool
  ) async throws {
    try await each(body) {
      try await operations(matching: OperationFilter(), after: $0, limit: page)
    }
  }

  /// Goes through the dead letters, the oldest operation first.
  ///
  /// - Parameters:
  ///   - page: How many are read at once; the default is 500.
  ///   - body: Called with each, which may have gone meanwhile; false ends it.
  /// - Throws: What reading and the body throw.
  package func eachLetter(
    pages page: Int = 500, _ body: (DeadLetter) async throws -> Bool
  ) async throws {
    try await each(body) {
      try await deadLetters(matching: OperationFilter(), after: $0, limit: page)
    }
  }

  private func each<Element>(
    _ body: (Element) async throws -> Bool,
    _ next: (SearchPlace?) async throws -> SearchPage<Element>
  ) async throws {
    var place: SearchPlace?
    repeat {
      let page = try await next(place)
      for item in page.found { guard try await body(item) else { return } }
      place = page.next
    } while place != nil
  }
}

extension OperationSearch where Self: OutboxStore {
  package func redrive(contentsOf ids: [OperationID]) async throws -> [OperationID] {
    try await ids.those { try await redrive($0) }
  }

  package func discard(contentsOf ids: [OperationID]) async throws -> [OperationID] {
    try await ids.those { try await discard($0) }
  }
}

/// Searches a store that cannot search: it reads everything, a page at a time.
///
/// Where the operation that a page ended with has gone, the store says where the next one begins.
struct PagedSearch: OperationSearch {
  private static let page = 500

  let store: any OutboxStore

  func tally() async throws -> [OperationTally] {
    var counts: [OperationTally: Int] = [:]
    try await pages(store.operations, id: \.id) { operations in
      for operation in operations { counts[operation.place(operation.state), default: 0] += 1 }
      return true
    }
    try await pages(store.deadLetters, id: \.id) { letters in
      for letter in letters { counts[letter.operation.place(nil), default: 0] += 1 }
      return true
    }
    return counts.map { place, count in
      OperationTally(kind: place.kind, lane: place.lane, state: place.state, count: count)
    }
  }

  func operations(
    matching filter: OperationFilter, after place: SearchPlace?, limit: Int
  ) async throws -> SearchPage<StoredOperation> {
    var found: [StoredOperation] = []
    try await pages(store.operations, id: \.id, after: place?.id) { operations in
      found += operations.filter {
        filter.matches($0) && (filter.state == nil || $0.state == filter.state)
      }
      return found.count <= limit
    }
    return SearchPage(found, limit: limit, place: { SearchPlace(id: $0.id) }, \.self)
  }

  func deadLetters(
    matching filter: OperationFilter, after place: SearchPlace?, limit: Int
  ) async throws -> SearchPage<DeadLetter> {
    var found: [DeadLetter] = []
    try await pages(store.deadLetters, id: \.id, after: place?.id) { letters in
      found += letters.filter { filter.matches($0.operation) }
      return found.count <= limit
    }
    return SearchPage(found, limit: limit, place: { SearchPlace(id: $0.id) }, \.self)
  }

  func deadLetterIDs(matching filter: OperationFilter, limit: Int) async throws -> [OperationID] {
    try await deadLetters(matching: filter, after: nil, limit: limit).found.map(\.id)
  }

  func redrive(contentsOf ids: [OperationID]) async throws -> [OperationID] {
    try await ids.those { try await store.redrive($0) }
  }

  func discard(contentsOf ids: [OperationID]) async throws -> [OperationID] {
    try await ids.those { try await store.discard($0) }
  }

  private func pages<Element>(
    _ read: (OperationID?, Int) async throws -> [Element], id: (Element) -> OperationID,
    after start: OperationID? = nil, _ goesOn: ([Element]) -> Bool
  ) async throws {
    var last = start
    while true {
      let page = try await read(last, Self.page)
      guard goesOn(page), page.count == Self.page, let next = page.last else { return }
      last = id(next)
    }
  }
}

extension StoredOperation {
  /// Where it is counted.
  func place(_ state: OperationState?) -> OperationTally {
    OperationTally(kind: type.kind, lane: lane, state: state, count: 1)
  }
}

extension [OperationID] {
  /// Those about which a body says yes, one after the other.
  package func those(_ body: (OperationID) async throws -> Bool) async rethrows -> [OperationID] {
    var found: [OperationID] = []
    for id in self where try await body(id) { found.append(id) }
    return found
  }
}
