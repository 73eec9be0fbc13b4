// SPDX-License-Identifier: Apache-2.0

public import Logging
internal import Mainstay
public import MainstayOutbox
public import Metrics
public import ServiceLifecycle

/// Tells swift-metrics how much waits in an outbox, and for how long, until the group shuts down.
///
/// | Metric | Kind | Holds |
/// |---|---|---|
/// | `mainstay.outbox.pending` | meter | how many are not finished, by `cause`, why they wait |
/// | `mainstay.outbox.oldest` | meter | for how long the oldest of them waits, in seconds |
/// | `mainstay.outbox.dead` | meter | how many were given up and wait for somebody |
/// | `mainstay.outbox.bytes` | meter | how large the payloads of those not finished are |
/// | `mainstay.outbox.unasked` | meter | for how long it could not be asked, in seconds; else 0 |
///
/// All have the name that the outbox is given here as `outbox`. A `cause` is `ready`, `running`,
/// `blocked`, `conflicted`, `parked`, or one of `OutboxSnapshot.Causes` by its name; each operation
/// counts once, and a cause that holds nothing is 0.
///
/// An outbox that several processes share is counted by each of them: take the greatest number, not
/// the sum. While it cannot be asked the other numbers stay as they were, and a warning says so.
public struct OutboxMetricsService: Service {
  private let outbox: Outbox
  private let name: String
  private let interval: Duration
  private let factory: (any MetricsFactory)?
  private let timeline: Timeline
  private let log: BlindLog

  /// Makes the service.
  ///
  /// - Parameters:
  ///   - outbox: The outbox that is asked.
  ///   - name: What it is called in the metrics; the default is `main`.
  ///   - interval: How long it waits between two looks, each of which counts in the store; the
  ///     default is 15 seconds, and less than a second is a second. After a look that took long it
  ///     waits ten times as long as that took.
  ///   - logger: Where it is said that the outbox cannot be asked; the default, nil, is one with
  ///     the label `mainstay.outbox`.
  ///   - factory: Where metrics are made; the default, nil, is the one that `MetricsSystem` was
  ///     given.
  ///   - clock: What tells the time.
  public init(
    _ outbox: Outbox, named name: String = "main", every interval: Duration = .seconds(15),
    logger: Logger? = nil, factory: (any MetricsFactory)? = nil,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.outbox = outbox
    self.name = name
    self.interval = max(interval, .seconds(1))
    self.factory = factory
    timeline = Timeline(clock)
    log = BlindLog(logger, timeline, of: name)
  }

  /// Looks again and again until the task is cancelled or the group shuts down.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      var meters: [String: Meter] = [:]
      var answered = timeline.now
      while !Task.isCancelled {
        let start = timeline.now
        do throws(OutboxError) {
          let snapshot = try await outbox.snapshot()
          answered = timeline.now
          tell(snapshot, &meters)
        } catch {
          // What ends with the service is no failure.
          if Task.isCancelled { return }
          log.failed(error)
          meter("mainstay.outbox.unasked", &meters).set((timeline.now - answered).inSeconds)
        }
        let end = timeline.now
        // One that counts for long is busy enough.
        try? await timeline.sleep(until: end + max(interval, (end - start) * 10))
      }
    }
  }

  private func tell(_ snapshot: OutboxSnapshot, _ meters: inout [String: Meter]) {
    for (cause, count) in snapshot.byCause {
      meter("mainstay.outbox.pending", of: cause, &meters).set(count)
    }
    meter("mainstay.outbox.oldest", &meters).set(snapshot.oldestAge?.inSeconds ?? 0)
    meter("mainstay.outbox.dead", &meters).set(snapshot.dead)
    meter("mainstay.outbox.bytes", &meters).set(snapshot.bytes)
    meter("mainstay.outbox.unasked", &meters).set(0.0)
  }

  private func meter(
    _ label: String, of cause: String? = nil, _ meters: inout [String: Meter]
  ) -> Meter {
    let key = cause ?? label
    if let meter = meters[key] { return meter }
    let meter = Meter(
      label: label, dimensions: [("outbox", name)] + (cause.map { [("cause", $0)] } ?? []),
      factory: factory ?? MetricsSystem.factory)
    meters[key] = meter
    return meter
  }
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
