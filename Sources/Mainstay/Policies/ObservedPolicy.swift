// SPDX-License-Identifier: Apache-2.0

/// A policy whose events go through a mailbox under its lock.
///
/// What it tells is built only where somebody listens, written down under the lock and delivered
/// outside of it, in order (P35).
protocol ObservedPolicy: Sendable {
  var name: String { get }
  var timeline: Timeline { get }
  var audience: PolicyAudience { get }

  /// Reads and changes the mailbox under the lock of the policy.
  func withMailbox<T: Sendable>(_ body: @Sendable (inout EventMailbox) -> T) -> T
}

extension ObservedPolicy {
  /// Tells what happened just now.
  func tell(_ what: (Duration) -> PolicyEvent.What) {
    guard !audience.isEmpty else { return }
    let now = timeline.now
    let event = what(now)
    let delivers = withMailbox { mailbox in
      mailbox.post(event, of: name, at: now)
      return mailbox.beginDelivery()
    }
    if delivers { deliver() }
  }

  /// Tells everything in the mailbox; called by whoever was told to deliver.
  func deliver() { audience.deliver { withMailbox { $0.takeForDelivery() } } }

  /// Tells that a call is refused.
  ///
  /// - Returns: The refusal, to be thrown.
  func refuse(_ reason: Rejection.Reason, retryAfter: Duration? = nil) -> Rejection {
    let rejection = Rejection(policy: name, reason: reason, retryAfter: retryAfter)
    tell { _ in .rejected(rejection) }
    return rejection
  }
}
