// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

/// The parts of the pages that change by themselves.
package struct LiveParts: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let outboxes = LiveParts(rawValue: 1)
  package static let circuits = LiveParts(rawValue: 2)
  package static let errors = LiveParts(rawValue: 4)
  package static let connection = LiveParts(rawValue: 8)
  package static let levels = LiveParts(rawValue: 16)
  /// What is drawn over time goes on even where nothing changes.
  package static let plots = LiveParts(rawValue: 32)

  private static let names: [(part: LiveParts, name: String)] = [
    (.outboxes, "outboxes"), (.circuits, "circuits"), (.errors, "errors"),
    (.connection, "connection"), (.levels, "levels"), (.plots, "plots"),
  ]

  /// The names by which pages know them.
  var names: [String] { Self.names.filter { contains($0.part) }.map(\.name) }
}

/// How everything but the outboxes stood at one moment: what is known without waiting for anybody.
struct Sample: Sendable {
  /// How an outbox stood.
  struct Queue: Sendable, Equatable {
    var snapshot = OutboxSnapshot()
    var tally: [OperationTally] = []

    static func == (one: Queue, other: Queue) -> Bool {
      var (left, right) = (one.snapshot, other.snapshot)
      // They change all the time, and are no news.
      (left.oldestAge, right.oldestAge) = (nil, nil)
      (left.estimate, right.estimate) = (nil, nil)
      return left == right && one.tally == other.tally
    }
  }

  /// When it was taken, by the clock of the dashboard.
  var reading: Duration
  var circuits: [String] = []
  var captured = 0
  var connection: String?
  var level: FeatureLevel?

  /// What is different from an earlier one.
  func changes(since earlier: Sample?) -> LiveParts {
    guard let earlier else { return [] }
    var parts: LiveParts = []
    if circuits != earlier.circuits { parts.insert(.circuits) }
    if captured != earlier.captured { parts.insert(.errors) }
    if connection != earlier.connection { parts.insert(.connection) }
    if level != earlier.level { parts.insert(.levels) }
    return parts
  }
}

extension Dashboard {
  /// Looks at everything but the outboxes once.
  func sample() -> Sample {
    var sample = Sample(reading: timeline.now)
    sample.circuits = breakers.map { "\($0.name) \($0.state.word) \($0.isolationCount)" }
    sample.captured = errors?.ledger.captured ?? 0
    if let current = connectivity?.current {
      sample.connection = "\(current.standing.rawValue) \(current.evidence.count) \(current.since)"
    }
    sample.level = levels?.status.level
    return sample
  }
}

extension CircuitBreaker.State {
  /// The state in a word or two, without the time that is left.
  var word: String {
    switch self {
    case .closed: "closed"
    case .open: "open"
    case .halfOpen: "half open"
    case .isolated: "isolated"
    }
  }
}
