// SPDX-License-Identifier: Apache-2.0

/// The mailbox of one policy, for its events (P35).
///
/// It holds no more than there is room for, and says of how many events nobody was told.
struct EventMailbox: Sendable {
  /// How many events one caller tells at most, its own and those that others cause meanwhile.
  static let longestDelivery = 256
  /// How many events of single calls wait at most; of all others, twice as many.
  static let capacity = 10_000

  private var events = Mailbox<PolicyEvent>()
  private var dropped = 0

  /// Writes an event down, unless observers are so slow that too many wait.
  mutating func post(
    _ what: PolicyEvent.What, of policy: String, at reading: Duration, cause: AppError? = nil
  ) {
    guard events.count < (what.isOfOneCall ? Self.capacity : 2 * Self.capacity) else {
      dropped += 1
      return
    }
    events.post(PolicyEvent(policy: policy, what: what, reading: reading, cause: cause))
  }

  /// Whether the caller has to deliver what is in the mailbox, since nobody else does.
  mutating func beginDelivery() -> Bool { events.beginDelivery() }

  /// What is to be told next; the delivery is over when there is nothing.
  mutating func takeForDelivery() -> [PolicyEvent] {
    var taken = events.takeForDelivery()
    if dropped > 0, let last = taken.last {
      taken.append(
        PolicyEvent(
          policy: last.policy, what: .eventsDropped(count: dropped), reading: last.reading))
      dropped = 0
    }
    return taken
  }
}

extension PolicyEvent.What {
  /// Whether it is about one of many calls; what says in which state a policy is counts for more.
  fileprivate var isOfOneCall: Bool {
    switch self {
    case .rejected, .wouldHaveRejected, .waited, .staleResult, .cacheHit, .cacheMissed,
      .staleServed, .lateAnswerDropped:
      true
    default: false
    }
  }
}

extension PolicyAudience {
  /// Tells everything in a mailbox, outside of its lock.
  ///
  /// Where others cause events without end, a caller would never be done. So it tells as many as
  /// one has to, and a task of its own the rest.
  ///
  /// - Parameter take: Takes what is to be told next, under the lock.
  func deliver(_ take: @escaping @Sendable () -> [PolicyEvent]) {
    var left = EventMailbox.longestDelivery
    while true {
      let events = take()
      if events.isEmpty { return }
      for event in events.prefix(left) { tell(event) }
      guard events.count <= left else {
        let rest = Array(events.dropFirst(left))
        Task.detached { await deliver(rest, andThen: take) }
        return
      }
      left -= events.count
    }
  }

  private func deliver(_ first: [PolicyEvent], andThen take: () -> [PolicyEvent]) async {
    var events = first
    while !events.isEmpty {
      for (number, event) in events.enumerated() {
        tell(event)
        // Others need the thread as well.
        if (number + 1).isMultiple(of: EventMailbox.longestDelivery) { await Task.yield() }
      }
      await Task.yield()
      events = take()
    }
  }
}
