// SPDX-License-Identifier: Apache-2.0

package import Mainstay
package import MainstayOutbox

extension Inventory {
  /// What an inventory can be told beside its two places; the defaults are for `make run`.
  package struct Settings: Sendable {
    /// How queued operations wait after a failure.
    package var backoff = Backoff.exponential(from: .milliseconds(500), to: .seconds(30))
    /// After how many counted failures an operation is given up; 1 or more.
    package var maximumAttempts = 25
    /// How many operations run at once; 1 or more.
    package var maximumConcurrency = 4
    /// How long the service may still be at work on a request whose connection is gone.
    ///
    /// Before that time, "not applied" is not believed; more than zero where the service may be
    /// slow.
    package var settleTime = Duration.seconds(2)
    /// The clock by which that time is measured, and the day after which old answers are looked
    /// for.
    package var clock: any Clock<Duration> = ContinuousClock()
    /// How often changes of others are asked for; nil for never.
    package var pullInterval: Duration? = .seconds(5)
    /// How long after one document about how everything stands the next is told at the earliest;
    /// zero or more.
    package var statusInterval = Duration.milliseconds(100)
    /// How long a level stays at least; more than zero.
    package var levelDwell = Duration.seconds(5)
    /// How long more has to be possible before a higher level is offered; zero or more.
    package var levelRiseDelay = Duration.seconds(3)
    /// Reads how much memory is left; nil for nobody.
    package var health: SystemHealth.Reader? = SystemHealth.Reader()
    /// How long a part of the diagnostics may take; more than zero.
    ///
    /// Whoever asks for them would rather wait than miss it.
    package var diagnosticsLimit = Duration.seconds(30)
    /// Limits and waits of single requests.
    package var client = UpstreamClient.Settings()
    /// Who else is told about the events of the outbox.
    package var observer: (any OutboxObserver)?
    /// Called between two durable steps; what it throws stands for a process that dies there.
    package var probe: (@Sendable (InterruptionPoint) throws -> Void)?

    package init() {}
  }
}

/// A place between two durable steps of a write, where a process may die.
package enum InterruptionPoint: Sendable, CaseIterable {
  /// The item and its intent are on the disk; the outbox knows nothing.
  case afterCommit
  /// The outbox has the operation; the intent is not cleared.
  case afterEnqueue
  /// The service applied it; the item does not know.
  case afterEffect
  /// The item knows; the outbox does not.
  case afterAcknowledgement
}
