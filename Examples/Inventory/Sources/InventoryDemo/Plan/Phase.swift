// SPDX-License-Identifier: Apache-2.0

package import InventoryUpstream

/// A stretch of the run in which the service misbehaves in one way.
package struct Phase: Sendable, Equatable {
  /// When `inventory` is killed.
  package struct Kill: Sendable, Equatable {
    /// After so many posts of the phase were accepted, or when its actions are over.
    package let accepted: Int
    /// So long after that, and then as soon as a post waits for its answer.
    package let delay: Duration
  }

  /// Its place among the phases, from 0.
  package let number: Int
  package let faults: FaultSettings
  package let actions: [Action]
  /// In the order of `accepted`.
  package let kills: [Kill]
  /// How long it lasts at least.
  package let hold: Duration
  /// How many requests the service has to see in it before it ends.
  package let requests: Int

  package init(
    number: Int, faults: FaultSettings, actions: [Action] = [], kills: [Kill] = [],
    hold: Duration = .zero, requests: Int = 1
  ) {
    self.number = number
    self.faults = faults
    self.actions = actions
    self.kills = kills
    self.hold = hold
    self.requests = requests
  }

  /// What it is called in the progress and in sentences.
  package var name: String {
    var name = faults.mode.rawValue
    if let limit = faults.limit { name += " to \(limit)" }
    return faults.dedupe ? name : "\(name) without dedupe"
  }
}
