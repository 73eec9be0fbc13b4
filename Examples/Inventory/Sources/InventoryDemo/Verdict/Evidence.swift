// SPDX-License-Identifier: Apache-2.0

/// All that a verdict is made from: what the client saw, and what both programs say afterwards.
package struct Evidence: Sendable {
  /// The plan's phases, in order.
  package var phases: [Phase]
  /// How often `inventory` was to be killed.
  package var plannedKills: Int
  /// How often it was.
  package var kills = 0
  /// Every post in the order of its item; posts of different items are in no order.
  package var posts: [Post] = []
  package var ledger = LedgerReading()
  /// How the app's queue stood when it was asked last.
  package var queue = QueueReading()
  /// The items that the app has.
  package var items: [String: ItemReading] = [:]
  /// The twins that the service has, tombstones included.
  package var twins: [String: TwinReading] = [:]
  /// How long the queue needed after the service was healed; nil where it did not get empty.
  package var secondsToDrain: Double?

  package init(phases: [Phase], plannedKills: Int) {
    self.phases = phases
    self.plannedKills = plannedKills
  }
}

/// One request of the client, and what came back.
package struct Post: Sendable, Equatable {
  package enum Outcome: Sendable, Equatable {
    /// 202, with the id of the item.
    case accepted(id: String)
    /// No answer, and `inventory` was killed meanwhile or was not running.
    case unanswered
    /// An answer that the plan leaves no reason for.
    case refused(status: Int)
    /// No answer, though `inventory` was running all the time.
    case failed(String)
  }

  package let key: String
  /// Which of the scanned things it is about.
  package let item: Int
  package let kind: Action.Kind
  package let outcome: Outcome

  package init(_ action: Action, _ outcome: Outcome) {
    key = action.key
    item = action.item
    kind = action.kind
    self.outcome = outcome
  }

  /// The item that was answered; nil without a 202.
  package var acceptedID: String? {
    if case .accepted(let id) = outcome { id } else { nil }
  }
}

/// A request that the demo sends to the service to leave a mark in its ledger.
///
/// The marks stand in the ledger itself, so no clock has to be compared with another one.
package struct Mark: Sendable, Equatable {
  package enum Place: String, Sendable, CaseIterable {
    /// Before the faults of the phase are switched on.
    case before
    /// After that.
    case after
  }

  private static let prefix = "demo-mark"

  /// The key that it is sent with.
  package let key: String

  /// The mark at the begin of a phase; the number after the last one stands for the end of all.
  package init(_ place: Place, phase: Int) { key = "\(Self.prefix)-\(phase)-\(place.rawValue)" }

  /// Whether a request in the ledger is a mark.
  static func isMark(_ key: String?) -> Bool { key?.hasPrefix(prefix) == true }
}
