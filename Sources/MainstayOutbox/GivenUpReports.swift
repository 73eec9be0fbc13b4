// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Mainstay
package import Metrics

/// Tells the log, the metrics and the monitor of what was given up, and the app of everything.
///
/// Somebody has to decide about a dead letter, so nobody has to ask for being told.
package final class GivenUpReports: OutboxObserver {
  private let logger: Logger
  private let monitor: ErrorMonitor?
  private let observer: (any OutboxObserver)?
  private let factory: (any MetricsFactory)?
  private let counters = Locked<[[String]: Counter]>([:])

  /// Makes one.
  ///
  /// - Parameters:
  ///   - logger: Where each one is written, at `error`.
  ///   - monitor: Who is handed the error; nil for nobody.
  ///   - observer: Who is told of all events; nil for nobody.
  ///   - factory: Where each one is counted; nil for the one of the process.
  package init(
    _ logger: Logger, monitor: ErrorMonitor? = nil, observer: (any OutboxObserver)? = nil,
    factory: (any MetricsFactory)? = nil
  ) {
    self.logger = logger
    self.monitor = monitor
    self.observer = observer
    self.factory = factory
  }

  package func observe(_ event: OutboxEvent) {
    if case .gaveUp(let reason, let error) = event.what { gaveUp(event, reason, error) }
    observer?.observe(event)
  }

  private func gaveUp(_ event: OutboxEvent, _ reason: DeadLetter.Reason, _ error: AppError?) {
    let kind = event.kind?.rawValue ?? "none"
    logger.report(givenUp: event.id, kind, reason, error)
    counter(of: kind, reason).increment()
    // A run that was lost, or whose outcome nobody knows, threw nothing.
    let unknown = OutboxError(.failed, details: "An operation was given up (\(reason)).")
    monitor?.capture(
      error ?? unknown.appError, during: kind, category: "outbox",
      metadata: ["reason": .public(reason.rawValue)], severity: .error,
      group: error == nil ? "outbox.given-up.\(reason)" : nil)
  }

  /// The kinds are those of the app's workers, so there are few.
  private func counter(of kind: String, _ reason: DeadLetter.Reason) -> Counter {
    let name = [kind, reason.rawValue]
    if let known = counters.withLock({ $0[name] }) { return known }
    let made = Counter(
      label: "mainstay.outbox.given_up", dimensions: [("kind", kind), ("reason", reason.rawValue)],
      factory: factory ?? MetricsSystem.factory)
    return counters.withLock { counters in
      if let known = counters[name] { return known }
      counters[name] = made
      return made
    }
  }
}
