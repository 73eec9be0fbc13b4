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

  /// Whether the process has an observer; one load.
  static var isSet: Bool { hasObserver.load(ordering: .acquiring) }

  /// The observer of the process.
  static var current: (any PolicyObserver)? { isSet ? observer.withLock { $0 } : nil }
}

/// Whom one policy tells: its own observer and that of the process.
struct PolicyAudience: Sendable {
  private let own: (any PolicyObserver)?
  // Asked on every call: looking whether `own` is nil would copy it.
  private let hasOwn: Bool

  init(own: (any PolicyObserver)?) {
    self.own = own
    hasOwn = own != nil
  }

  /// Whether nobody listens; costs one load.
  var isEmpty: Bool { !hasOwn && !PolicyObservation.isSet }

  func tell(_ event: PolicyEvent) {
    own?.observe(event)
    PolicyObservation.current?.observe(event)
  }
}
