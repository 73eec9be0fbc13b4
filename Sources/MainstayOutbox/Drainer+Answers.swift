// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

// What a drainer is asked.
extension Drainer {
  /// How many may begin at a moment.
  func places(at now: Duration) -> DrainPlaces {
    let lasting = pace.isForYoung ? working.count { now - $0.began >= Pace.young } : 0
    return DrainPlaces(
      limit: pace.limit, leased: running.count, settling: settling.count, lasting: lasting,
      maximum: pace.maximum)
  }

  /// When a run that began not long before a moment counts no more, so that others may begin
  /// beside it; nil where nothing changes with time.
  func nextPlace(after time: Duration) -> Duration? {
    guard pace.isForYoung else { return nil }
    return working.map { $0.began + Pace.young }.filter { $0 > time }.min()
  }

  private typealias Pace = DrainPaceStateMachine

  /// What runs, without what has ended well and is on its way to the store.
  private var working: [Run] { running.filter { !settling.contains($0.key) }.map(\.value) }

  /// What may begin now, as far as operations matter that lost their last run.
  var suspectsTurn: SuspectsStateMachine.Turn {
    suspects.turn(besides: starts, at: settings.timeline.now)
  }

  /// What keeps an operation from running that nothing in the store keeps from it.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - stored: What keeps it from running by the store.
  /// - Returns: What else does.
  func obstacles(_ operation: StoredOperation, besides stored: [Obstacle]) -> [Obstacle] {
    followSettings()
    var found = operation.constraints.intersection(unmet).sorted { $0.rawValue < $1.rawValue }
      .map(Obstacle.constraint)
    let isReady = operation.isWaitingForClaim
    if isReady, workers[operation.type] == nil { found.append(.noWorker(operation.type)) }
    if isPaused, operation.state != .leased { found.append(.paused) }
    if isOutdated, operation.state != .leased { found.append(.newerFormat) }
    guard isReady else { return found }
    if suspectsTurn == .nothing {
      // One that has not begun yet is told by the store, unless it is held back since it was asked.
      let alone =
        running.first { $1.operation.lostRuns > 0 } ?? (stored.isEmpty ? running.first : nil)
      if let alone { found.append(.letsPass(alone.key.id)) }
    }
    let limit = maximumConcurrency(of: operation.type)
    if let limit, working(operation.type) >= limit { found.append(.typeIsBusy(limit)) }
    if let open = workers[operation.type]?.gates.circuit?.obstacle { found.append(open) }
    if probesLeft(of: operation.type) == 0 { found.append(.circuitIsProbed) }
    let now = settings.timeline.now
    if let end = usedUp.end(of: operation.type, at: now) {
      found.append(.rateLimited(max(end - now, .zero)))
    }
    let places = places
    if places.free == 0 { found.append(.outboxIsBusy(places.most)) }
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
