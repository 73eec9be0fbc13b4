// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import Mainstay

extension OutboxError {
  /// As how many failures this one counts for the wait after it: half a second, doubled for each.
  ///
  /// A newer format does not go away by itself, so the longest wait comes at once.
  ///
  /// - Parameter count: How many came before it.
  /// - Returns: Up to 6.
  func failures(after count: Int) -> Int { code == .newerFormat ? 6 : min(count + 1, 6) }
}

/// What a drainer works with.
extension Drainer {
  struct Settings: Sendable {
    var live: SettingsInForce
    var timeline: Timeline
    var mapping: ErrorMapping?
    var observer: (any OutboxObserver)?
    var chance: Chance
    var probe: DurabilityProbe?
    var budget: RetryBudget?
    var connectivity: ConnectivityMonitor?
    var changed: @Sendable () -> Void
    var vault: Vault
    /// What runs say of how far they are.
    var progress: ProgressBoard
    /// Told when what a run says of an operation has changed; nil when one has begun or ended.
    var report: @Sendable (OperationID, OperationProgress?) -> Void
    var logger: Logger
    /// Told when the store fails, and when it works again.
    var storage: StorageReports
    /// Told of lanes that wait for a person.
    var lanes: LaneReports
    /// Told of runs that fail for want of the service.
    var stalls: StallReports
    /// Told what is parked.
    var parked: ParkedReports
    /// Makes the limit of one attempt, by the clock of the outbox.
    var limit: @Sendable (Duration) -> Timeout
    let unclassified = ClassificationGap.Told()
    let granted = GrantedTime()
    let networkKinds = NetworkKinds()
  }

  /// Says what is read here although nothing is claimed yet: others would set it aside.
  func attend() async throws {
    guard isPaused, !isKnown, !isSuspended, !workers.isEmpty else { return }
    try await store.attend(to: Set(workers.keys))
    isKnown = true
  }

  /// Runs something that takes a time at most, which those that run meanwhile can see.
  nonisolated func granting<T>(_ time: Duration, _ body: () async throws -> T) async rethrows -> T {
    let number = settings.granted.drainBegan(until: settings.timeline.now + time.clamped)
    defer { settings.granted.drainEnded(number) }
    return try await body()
  }
}
