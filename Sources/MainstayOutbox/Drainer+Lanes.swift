// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

// Lanes that wait for a person.
extension Drainer {
  /// What is to be done with the store about them.
  struct LaneWork {
    /// Whether to look which are closed.
    var mustFind = true
    /// When it was looked for them last; nil before the first time.
    var foundAt: Duration?
    /// Whether somebody has signed in, so that all of them go on.
    var mustOpen = false
    /// Those that were closed again while somebody signed in.
    var reopened: Set<Lane> = []
    /// How often somebody has signed in, or resumed one.
    var signIns = 0
  }

  /// Somebody has signed in, or done what else the runs of a lane may have asked for.
  func signedIn(in lane: Lane) {
    laneWork.signIns += 1
    for (lease, run) in running where run.operation.lane == lane {
      running[lease]?.isOfBefore = true
    }
  }

  /// Somebody has signed in: the runs of no lane say anything about that any more.
  func signedIn() {
    laneWork.signIns += 1
    for lease in running.keys { running[lease]?.isOfBefore = true }
  }

  /// Goes on with all lanes that wait for a person, since somebody has signed in.
  func openLanes() {
    signedIn()
    laneWork.mustOpen = true
    wake()
  }

  /// A lane has been opened in the store.
  ///
  /// It may have been closed again since the store was asked, so that is looked for.
  func laneOpened(_ lane: Lane) {
    if trials.opened(lane) { settings.lanes.opened(lane) }
    laneWork.mustFind = true
    wake()
  }

  /// Does what is to be done with the store.
  func workOnLanes() async throws {
    if laneWork.mustOpen, !isSuspended {
      laneWork.mustOpen = false
      // Read before the store is asked: one that is closed meanwhile was not opened.
      let waiting = trials.lanes
      do {
        try await store.reopenAll(closedFor: .needsUser)
      } catch {
        laneWork.mustOpen = true
        throw error
      }
      for lane in waiting { laneOpened(lane) }
    }
    while let lane = laneWork.reopened.first, !isSuspended {
      try await store.reopen(lane, closedFor: .needsUser)
      laneWork.reopened.remove(lane)
    }
    if !isSuspended, !isPaused, !workers.isEmpty { try await findLanes() }
  }

  /// Looks which lanes wait for a person: at the start, after some have been opened, and now and
  /// then, since another process may have closed one and be gone.
  ///
  /// Those of the start are tried at once; for others somebody has just been refused.
  private func findLanes() async throws {
    let (now, before) = (settings.timeline.now, laneWork.foundAt)
    let isTime = before.map { now - $0 >= LaneTrialStateMachine.shortest } ?? true
    guard laneWork.mustFind || isTime else { return }
    laneWork.mustFind = false
    do {
      let found = try await store.lanes(closedFor: .needsUser)
      laneWork.foundAt = now
      let first = before == nil ? now : now + LaneTrialStateMachine.shortest
      for lane in found { trials.found(lane, at: first) }
    } catch {
      laneWork.mustFind = true
      throw error
    }
  }

  /// Leases what may begin, of a lane that is tried as well.
  ///
  /// - Parameters:
  ///   - request: What may begin.
  ///   - tried: The lanes that are tried.
  /// - Returns: What was leased; of a lane that is tried it may be more than one.
  /// - Throws: What the store throws.
  func claim(_ request: ClaimRequest, trying tried: Set<Lane>) async throws -> Claim {
    guard !tried.isEmpty else { return try await store.claim(request) }
    if store is any LaneTryingStore {
      var request = request
      request.tried = tried
      return try await store.claim(request)
    }
    // Somebody else may have opened one, and it must not be closed again.
    let closed = Set(try await store.lanes(closedFor: .needsUser))
    for lane in tried where !closed.contains(lane) { laneOpened(lane) }
    return try await claim(request, opening: tried.intersection(closed))
  }

  /// Other stores know nothing of that, so such a lane is open as long as the claim takes.
  private func claim(_ request: ClaimRequest, opening tried: Set<Lane>) async throws -> Claim {
    let signIns = laneWork.signIns
    for lane in tried { try await store.reopen(lane, closedFor: .needsUser) }
    let claim: Claim
    do {
      claim = try await store.claim(request)
    } catch {
      await closeAgain(tried, since: signIns)
      throw error
    }
    await closeAgain(tried, since: signIns)
    let found = Set(claim.operations.map(\.operation.lane))
    let now = settings.timeline.now
    for lane in tried where !found.contains(lane) { trials.foundNothing(in: lane, at: now) }
    return claim
  }

  private func closeAgain(_ lanes: Set<Lane>, since signIns: Int) async {
    for lane in lanes where laneWork.signIns == signIns {
      do {
        try await store.close(lane, LaneClosure(.needsUser))
        // One that stays open is closed by its next refusal.
      } catch {
        continue
      }
    }
    // Somebody may have opened them while that was on its way.
    guard laneWork.signIns != signIns else { return }
    laneWork.reopened.formUnion(lanes)
    wake()
  }

  /// What the store gave out says which lanes wait for nobody any more: another process, or the
  /// program `mainstay`, may have opened one.
  ///
  /// - Parameters:
  ///   - claim: What was leased.
  ///   - closed: The lanes that were believed closed when the store was asked, without those that
  ///     are tried: of them the store gives out one in any case.
  func claimed(_ claim: Claim, in closed: Set<Lane>) {
    guard !closed.isEmpty else { return }
    for lane in Set(claim.operations.map(\.operation.lane)).intersection(closed) {
      laneOpened(lane)
    }
  }

  /// Whether something is leased of a lane that another operation tries out; if none does, this one
  /// does from now on.
  func isSurplus(_ leased: LeasedOperation, trying tried: Set<Lane>, at now: Duration) -> Bool {
    let lane = leased.operation.lane
    // Somebody may have opened it meanwhile.
    guard tried.contains(lane), trials.lanes.contains(lane) else { return false }
    return !trials.begins(leased.lease, in: lane, at: now)
  }

  /// A run has ended that says something about its lane.
  func laneEnded(_ operation: StoredOperation, _ lease: Lease, _ end: WorkerRun.Ended) {
    let lane = operation.lane
    guard trials.ended(lease, in: lane, end.lane, at: settings.timeline.now) else { return }
    switch end.lane {
    case .refused: settings.lanes.closed(lane, by: operation.type.kind, end.error)
    case .opened: settings.lanes.opened(lane)
    case .neutral: break
    }
  }
}

extension WorkerRun {
  /// The end is not recorded, and nobody asks any more.
  func gaveUp() -> LaneTrialStateMachine.End {
    settings.storage.gaveUp(.run(leased.lease))
    return .neutral
  }
}
