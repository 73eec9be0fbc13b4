// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Logging
internal import Mainstay
internal import MainstayOutbox

// What goes on beside the requests.
extension PostgresIdempotencyStore {
  /// Renews the leases of what this process handles, and forgets what is over.
  func startKeeper() {
    let mustStart = state.withLock { $0.keeper == nil && !$0.isClosed }
    guard mustStart else { return }
    let keeper = Task { [weak self, lease] in
      let (timeline, chance) = (Timeline.live, Chance())
      var wait = lease / 3
      var tidied = timeline.now
      while (try? await timeline.sleep(until: timeline.now + wait)) != nil {
        guard let self else { return }
        // Where the server cannot be reached it is tried again soon: the lease still lasts.
        wait = await renew() ? lease / 3 : min(lease / 6, .seconds(1))
        guard timeline.now - tidied >= .seconds(10) * (1 + chance.fraction() / 4) else { continue }
        tidied = timeline.now
        // What is over is not told to anybody, and goes the next time.
        _ = try? await tidy()
      }
    }
    let isWanted = state.withLock { state in
      guard state.keeper == nil, !state.isClosed else { return false }
      state.keeper = keeper
      return true
    }
    if !isWanted { keeper.cancel() }
  }

  /// Says that this process is alive.
  ///
  /// - Returns: False where the server could not be told.
  package func renew() async -> Bool {
    let now = Timeline.live.now
    let held = state.withLock { $0.held.renewals(at: now) }
    guard !held.isEmpty else { return true }
    do {
      let rows = try await ask(
        "SELECT mainstay.renew_requests($1::bytea[], $2::bigint[], $3::bigint)",
        [
          .bytesArray(held.map(\.key)), .ints(held.map { Int64(clamping: $0.claim) }),
          .int(lease.milliseconds),
        ], by: keepingPool)
      let renewed = Set(try rows.map { UInt64(clamping: try $0.int(0)) })
      // They have ended meanwhile, or are somebody else's: there is nothing left to be told.
      state.withLock { state in
        for (claim, _) in held where !renewed.contains(claim) { state.held.drop(claim) }
      }
      return true
      // mainstay:ignore MS202 -- it is tried again soon, and calls say what is wrong
    } catch {
      return false
    }
  }

  /// Forgets what is over, where no other process has just done so.
  ///
  /// - Returns: How many requests were forgotten.
  package func tidy() async throws -> Int {
    let rows = try await ask(
      "SELECT mainstay.tidy_requests($1::bigint)", [.int(lease.milliseconds)])
    return Int(try rows.first?.int(0) ?? 0)
  }

  /// How many requests this process holds.
  package var heldCount: Int { state.withLock { $0.held.count } }

  /// Notes what the database could not be told, and tries to tell it until it can.
  func owe(_ claim: UInt64, _ key: Data, _ ending: HeldRequestsStateMachine.Ending) {
    let now = Timeline.live.now
    let mustStart = state.withLock { state in
      state.held.owe(claim, key, ending, at: now)
      return state.teller == nil && !state.isClosed
    }
    guard mustStart else { return }
    let teller = Task { [weak self, lease] in
      let (timeline, chance) = (Timeline.live, Chance())
      // Soon enough that a server which is back hears of it before a lease is over.
      let pace = Backoff.exponential(
        from: .milliseconds(100), to: min(lease / 6, .seconds(5)), jitter: .equal)
      var failures = 1
      while true {
        let wait = pace.delay(attempt: failures, fraction: chance.fraction())
        guard (try? await timeline.sleep(until: timeline.now + wait)) != nil else { return }
        guard let self else { return }
        failures = await tellOwed() ? 1 : failures + 1
        if isDone() { return }
      }
    }
    let isWanted = state.withLock { state in
      guard state.teller == nil, !state.isClosed else { return false }
      state.teller = teller
      return true
    }
    if !isWanted { teller.cancel() }
  }

  /// Whether nothing is owed any more; whoever owes something after that starts anew.
  private func isDone() -> Bool {
    state.withLock { state in
      if !state.held.owes { state.teller = nil }
      return state.teller == nil
    }
  }

  /// - Returns: False where the server could not be told of one of them.
  private func tellOwed() async -> Bool {
    var isTold = true
    for owed in state.withLock({ $0.held.owed(atMost: 100) }) {
      do {
        try await tell(owed.claim, owed.key, owed.ending, by: keepingPool)
        state.withLock { $0.held.drop(owed.claim) }
        // It is tried again soon, and its caller has heard of it.
      } catch {
        isTold = false
        // What the server refuses must not keep it from hearing of the others.
        guard let error = error as? PostgresError, error.kind == .statement else { break }
      }
    }
    return isTold
  }
}
