// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import Mainstay
internal import MainstayOutbox

/// How everything stands, as the contract describes it.
package struct StatusDocument: Sendable, Hashable, Codable {
  /// One feature, and what it needs.
  package struct Feature: Sendable, Hashable, Codable {
    package let name: String
    package let available: Bool
    /// What it needs: `network`, or nothing.
    package let needs: [String]
    /// Why it is not available, in a sentence; left out where it is.
    package let reason: String?
  }

  /// How many operations stand where.
  package struct Queue: Sendable, Hashable, Codable {
    package var pending = 0
    package var running = 0
    package var scheduled = 0
    package var blocked = 0
    package var waiting = 0
    package var conflicted = 0
    package var parked = 0
    package var dead = 0
    /// In seconds; nil where nothing waits.
    package var oldestAge: Double?
    /// In how many seconds nothing is left, if it goes on as lately; left out where that cannot be
    /// said.
    package var estimate: Double?

    private enum CodingKeys: String, CodingKey {
      case pending, running, scheduled, blocked, waiting, conflicted, parked, dead, oldestAge
      case estimate
    }

    /// `oldestAge` is always written, as `null` where nothing waits.
    package func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(pending, forKey: .pending)
      try container.encode(running, forKey: .running)
      try container.encode(scheduled, forKey: .scheduled)
      try container.encode(blocked, forKey: .blocked)
      try container.encode(waiting, forKey: .waiting)
      try container.encode(conflicted, forKey: .conflicted)
      try container.encode(parked, forKey: .parked)
      try container.encode(dead, forKey: .dead)
      try container.encode(oldestAge, forKey: .oldestAge)
      try container.encodeIfPresent(estimate, forKey: .estimate)
    }
  }

  /// A circuit breaker.
  package struct Circuit: Sendable, Hashable, Codable {
    package enum State: String, Sendable, Hashable, Codable, CaseIterable {
      case closed, open, halfOpen, isolated
    }

    package let name: String
    package let state: State
  }

  /// Whether every accepted operation is accounted for.
  package struct Ledger: Sendable, Hashable, Codable {
    package let balanced: Bool
  }

  package let connectivity: ConnectivityEvidence.Reading
  /// How much of the app works now.
  package let featureLevel: FeatureLevel
  /// Why it is not more, in sentences.
  package let reasons: [String]
  package let features: [Feature]
  package let outbox: Queue
  package let circuits: [Circuit]
  package let ledger: Ledger
}

extension StatusDocument.Queue {
  /// - Parameters:
  ///   - snapshot: What the outbox has.
  ///   - intents: What it may not know yet.
  ///   - estimate: In how much time nothing is left.
  init(_ snapshot: OutboxSnapshot, intents: Int, estimate: Duration? = nil) {
    pending = snapshot.pending + intents
    running = snapshot.running
    scheduled = snapshot.scheduled
    blocked = snapshot.blocked
    waiting = snapshot.waiting
    conflicted = snapshot.conflicted
    parked = snapshot.parked
    dead = snapshot.dead
    oldestAge = snapshot.oldestAge.map { max(0, $0 / .milliseconds(1)) / 1000 }
    self.estimate = estimate.map { ($0 / .milliseconds(1)).rounded() / 1000 }
  }
}

extension StatusDocument.Circuit {
  init(_ breaker: CircuitBreaker) {
    name = breaker.name
    state =
      switch breaker.state {
      case .closed: .closed
      // Once its break is over, the next call is let through; unless somebody may ask, nobody ever
      // finds out that the service is well again.
      case .open(let retryAfter): retryAfter > .zero ? .open : .halfOpen
      case .halfOpen: .halfOpen
      case .isolated: .isolated
      }
  }
}
