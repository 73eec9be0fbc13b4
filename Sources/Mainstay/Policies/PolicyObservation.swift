// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Sets who is told about the events of all policies of the process.
public enum PolicyObservation {
  private static let observer = Locked<(any PolicyObserver)?>(nil)
  private static let hasObserver = Atomic(false)

  /// Sets the observer of the whole process, besides those that policies are given; called once,
  /// when the app starts.
  ///
  /// A second call stops the program: two parts that both believe to own it would otherwise
  /// overwrite each other unseen.
  public static func bootstrap(_ new: some PolicyObserver) {
    let isFirst = observer.withLock { current in
      guard current == nil else { return false }
      current = new
      return true
    }
    precondition(isFirst, "PolicyObservation.bootstrap was called twice; it is set once at launch")
    hasObserver.store(true, ordering: .releasing)
  }

  /// The observer of the process: one relaxed load where there is none.
  static var current: (any PolicyObserver)? {
    guard hasObserver.load(ordering: .acquiring) else { return nil }
    return observer.withLock { $0 }
  }
}

/// Whom one policy tells: its own observer and that of the process.
struct PolicyAudience: Sendable {
  let own: (any PolicyObserver)?

  /// Whether anybody listens; false costs one load.
  var isEmpty: Bool { own == nil && PolicyObservation.current == nil }

  func tell(_ event: PolicyEvent) {
    own?.observe(event)
    PolicyObservation.current?.observe(event)
  }
}
