// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Logging
internal import Mainstay
public import MainstayOutbox

extension PostgresStore {
  /// Keeps order now and then, for all processes that use the tables: one of them does it at a
  /// time.
  ///
  /// It makes the tables of coming days, drops those of days that are over, and says what keeps the
  /// server from clearing up.
  func startHousekeeping() {
    let keeper = Task { [weak self] in
      let (timeline, chance) = (Timeline.live, Chance())
      var warned: Duration?
      while true {
        do {
          // Some chance, so that it is not the same process each time.
          let wait = Duration.seconds(10) * (1 + chance.fraction() / 4)
          try await timeline.sleep(until: timeline.now + wait)
        } catch { return }
        guard let self else { return }
        let isRested = warned.map { timeline.now - $0 > .seconds(300) } ?? true
        guard let holder = try? await keepHouse(), isRested else { continue }
        warned = timeline.now
        logger.warning(
          """
          Dead rows of the outbox cannot be cleared up: \(holder). End that transaction, or claims \
          get slower and slower.
          """, metadata: ["mainstay.store": "\(address)"])
      }
    }
    let isWanted = state.withLock { state in
      guard !state.isClosed else { return false }
      state.keeper = keeper
      return true
    }
    if !isWanted { keeper.cancel() }
  }

  /// Keeps order once, where no other process has just done so.
  ///
  /// - Parameter patience: How long somebody may keep the server from clearing up.
  /// - Returns: Who does so for longer; nil for nobody.
  /// - Throws: `OutboxError`.
  package func keepHouse(patience: Duration = .seconds(60)) async throws -> String? {
    try await ask(
      "SELECT mainstay.keep_house($1::integer, $2::bigint * interval '1 millisecond')",
      [.int(Int64(historyDays)), .int(patience.milliseconds)]
    ).text(ifAny: 0)
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
