// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay
internal import MainstayOutbox

/// Something that waits in the queue, and why.
package struct WaitingOperation: Sendable, Hashable, Identifiable {
  package let id: UUID
  /// What is to be done, such as `sync-twin`.
  package let kind: String
  /// The item that it is about; nil where it cannot be read.
  package let item: UUID?
  /// What stands in its way, a sentence each.
  package let why: [String]
  /// What went wrong last; nil where nothing did.
  package let failure: String?

  init(_ operation: StoredOperation, _ obstacles: [Obstacle], at now: Date) {
    id = operation.id.uuid
    kind = operation.type.kind.rawValue
    item = operation.orderingKey.flatMap(UUID.init(uuidString:))
    why = obstacles.isEmpty ? ["It is next."] : obstacles.map { $0.sentence(at: now) }
    failure = operation.failure?.message
  }
}

extension Inventory {
  /// What waits in the queue, the oldest first, and why.
  ///
  /// - Parameter limit: How many at most.
  /// - Returns: What waits.
  /// - Throws: `AppError` where the queue cannot be read.
  package func waiting(limit: Int) async throws(AppError) -> [WaitingOperation] {
    do {
      var waiting: [WaitingOperation] = []
      for operation in try await outbox.operations(limit: limit) {
        // It may be done by now.
        guard let explained = try await outbox.explain(operation.id) else { continue }
        waiting.append(WaitingOperation(operation, explained.obstacles, at: now()))
      }
      return waiting
    } catch {
      throw error.appError
    }
  }
}

extension Obstacle {
  /// The obstacle in words for whoever uses the app.
  fileprivate func sentence(at now: Date) -> String {
    switch self {
    case .running: "It is being sent."
    case .notBefore(let date, _): "It is tried again \(Self.text(date.timeIntervalSince(now)))."
    case .follows: "An earlier change of the same item goes first."
    case .followsDeadLetter, .needsDeadLetter:
      "An earlier change of the same item was given up, and waits for your decision."
    case .lane(_, .needsUser, _): "Somebody has to sign in."
    case .lane(_, .throttled, _): "The service asked to slow down."
    case .circuitIsOpen: "The service does not work just now."
    case .lane, .kindPaused, .paused: "Nothing is being sent just now."
    case .givenUp: "It was given up, and waits for your decision."
    case .conflict: "It was changed in two places, and waits for your decision."
    case .typeIsBusy, .circuitIsProbed, .outboxIsBusy, .rateLimited, .runsAlone, .letsPass:
      "Others are being sent first."
    default: description
    }
  }

  private static func text(_ seconds: TimeInterval) -> String {
    switch seconds {
    case ..<1.5: "now"
    case ..<90: "in \(Int(seconds.rounded())) seconds"
    default: "in \(Int((seconds / 60).rounded())) minutes"
    }
  }
}
