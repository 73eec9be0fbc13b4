// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

/// Where a rule tries a store: it dies, is opened again, and time passes as the rule says.
final class StoreDesk {
  final class TimeOfDay: Sendable {
    private let date = Locked(Date(timeIntervalSince1970: 1_800_000_000))

    var now: Date { date.withLock { $0 } }

    func advance(by duration: Duration) {
      date.withLock { $0 = $0.addingTimeInterval(duration.inSeconds) }
    }
  }

  let time: TimeOfDay
  var complaints: [String] = []
  private let place: StoreConformance.Place
  private var current: (any OutboxStore)?

  init(_ place: StoreConformance.Place, _ time: TimeOfDay) {
    self.place = place
    self.time = time
  }

  /// The store that is open.
  var store: any OutboxStore { current ?? InMemoryStore(now: { [time] in time.now }) }

  @discardableResult
  func open() async throws -> OpeningReport {
    let store = try await place.open()
    current = store
    return try await store.open()
  }

  /// The process dies, and another one opens what it has left.
  @discardableResult
  func crash() async throws -> OpeningReport {
    try await place.kill(store)
    return try await open()
  }

  func close() async { await current?.close() }

  func hold(_ isTrue: Bool, _ what: String = "it does not hold", line: Int = #line) {
    if !isTrue { complaints.append("\(what) (line \(line))") }
  }

  func same<T: Equatable>(_ found: T, _ expected: T, _ what: String = "", line: Int = #line) {
    guard found != expected else { return }
    let why = what.isEmpty ? "" : ": \(what)"
    complaints.append("\(found) instead of \(expected)\(why) (line \(line))")
  }

  /// - Throws: Where there is nothing: the rule cannot go on.
  func some<T>(_ value: T?, line: Int = #line) throws -> T {
    guard let value else {
      throw OutboxError(.failed, details: "there is nothing, and the rule ends (line \(line))")
    }
    return value
  }

  func refuses<T>(
    _ code: OutboxError.Code, line: Int = #line, _ body: () async throws -> T
  ) async {
    do {
      _ = try await body()
      complaints.append("it is not refused as \(code.rawValue) (line \(line))")
    } catch {
      same((error as? OutboxError)?.code.rawValue, code.rawValue, line: line)
    }
  }
}

extension NewOperation {
  /// An operation as an outbox would hand it to a store.
  static func note(
    _ text: String, orderedBy key: String? = nil, idempotencyKey: IdempotencyKey = .init(),
    kind: OperationKind = "note", lane: Lane = .main, timeToLive: Duration? = nil,
    effect: EffectCertainty = .notSent, wishes: Wishes = Wishes()
  ) -> NewOperation {
    NewOperation(
      id: OperationID(UUID()), type: PayloadType(kind: kind, version: 1), lane: lane,
      orderingKey: key, idempotencyKey: idempotencyKey,
      payload: Data("{\"text\":\"\(text)\"}".utf8), timeToLive: timeToLive, effect: effect,
      wishes: wishes)
  }

  static let types: Set = [PayloadType(kind: "note", version: 1)]
}

extension OutboxStore {
  /// Leases what can be leased by a drainer that knows notes and runs nothing else.
  func claim(
    _ limit: Int = 10, unmet: Set<OperationConstraint> = []
  ) async throws -> [LeasedOperation] {
    try await claim(
      ClaimRequest(limit: limit, types: NewOperation.types, isAlone: true, unmet: unmet)
    ).operations
  }
}

extension LeasedOperation {
  var text: String {
    String(decoding: operation.payload, as: UTF8.self).split(separator: "\"").dropFirst(3)
      .first.map(String.init) ?? ""
  }
}
