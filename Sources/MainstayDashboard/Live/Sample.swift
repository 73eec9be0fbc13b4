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
  /// What is drawn over time, or says how long ago something was, goes on where nothing changes.
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
    /// The kinds that are paused, by name.
    var paused: [OperationKind] = []
    /// The lanes that hold something back.
    var closed: [ClosedLane] = []

    static func == (one: Queue, other: Queue) -> Bool {
      var (left, right) = (one.snapshot, other.snapshot)
      // They change all the time, and are no news.
      (left.oldestAge, right.oldestAge) = (nil, nil)
      (left.estimate, right.estimate) = (nil, nil)
      return left == right && one.tally == other.tally && one.paused == other.paused
        && one.closed == other.closed
    }
  }

  /// When it was taken, by the clock of the dashboard.
  var reading: Duration
  var circuits: [String] = []
  /// What was counted of circuits and pipelines.
  var policies: [PolicyTally.Counts?] = []
  var captured = 0
  var connection: Connectivity?
  /// Since when it is believed, and when each piece of evidence came.
  ///
  /// How much evidence there is stays the same in the end.
  var moments: [Date] = []
  var levels: DegradationController.Status?

  /// What is different from an earlier one.
  func changes(since earlier: Sample?) -> LiveParts {
    guard let earlier else { return [] }
    var parts: LiveParts = []
    if circuits != earlier.circuits || policies != earlier.policies { parts.insert(.circuits) }
    if captured != earlier.captured { parts.insert(.errors) }
    if connection != earlier.connection || !Self.areSame(moments, earlier.moments) {
      parts.insert(.connection)
    }
    if levels != earlier.levels { parts.insert(.levels) }
    return parts
  }

  /// Compares moments that are reckoned back from now, and never come out quite alike.
  private static func areSame(_ ones: [Date], _ others: [Date]) -> Bool {
    ones.count == others.count
      && zip(ones, others).allSatisfy { abs($0.timeIntervalSince($1)) < 0.01 }
  }
}

extension Dashboard {
  /// Looks at everything but the outboxes once.
  func sample() -> Sample {
    var sample = Sample(reading: timeline.now)
    let circuits = circuits
    sample.circuits = circuits.map { circuit in
      let breaker = circuit.breaker
      return "\(circuit.id) \(breaker.state.word) \(breaker.isolationCount) \(breaker.mode) "
        + "\(breaker.waiting)"
    }
    if let tally {
      sample.policies = (circuits.map(\.breaker.name) + pipelines.map(\.name)).map(tally.counts)
    }
    sample.captured = errors?.ledger.captured ?? 0
    if let current = connectivity?.current {
      sample.moments = [current.since] + current.evidence.map(\.date)
      sample.connection = current.withoutEvidence
    }
    sample.levels = levels?.status
    return sample
  }
}

extension Connectivity {
  /// What is believed, without what changes all the time by itself, and without moments.
  fileprivate var withoutEvidence: Connectivity {
    var copy = self
    (copy.confidence, copy.since, copy.evidence) = (0, .distantPast, [])
    return copy
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
