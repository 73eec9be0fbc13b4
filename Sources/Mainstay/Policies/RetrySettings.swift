// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The settings of a retry, which all its copies share, so that all of them follow a change.
final class RetrySettings: Sendable {
  private struct Known {
    var configuration: Retry.Configuration
    var limits: RetryStateMachine.Limits
    var isChanged = false
  }

  private let known: Locked<Known>
  // Asked by each call.
  private let needsStart: Atomic<Bool>

  /// Makes settings that were checked.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - backoff: The one in the code, which wins; nil where the settings say it.
  init(_ configuration: Retry.Configuration, _ backoff: Backoff?) {
    var configuration = configuration
    if let backoff { configuration.backoff = backoff.configuration ?? configuration.backoff }
    let limits = RetryStateMachine.Limits(
      configuration, backoff: backoff ?? Backoff(checked: configuration.backoff))
    known = Locked(Known(configuration: configuration, limits: limits))
    needsStart = Atomic(limits.maximumElapsed != nil)
  }

  /// Whether it matters when a call began.
  var isTimed: Bool { needsStart.load(ordering: .relaxed) }

  /// What a call keeps to from its first failure on.
  var limits: RetryStateMachine.Limits { known.withLock { $0.limits } }

  /// The settings, as they were given.
  var configuration: Retry.Configuration { known.withLock { $0.configuration } }

  /// Whether they are others than those it was made with.
  var wereChanged: Bool { known.withLock { $0.isChanged } }

  /// Goes on with settings that were checked.
  func update(_ configuration: Retry.Configuration) {
    known.withLock { known in
      if configuration != known.configuration { known.isChanged = true }
      // One that a function says has no settings, and stays until there are some.
      let isKept = configuration.backoff == known.configuration.backoff
      let backoff = isKept ? known.limits.backoff : Backoff(checked: configuration.backoff)
      known.limits = RetryStateMachine.Limits(configuration, backoff: backoff)
      known.configuration = configuration
      needsStart.store(configuration.maximumElapsed != nil, ordering: .relaxed)
    }
  }
}

extension RetryStateMachine.Limits {
  fileprivate init(_ configuration: Retry.Configuration, backoff: Backoff) {
    self.init(
      maximumAttempts: configuration.maximumAttempts, backoff: backoff,
      maximumServerDelay: configuration.maximumServerDelay.clamped,
      maximumElapsed: configuration.maximumElapsed?.clamped)
  }
}
