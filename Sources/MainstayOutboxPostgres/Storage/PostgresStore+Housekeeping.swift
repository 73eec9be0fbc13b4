// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Logging
internal import Mainstay
public import MainstayOutbox

extension PostgresStore {
  /// How long a transaction may keep the server from clearing up before somebody is warned of it.
  package static let snapshotPatience = Duration.seconds(5)
  /// The longest time between two looks for one; with the patience it is less than ten seconds.
  package static let lookPause = Duration.seconds(4)

  /// Keeps order now and then, for all processes that use the tables: one of them does it at a
  /// time.
  ///
  /// It makes the tables of coming days, drops those of days that are over, and says within ten
  /// seconds what keeps the server from clearing up.
  func startHousekeeping() {
    let keeper = Task { [weak self] in
      let (timeline, chance) = (Timeline.live, Chance())
      var kept = timeline.now
      var warnings = SnapshotWarnings()
      while true {
        // Some chance, so that it is not the same process each time.
        let wait = Self.lookPause * (1 - chance.fraction() / 5)
        guard (try? await timeline.sleep(until: timeline.now + wait)) != nil else { return }
        guard let self else { return }
        if let holder = try? await snapshotHolder(), warnings.isNews(holder, at: timeline.now) {
          warn(of: holder)
        }
        guard timeline.now - kept > .seconds(10) else { continue }
        kept = timeline.now
        // mainstay:ignore MS203 -- it is done by another process, or the next time
        try? await keepHouse()
      }
    }
    let isWanted = state.withLock { state in
      guard !state.isClosed else { return false }
      state.keeper = keeper
      return true
    }
    if !isWanted { keeper.cancel() }
  }

  private func warn(of holder: String) {
    logger.warning(
      """
      Dead rows of the outbox cannot be cleared up: \(holder). End that transaction, or claims get \
      slower and slower.
      """, metadata: ["mainstay.store": "\(address)"])
  }

  /// Who keeps the server from clearing up, where no other process has just looked.
  ///
  /// - Parameter patience: How long somebody may do so.
  /// - Returns: Who does so for longer; nil for nobody.
  /// - Throws: `OutboxError`.
  package func snapshotHolder(
    patience: Duration = PostgresStore.snapshotPatience
  ) async throws -> String? {
    try await ask(
      "SELECT mainstay.snapshot_holder($1::bigint * interval '1 millisecond')",
      [.int(patience.milliseconds)]
    ).text(ifAny: 0)
  }

  /// Keeps order once, where no other process has just done so.
  ///
  /// - Throws: `OutboxError`.
  package func keepHouse() async throws {
    guard try await ask("SELECT mainstay.keep_house()").bool(0) else { return }
    // Each a transaction of its own: what is over must not undo what was made.
    let days: [PostgresValue] = [.int(Int64(historyDays))]
    while try await ask("SELECT mainstay.forget_days($1::integer)", days).bool(0) {
      if Task.isCancelled { return }
    }
  }

  /// Limits a kind on all machines together, from the next claim on; without a limit it is lifted.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - concurrency: How many run at once at most, 1 or more; nil, the default, for any number.
  ///   - perSecond: How many begin in a second on the long run, more than 0; nil, the default, for
  ///     any number.
  ///   - burst: How many may begin at once after a rest, 1 or more; the default is 1.
  /// - Throws: `OutboxError`.
  public func limit(
    _ kind: OperationKind, concurrency: Int? = nil, perSecond: Double? = nil, burst: Int = 1
  ) async throws {
    precondition(
      concurrency.map { (1...1_000_000).contains($0) } ?? true,
      "concurrency \(concurrency ?? 0) is not legal: 1 to 1,000,000, or nil")
    precondition(
      perSecond.map { $0 > 0 && $0.isFinite } ?? true,
      "perSecond \(perSecond ?? 0) is not legal: more than 0, or nil")
    precondition((1...1_000_000).contains(burst), "burst \(burst) is not legal: 1 to 1,000,000")
    _ = try await call(
      "SELECT mainstay.set_limit($1, $2::integer, $3::double precision, $4::double precision)",
      [
        .text(kind.rawValue), .int(concurrency.map(Int64.init)),
        perSecond.map { .double($0) } ?? .null, perSecond == nil ? .null : .double(Double(burst)),
      ])
    announce()
  }
}
