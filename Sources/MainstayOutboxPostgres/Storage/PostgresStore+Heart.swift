// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayOutbox

extension PostgresStore {
  /// Renews the leases of this process, on a connection of its own: work that keeps the others busy
  /// must not cost them.
  func startHeart() {
    let heart = Task { [weak self, address, isPooled, lease] in
      let pool = Self.pool(address, 1, isPooled)
      let timeline = Timeline.live
      var wait = lease / 3
      while (try? await timeline.sleep(until: timeline.now + wait)) != nil {
        guard let self else { break }
        // Where the server cannot be reached it is tried again soon: the lease still lasts.
        wait = await beat(pool) ? lease / 3 : min(lease / 6, .seconds(1))
      }
      await pool.close()
    }
    let isWanted = state.withLock { state in
      guard !state.isClosed else { return false }
      state.heart = heart
      return true
    }
    if !isWanted { heart.cancel() }
  }

  /// - Returns: False where the server could not be told.
  private func beat(_ pool: PostgresPool) async -> Bool {
    do {
      let sql = sql("SELECT mainstay.beat($1, $2)")
      let values: [PostgresValue] = [.int(try owner), .int(lease.milliseconds)]
      let rows = try await pool.read { try await $0.query(sql, values) }
      if try rows.first?.bool(0) == false { try await enterAgain() }
      return true
      // mainstay:ignore MS202 -- it is tried again soon, and calls say what is wrong
    } catch {
      return false
    }
  }
}
