// SPDX-License-Identifier: Apache-2.0

import Mainstay
public import MainstayOutbox
public import Metrics
public import ServiceLifecycle

/// Tells swift-metrics how much waits in an outbox, and for how long, until the group shuts down.
///
/// | Metric | Kind | Holds |
/// |---|---|---|
/// | `mainstay.outbox.pending` | meter | how many are not finished, by `cause`, why they wait |
/// | `mainstay.outbox.oldest` | meter | for how long the oldest of them waits, in seconds |
///
/// Both have the name that the outbox is given here as `outbox`. A `cause` is `ready`, `running`,
/// `blocked`, `conflicted`, `parked`, or one of `OutboxSnapshot.Causes` by its name; each operation
/// counts once, and a cause that holds nothing is 0.
///
/// An outbox that several processes share is counted by each of them: take the greatest number, not
/// the sum. While it cannot be asked the numbers stay as they were, and its log says so.
public struct OutboxMetricsService: Service {
  private let outbox: Outbox
  private let name: String
  private let interval: Duration
  private let factory: (any MetricsFactory)?
  private let clock: any Clock<Duration>

  /// Makes the service.
  ///
  /// - Parameters:
  ///   - outbox: The outbox that is asked.
  ///   - name: What it is called in the metrics; the default is `main`.
  ///   - interval: How long it waits between two looks, each of which counts in the store; the
  ///     default is 15 seconds, and less than a second is a second.
  ///   - factory: Where metrics are made; the default, nil, is the one that `MetricsSystem` was
  ///     given.
  ///   - clock: What tells the time.
  public init(
    _ outbox: Outbox, named name: String = "main", every interval: Duration = .seconds(15),
    factory: (any MetricsFactory)? = nil, clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.outbox = outbox
    self.name = name
    self.interval = max(interval, .seconds(1))
    self.factory = factory
    self.clock = clock
  }

  /// Looks again and again until the task is cancelled or the group shuts down.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      var meters: [String: Meter] = [:]
      while !Task.isCancelled {
        // What fails is told in the log of the outbox.
        if let snapshot = try? await outbox.snapshot() { tell(snapshot, &meters) }
        try? await clock.sleep(for: interval)
      }
    }
  }

  private func tell(_ snapshot: OutboxSnapshot, _ meters: inout [String: Meter]) {
    for (cause, count) in snapshot.byCause {
      let meter =
        meters[cause]
        ?? Meter(
          label: "mainstay.outbox.pending", dimensions: [("outbox", name), ("cause", cause)],
          factory: factory ?? MetricsSystem.factory)
      meters[cause] = meter
      meter.set(count)
    }
    let age = Self.oldest
    let meter =
      meters[age]
      ?? Meter(
        label: "mainstay.outbox.oldest", dimensions: [("outbox", name)],
        factory: factory ?? MetricsSystem.factory)
    meters[age] = meter
    meter.set(snapshot.oldestAge?.inSeconds ?? 0)
  }

  /// Among the causes there is none of that name.
  private static let oldest = ""
}

extension OutboxSnapshot {
  /// How many of those that are not finished do not run, or do, for what reason.
  fileprivate var byCause: [(cause: String, count: Int)] {
    [
      ("ready", ready), ("running", running), ("blocked", blocked), ("conflicted", conflicted),
      ("parked", parked), ("delay", causes.delay), ("failure", causes.failure),
      ("unreachable", causes.unreachable), ("policy", causes.policy),
      ("constraint", causes.constraint), ("lanePaused", causes.lanePaused),
      ("laneNeedsUser", causes.laneNeedsUser), ("laneThrottled", causes.laneThrottled),
      ("kindPaused", causes.kindPaused),
    ]
  }
}
