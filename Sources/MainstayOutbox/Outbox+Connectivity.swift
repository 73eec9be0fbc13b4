// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// What an outbox does with what is known about the network.
///
/// It is no gate: operations are tried whatever a monitor says, unless they name a constraint.
enum ConnectivityLink {
  /// Tries what waits because of the network each time the network has become better, and says
  /// whether ``OperationConstraint/network`` and ``OperationConstraint/unmetered`` hold.
  ///
  /// - Parameters:
  ///   - monitor: What knows about the network.
  ///   - isUnmetered: Whether a network costs nothing where nobody knows.
  ///   - improved: Called each time the network has become better for a while.
  ///   - set: Told whether a constraint holds, each time that is known anew.
  /// - Returns: What ends the following when it is cancelled.
  static func follow(
    _ monitor: ConnectivityMonitor, isUnmetered: Bool,
    improved: @escaping @Sendable () async -> Void,
    set: @escaping @Sendable (OperationConstraint, Bool) async -> Void
  ) -> Task<Void, Never> {
    // Begun at once: what becomes better from now on is not missed.
    let (improvements, updates) = (monitor.improvements, monitor.updates)
    return Task {
      await withTaskGroup { group in
        group.addTask { for await _ in improvements { await improved() } }
        group.addTask {
          var isKnown = false
          for await connectivity in updates {
            await set(.network, connectivity.isWorthTrying)
            // A monitor that knows nothing yet does not know what a network costs, either.
            isKnown = isKnown || connectivity.saysSomething
            guard isKnown else { continue }
            await set(.unmetered, connectivity.isWorthTrying && !connectivity.isExpensive)
          }
          // The monitor was shut down: nothing is known any more, which counts as online. That it
          // costs nothing does not follow: what the app began with counts again.
          guard !Task.isCancelled else { return }
          if isKnown { await set(.unmetered, isUnmetered) }
          await set(.network, true)
        }
      }
    }
  }
}

extension Connectivity {
  /// Whether anything is known of the network.
  fileprivate var saysSomething: Bool {
    link != .unknown || !interfaces.isEmpty || !isWorthTrying
  }
}
