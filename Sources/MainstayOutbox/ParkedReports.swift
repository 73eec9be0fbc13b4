// SPDX-License-Identifier: Apache-2.0

package import Logging
internal import Mainstay
package import Metrics

/// Tells the log and the metrics of what is parked: it waits until somebody does something, and
/// nothing else says so.
package final class ParkedReports: Sendable {
  private struct State {
    var kinds: Set<String> = []
    /// What was last told of a type, and how much has come since then.
    var told: [PayloadType: (at: Duration, since: Int)] = [:]
    var counters: [[String]: Counter] = [:]
  }

  /// How many kinds are told apart, since anybody may enqueue any kind in a database.
  private static let maximumKinds = 100
  /// The least time between two lines about one type.
  private static let pause = Duration.seconds(60)

  private let logger: Logger
  private let factory: (any MetricsFactory)?
  private let state = Locked(State())

  /// Makes one.
  ///
  /// - Parameters:
  ///   - logger: Where each one is written, at `warning`.
  ///   - factory: Where each one is counted; nil for the one of the process.
  package init(_ logger: Logger, factory: (any MetricsFactory)? = nil) {
    self.logger = logger
    self.factory = factory
  }

  /// A claim has set aside what no worker reads.
  ///
  /// All of it is counted at once. The log has a line for each type at most every minute, since
  /// there may be a claim after each operation that somebody enqueues.
  ///
  /// - Parameters:
  ///   - found: How many of each type.
  ///   - now: The reading of the clock.
  package func setAside(_ found: [PayloadType: Int], at now: Duration) {
    for (type, count) in found {
      counter(of: type.kind.rawValue, "unknownType").increment(by: count)
      guard let count = untold(count, of: type, at: now) else { continue }
      logger.report(parked: count, of: type)
    }
  }

  /// How many of a type are to be told of now; nil where it is too early for that.
  private func untold(_ count: Int, of type: PayloadType, at now: Duration) -> Int? {
    state.withLock { state in
      if let told = state.told[type], now - told.at < Self.pause {
        state.told[type] = (told.at, told.since + count)
        return nil
      }
      let since = state.told[type]?.since ?? 0
      if state.told.count >= Self.maximumKinds { state.told = [:] }
      state.told[type] = (now, 0)
      return since + count
    }
  }

  /// A run has ended, and that is recorded.
  ///
  /// What is parked is tried again after each start, and parked again: it is told once.
  func ended(_ operation: StoredOperation, _ event: OutboxEvent.What?) {
    guard case .failed(let error, .parked) = event, operation.failure?.code != error.code else {
      return
    }
    counter(of: operation.type.kind.rawValue, "unreadable").increment()
    logger.report(parked: operation, error)
  }

  private func counter(of kind: String, _ reason: String) -> Counter {
    let (name, known) = state.withLock { state in
      let isNamed = state.kinds.contains(kind) || state.kinds.count < Self.maximumKinds
      if isNamed { state.kinds.insert(kind) }
      let name = [isNamed ? kind : "other", reason]
      return (name, state.counters[name])
    }
    if let known { return known }
    // Made outside of the lock, since the factory is somebody else's.
    let made = Counter(
      label: "mainstay.outbox.parked", dimensions: [("kind", name[0]), ("reason", reason)],
      factory: factory ?? MetricsSystem.factory)
    return state.withLock { state in
      if let known = state.counters[name] { return known }
      state.counters[name] = made
      return made
    }
  }
}
