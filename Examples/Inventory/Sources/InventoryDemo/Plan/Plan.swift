// SPDX-License-Identifier: Apache-2.0

internal import InventoryUpstream

/// What a run does and when, all of it drawn from a seed before anything is started.
package struct Plan: Sendable, Equatable {
  /// What a plan is made from.
  package struct Size: Sendable, Equatable {
    /// How many things are scanned: 1 to 5000.
    package static let scans = 1...5000
    /// How often `inventory` is killed: 0 to 100.
    package static let kills = 0...100

    package var scans = 200
    package var kills = 5

    package init(scans: Int = 200, kills: Int = 5) {
      self.scans = min(max(scans, Self.scans.lowerBound), Self.scans.upperBound)
      self.kills = min(max(kills, Self.kills.lowerBound), Self.kills.upperBound)
    }
  }

  package let seed: UInt64
  package let size: Size
  package let phases: [Phase]

  /// All actions; those of one thing are in the order in which they are posted.
  package var actions: [Action] { phases.flatMap(\.actions) }

  /// Makes the plan of a seed.
  package init(seed: UInt64, size: Size = Size()) {
    self.seed = seed
    self.size = size
    var maker = PlanMaker(seed: seed, size: size)
    phases = maker.phases()
  }
}

/// The faults of a plan's phases.
enum Script {
  /// What `rateLimited` announces, in requests each second.
  static let limit = 20

  /// Groups of phases that stay together; the groups come in an order of chance.
  ///
  /// A limit follows `down`, as a crowd follows an outage: there is a queue to be sent then. It
  /// asks nobody to wait, so that only the announcement tells how fast requests may come.
  /// What waits without deduplication stays below the app's settle time of 2 seconds.
  static let groups: [[FaultSettings]] = [
    [faults(.down), faults(.rateLimited, retryAfter: 0) { $0.limit = limit }],
    [faults(.rateLimited, rate: 0.3, retryAfter: 1)],
    [faults(.slow, rate: 0.6, delay: 300)],
    [faults(.flaky, rate: 0.4)],
    [faults(.serverError, rate: 0.6)],
    [faults(.portal)],
    [faults(.dropAfterCommit, rate: 0.5)],
    [faults(.reorder, delay: 400)],
    [faults(.dropAfterCommit, rate: 0.5) { $0.dedupe = false }],
    [faults(.slow, delay: 800) { $0.dedupe = false }],
    [faults(.flaky, rate: 0.4) { $0.dedupe = false }],
    [faults(.reorder, delay: 600) { $0.dedupe = false }],
  ]

  private static func faults(
    _ mode: FaultMode, rate: Double = 1, delay: Int = 0, retryAfter: Int = 0,
    _ change: (inout FaultSettings) -> Void = { _ in }
  ) -> FaultSettings {
    var settings = FaultSettings(mode: mode)
    settings.rate = rate
    settings.delayMs = delay
    settings.retryAfter = retryAfter
    change(&settings)
    return settings
  }
}

extension FaultSettings {
  /// Whether a kill tells most here: what was applied and not heard of is there to be repeated.
  var isTelling: Bool { mode == .dropAfterCommit || !dedupe }
}
