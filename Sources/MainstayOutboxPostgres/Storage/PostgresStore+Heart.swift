// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayOutbox

extension PostgresStore {
  /// Renews the leases of this process, on a connection of its own: work that keeps the others busy
  /// must not cost them.
  func startHeart() {
    let heart = Task { [weak self, address, settings, lease] in
      let pool = Self.pool(address, 1, settings)
      let timeline = Timeline.live
      var wait = lease / 3
      while (try? await timeline.sleep(until: timeline.now + wait)) != nil {
        guard let self else { break }
        // Where the server cannot be reached it is tried again soon: the lease still lasts.
        wait = await beat(pool) ? lease / 3 : min(lease / 6, .seconds(1))
      }
      await pool.close()
    }
    let guardian = Task { [weak self] in
      let timeline = Timeline.live
      while let end = self?.endOfTrust {
        guard (try? await timeline.sleep(until: end)) != nil else { return }
        self?.giveUpLeases(at: timeline.now)
      }
    }
    let isWanted = state.withLock { state in
      guard !state.isClosed else { return false }
      (state.heart, state.guardian) = (heart, guardian)
      return true
    }
    if !isWanted {
      heart.cancel()
      guardian.cancel()
    }
  }

  /// - Returns: False where the server could not be told.
  private func beat(_ pool: PostgresPool) async -> Bool {
    do {
      let owner = try owner
      if state.withLock({ $0.owner == owner && $0.areLeasesLost }) {
        try await enterAgain(instead: owner)
        return true
      }
      let start = Timeline.live.now
      let sql = sql("SELECT mainstay.beat($1, $2)")
      let values: [PostgresValue] = [.int(owner), .int(lease.milliseconds)]
      let rows = try await pool.read { try await $0.query(sql, values) }
      if try rows.first?.bool(0) == true {
        renewed(owner, at: start)
      } else {
        try await enterAgain(instead: owner)
      }
      return true
      // mainstay:ignore MS202 -- it is tried again soon, and calls say what is wrong
    } catch {
      return false
    }
  }

  private var trust: LeaseTrust { LeaseTrust(lease: lease) }

  /// When the work is cancelled unless the leases are renewed before; nil once it is closed.
  ///
  /// Where they are lost already, it is looked at again before others may be over.
  private var endOfTrust: Duration? {
    state.withLock { state in
      guard state.owner != nil, !state.isClosed else { return nil }
      return state.areLeasesLost
        ? trust.look(lostAt: Timeline.live.now) : trust.end(renewedAt: state.renewedAt)
    }
  }

  /// The leases of an owner count anew from a moment before the server was asked.
  private func renewed(_ owner: Int64, at moment: Duration) {
    state.withLock { state in
      guard state.owner == owner, !state.areLeasesLost else { return }
      state.renewedAt = max(state.renewedAt, moment)
    }
  }

  /// Stops the work where its leases were not renewed in time.
  ///
  /// It is final, also where the server can be reached again a moment later: the work is cancelled,
  /// so nobody would end what it has leased. Others take that back when the lease is over.
  private func giveUpLeases(at now: Duration) {
    let areLost = state.withLock { state in
      guard !state.areLeasesLost, trust.end(renewedAt: state.renewedAt) <= now else { return false }
      state.areLeasesLost = true
      return true
    }
    if areLost { leaseLosses.continuation.yield() }
  }

  /// Calls back each time that what is leased may not go on.
  package func watchLeases(_ lost: @escaping @Sendable () async -> Void) async {
    for await _ in leaseLosses.stream { await lost() }
  }
}
