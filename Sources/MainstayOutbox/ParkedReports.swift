// SPDX-License-Identifier: Apache-2.0

package import Logging
internal import Mainstay
package import Metrics

/// Tells the log and the metrics of what is parked: it waits until somebody does something, and
/// nothing else says so.
package final class ParkedReports: Sendable {
  private struct State {
    var kinds: Set<String> = []
    var counters: [[String]: Counter] = [:]
  }

  /// How many kinds are told apart, since anybody may enqueue any kind in a database.
  private static let maximumKinds = 100

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
  package func setAside(_ found: [PayloadType: Int]) {
    for (type, count) in found {
      counter(of: type.kind.rawValue, "unknownType").increment(by: count)
      logger.report(parked: count, of: type)
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
