// SPDX-License-Identifier: Apache-2.0

/// The events of one policy: written down under its lock, told outside of it by one caller at a
/// time, in order (P35).
///
/// It lies inside the locked state of its policy. What an observer causes while it is being told
/// is added to the mailbox and told later, by the same caller.
struct EventMailbox: Sendable {
  private var events: [PolicyEvent] = []
  private var isDelivering = false

  /// Writes an event down.
  mutating func post(_ what: PolicyEvent.What, of policy: String, at reading: Duration) {
    events.append(PolicyEvent(policy: policy, what: what, reading: reading))
  }

  /// Whether the caller has to deliver what is in the mailbox, since nobody else does.
  mutating func beginDelivery() -> Bool {
    guard !events.isEmpty, !isDelivering else { return false }
    isDelivering = true
    return true
  }

  /// What is to be told next; the delivery is over when there is nothing.
  mutating func takeForDelivery() -> [PolicyEvent] {
    let taken = events
    events = []
    isDelivering = !taken.isEmpty
    return taken
  }
}

extension PolicyAudience {
  /// Tells everything in a mailbox, outside of its lock.
  ///
  /// - Parameter take: Takes what is to be told next, under the lock.
  func deliver(_ take: () -> [PolicyEvent]) {
    while true {
      let events = take()
      if events.isEmpty { return }
      for event in events { tell(event) }
    }
  }
}
