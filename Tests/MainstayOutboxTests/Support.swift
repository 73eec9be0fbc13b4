// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting

/// A folder that goes away with the test.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "outbox-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  var database: URL { url.appending(path: "outbox.sqlite") }

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// A value that tests change from anywhere.
final class Box<Value: Sendable>: Sendable {
  private let state: Locked<Value>

  init(_ value: Value) { state = Locked(value) }

  var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  @discardableResult func change<T: Sendable>(_ body: (inout sending Value) -> sending T) -> T {
    state.withLock(body)
  }
}

/// The time of day as a test sets it.
final class TimeOfDay: Sendable {
  private let date = Box(Date(timeIntervalSince1970: 1_800_000_000))

  var now: Date { date.value }

  func advance(by duration: Duration) {
    date.change { $0 = $0.addingTimeInterval(duration.inSeconds) }
  }
}

struct Note: QueuedOperation, Equatable {
  static let kind: OperationKind = "note"
  var text: String
}

extension NewOperation {
  /// An operation as the outbox would hand it to a store.
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
  func claim(_ limit: Int = 10, isAlone: Bool = true) async throws -> [LeasedOperation] {
    try await claim(ClaimRequest(limit: limit, types: NewOperation.types, isAlone: isAlone))
      .operations
  }
}

extension LeasedOperation {
  var text: String {
    String(decoding: operation.payload, as: UTF8.self).split(separator: "\"").dropFirst(3)
      .first.map(String.init) ?? ""
  }
}
