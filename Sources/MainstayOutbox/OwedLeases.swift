// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// Gives leases back whose runs were given up on, until the store takes them: nobody else would, as
/// long as this process lives.
///
/// Nothing waits for that. A store may refuse one lease for long and take all others, such as that
/// of a row which a transaction of somebody else holds.
actor OwedLeases {
  private let store: any OutboxStore
  private let timeline: Timeline
  private let observer: (any OutboxObserver)?
  private let storage: StorageReports
  /// Says that something can be claimed again.
  private let givenBack: @Sendable () -> Void
  private let signal = WakeSignal()
  /// What the store would not take.
  private var owed: [(lease: Lease, operation: StoredOperation)] = []
  private var work: Task<Void, Never>?
  private var isEnding = false

  init(
    store: any OutboxStore, timeline: Timeline, observer: (any OutboxObserver)?,
    storage: StorageReports, givenBack: @escaping @Sendable () -> Void
  ) {
    self.store = store
    self.timeline = timeline
    self.observer = observer
    self.storage = storage
    self.givenBack = givenBack
  }

  /// Gives a lease back, and returns after the first attempt.
  func giveBack(_ lease: Lease, of operation: StoredOperation) async {
    do {
      try await settle(lease, operation)
    } catch {
      owed.append((lease, operation))
      tell(error)
      guard work == nil else {
        signal.set()
        return
      }
      // Somebody may suspend an app within a deadline, which says nothing about what is owed.
      work = RetryScope.outlivingCaller { Task { await payBack() } }
    }
  }

  /// Tries nothing any more; what is still owed is given back by the store.
  func end() async {
    isEnding = true
    signal.set()
    await work?.value
  }

  private func payBack() async {
    var failures = 0
    while !owed.isEmpty, !isEnding {
      guard let failure = await tryAll() else { continue }
      failures = OutboxError(failure).failures(after: failures)
      // Read before anybody is told: whoever hears of it may take time, or move a test's clock.
      let end = timeline.now + .milliseconds(500 << failures)
      tell(failure)
      await signal.wait(until: end, on: timeline)
    }
    if owed.isEmpty { storage.worked(.owed) } else { storage.gaveUp(.owed) }
    work = nil
  }

  /// Offers each of them once.
  ///
  /// - Returns: The first error; nil where the store took all.
  private func tryAll() async -> (any Error)? {
    let offered = owed
    owed = []
    var failure: (any Error)?
    for (lease, operation) in offered {
      do {
        try await settle(lease, operation)
      } catch {
        owed.append((lease, operation))
        failure = failure ?? error
      }
    }
    return failure
  }

  /// The run may still have its effect, so it counts as lost on its way.
  private func settle(_ lease: Lease, _ operation: StoredOperation) async throws {
    let verdict = OperationVerdict(
      .ready, attempts: operation.attempts, unreachable: operation.unreachable,
      effect: .sentUnknown)
    guard try await store.settle(lease, verdict) else { return }
    observer?.observe(OutboxEvent(.released, operation))
    givenBack()
  }

  private nonisolated func tell(_ error: any Error) {
    let error = OutboxError(error)
    storage.failed(.owed, error)
    observer?.observe(OutboxEvent(.storageFailed(error)))
  }
}

extension LeasedOperation {
  /// Gives it back as if it had never been leased.
  ///
  /// - Returns: False where the store failed, and the lease is still held.
  func giveBack(to store: any OutboxStore) async -> Bool {
    let machine = OperationStateMachine(operation, rules: OperationStateMachine.Rules())
    return (try? await store.settle(lease, machine.notBegun())) != nil
  }
}
