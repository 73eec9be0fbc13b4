// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

// What a drainer is asked.
extension Drainer {
  /// What may begin now, as far as operations matter that lost their last run.
  var suspectsTurn: SuspectsStateMachine.Turn {
    suspects.turn(besides: starts, at: settings.timeline.now)
  }

  /// What keeps an operation from running that nothing in the store keeps from it.
  func obstacles(_ operation: StoredOperation) -> [Obstacle] {
    followSettings()
    var found = operation.constraints.intersection(unmet).sorted { $0.rawValue < $1.rawValue }
      .map(Obstacle.constraint)
    let isReady = operation.isWaitingForClaim
    if isReady, workers[operation.type] == nil { found.append(.noWorker(operation.type)) }
    if isPaused, operation.state != .leased { found.append(.paused) }
    if isOutdated, operation.state != .leased { found.append(.newerFormat) }
    guard isReady else { return found }
    // One that has not begun yet is told by the store.
    if suspectsTurn == .nothing, let alone = running.first(where: { $1.operation.lostRuns > 0 }) {
      found.append(.letsPass(alone.key.id))
    }
    let limit = maximumConcurrency(of: operation.type)
    if let limit, working(operation.type) >= limit { found.append(.typeIsBusy(limit)) }
    if let open = workers[operation.type]?.gates.circuit?.obstacle { found.append(open) }
    if probesLeft(of: operation.type) == 0 { found.append(.circuitIsProbed) }
    let now = settings.timeline.now
    if let end = usedUp.end(of: operation.type, at: now) {
      found.append(.rateLimited(max(end - now, .zero)))
    }
    if places.free == 0 { found.append(.outboxIsBusy(pace.limit)) }
    return found
  }

  /// Adds to a snapshot how long it takes to work off what can be worked off.
  func estimated(_ snapshot: OutboxSnapshot) -> OutboxSnapshot {
    var snapshot = snapshot
    let moving = snapshot.ready + snapshot.running
    let following = min(snapshot.following ?? .max, snapshot.blocked)
    snapshot.following = nil
    let count = moving > 0 ? moving + following : 0
    snapshot.estimate = rate.estimate(count, at: settings.timeline.now)
    return snapshot
  }
}
