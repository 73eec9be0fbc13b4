// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay
package import MainstayOutbox

// What stores are tried with: operations that carry a text, by a clock that is set by hand.

extension NewOperation {
  /// An operation as an outbox would hand it to a store.
  package static func note(
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

  /// What a drainer of notes reads.
  package static let types: Set = [PayloadType(kind: "note", version: 1)]
}

extension OutboxStore {
  /// Leases what can be leased by a drainer that knows notes and runs nothing else.
  package func claim(
    _ limit: Int = 10, isAlone: Bool = true, unmet: Set<OperationConstraint> = []
  ) async throws -> [LeasedOperation] {
    try await claim(
      ClaimRequest(limit: limit, types: NewOperation.types, isAlone: isAlone, unmet: unmet)
    ).operations
  }
}

extension LeasedOperation {
  /// What the note says.
  package var text: String {
    String(decoding: operation.payload, as: UTF8.self).split(separator: "\"").dropFirst(3)
      .first.map(String.init) ?? ""
  }
}

/// The time of day as whoever tries a store sets it.
package final class TimeOfDay: Sendable {
  private let date = Locked(Date(timeIntervalSince1970: 1_800_000_000))

  package init() {}

  package var now: Date { date.withLock { $0 } }

  package func advance(by duration: Duration) {
    date.withLock { $0 = $0.addingTimeInterval(duration.inSeconds) }
  }
}
