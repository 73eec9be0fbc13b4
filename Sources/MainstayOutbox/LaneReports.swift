// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Mainstay
package import Metrics

/// Tells the log, the metrics and the monitor that a lane waits for a person, and the log that it
/// goes on.
///
/// An app that asks nobody to sign in would keep everything back without a word.
package final class LaneReports: Sendable {
  private let logger: Logger
  private let monitor: ErrorMonitor?
  private let factory: (any MetricsFactory)?
  private let counters = Locked<[String: Counter]>([:])

  /// Makes one.
  ///
  /// - Parameters:
  ///   - logger: Where a closed lane is written, at `warning`, and its opening, at `notice`.
  ///   - monitor: Who is handed the error that closed a lane; nil for nobody.
  ///   - factory: Where closed lanes are counted; nil for the one of the process.
  package init(
    _ logger: Logger, monitor: ErrorMonitor? = nil, factory: (any MetricsFactory)? = nil
  ) {
    self.logger = logger
    self.monitor = monitor
    self.factory = factory
  }

  /// A lane has been closed, or was found so when a run of it was refused.
  package func closed(_ lane: Lane, by kind: OperationKind, _ error: AppError?) {
    logger.report(closed: lane, kind, error)
    counter(of: kind.rawValue).increment()
    guard let error else { return }
    monitor?.capture(
      error, during: kind.rawValue, category: "outbox",
      metadata: ["lane": .private(lane.rawValue)], severity: .warning)
  }

  /// A lane goes on that was told closed.
  package func opened(_ lane: Lane) { logger.report(opened: lane) }

  /// The kinds are those of the app's workers, so there are few.
  private func counter(of kind: String) -> Counter {
    if let known = counters.withLock({ $0[kind] }) { return known }
    // Made outside of the lock, since the factory is somebody else's.
    let made = Counter(
      label: "mainstay.outbox.needs_user", dimensions: [("kind", kind)],
      factory: factory ?? MetricsSystem.factory)
    return counters.withLock { counters in
      if let known = counters[kind] { return known }
      counters[kind] = made
      return made
    }
  }
}
