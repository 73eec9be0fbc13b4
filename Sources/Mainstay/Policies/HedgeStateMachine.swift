// SPDX-License-Identifier: Apache-2.0

/// The copies of one call under ``Hedge``, and when another one is started: the pure part.
struct HedgeStateMachine: Sendable {
  enum Step: Sendable, Equatable {
    /// Nothing to do until a copy ends, or until ``due``.
    case wait
    /// Another copy is wanted at once.
    case start
    /// The call ends with the error of this copy.
    case fail(copy: Int)
  }

  let maximumCopies: Int
  let delay: Duration
  /// How many copies were started.
  private(set) var started = 0
  /// Which of them run.
  private(set) var running: Set<Int> = []
  /// The reading of the clock at which the next copy is wanted; nil where none is.
  private(set) var due: Duration?
  private var isHedging = true
  private var firstFailed: Int?
  private var askedToWait: Int?
  /// The first copy after which nobody knows whether the call had its effect.
  private var unknown: Int?

  init(maximumCopies: Int, delay: Duration) {
    self.maximumCopies = maximumCopies
    self.delay = delay
  }

  /// A copy is started.
  ///
  /// - Returns: Its number; 1 is the call itself.
  mutating func start(now: Duration) -> Int {
    started += 1
    running.insert(started)
    due = isHedging && started < maximumCopies ? now + delay : nil
    return started
  }

  /// Whether it is time for another copy.
  func wantsCopy(now: Duration) -> Bool { due.map { $0 <= now } ?? false }

  /// The copy that was wanted must not be started, and no other one either.
  ///
  /// - Returns: How it goes on with those that run.
  mutating func withhold() -> Step {
    stop()
    return afterFailure()
  }

  /// A copy ended with an error.
  mutating func failed(_ copy: Int, _ disposition: Disposition) -> Step {
    guard running.remove(copy) != nil else { return .wait }
    firstFailed = firstFailed ?? copy
    switch disposition {
    // The dependency answered, or somebody stopped the work: another copy gets the same.
    case .permanent, .needsUser, .cancelled: return .fail(copy: copy)
    case .transient(nil), .transient(.zero?): break
    case .unknownOutcome: unknown = unknown ?? copy
    // Asked to wait: more copies are the last thing that helps (P30).
    case .transient, .throttled:
      askedToWait = askedToWait ?? copy
      stop()
    case .rejected, .unclassified: stop()
    }
    return afterFailure()
  }

  private mutating func afterFailure() -> Step {
    guard running.isEmpty else { return .wait }
    if isHedging, started < maximumCopies { return .start }
    // Whoever is further out must learn that a copy may have had its effect, which the end of
    // another one says nothing about, and else that the service asked to wait.
    return .fail(copy: unknown ?? askedToWait ?? firstFailed ?? started)
  }

  private mutating func stop() {
    isHedging = false
    due = nil
  }
}
