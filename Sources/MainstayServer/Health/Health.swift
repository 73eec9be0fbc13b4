// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Mainstay

/// Whether a process lives and whether it can serve, for whoever starts it and sends it requests.
///
/// It is ready while it is not stopping, all checks that it needs succeed, and the feature level is
/// `minimal` or better. The checks run at once, each within its time, and what they say holds for a
/// moment, however many ask. A check that does not heed its time has failed, and is not begun anew
/// before it has ended.
public final class Health: Sendable {
  /// One thing that is looked at.
  public struct Check: Sendable {
    /// Its name, which the answer may show.
    public let name: String
    /// Whether the process cannot serve without it.
    public let isNeeded: Bool
    /// How long it may take; what takes longer has failed.
    public let limit: Duration
    fileprivate let look: @Sendable () async throws -> Void

    /// Makes a check.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - isNeeded: Whether the process cannot serve without it; the default is true.
    ///   - limit: How long it may take; more than zero, the default is 2 seconds.
    ///   - look: Looks, and throws where it is not well.
    public init(
      _ name: String, isNeeded: Bool = true, limit: Duration = .seconds(2),
      look: @escaping @Sendable () async throws -> Void
    ) {
      precondition(limit > .zero, "Health.Check(limit): it must be more than zero")
      self.name = name
      self.isNeeded = isNeeded
      self.limit = limit
      self.look = look
    }
  }

  /// What was found.
  public struct Report: Sendable, Hashable, Codable {
    /// What a check said.
    public struct Finding: Sendable, Hashable, Codable {
      /// The name of the check.
      public let name: String
      /// Whether it succeeded.
      public let isWell: Bool
      /// What is wrong, by its code; nil where nothing is.
      public let code: String?
    }

    /// Whether requests should come.
    public let isReady: Bool
    /// Whether the process is about to end.
    public let isStopping: Bool
    /// How much of the service works; nil where nobody knows.
    public let level: FeatureLevel?
    /// What the checks said, in their order.
    public let findings: [Finding]
  }

  private struct State {
    var isStopping = false
    var last: (report: Report, at: Duration)?
  }

  /// A check, which is not begun anew while a run of it does not end.
  private struct Watched: Sendable {
    let check: Check
    let limit: Timeout.Abandoning
  }

  private let checks: [Watched]
  private let controller: DegradationController?
  private let unready: Set<FeatureLevel>
  private let lasting: Duration
  private let now: @Sendable () -> Duration
  private let state = Locked(State())
  private let together: Coalesce<Int>

  /// Makes the health of a process.
  ///
  /// - Parameters:
  ///   - checks: What is looked at; the default is nothing.
  ///   - level: What knows how much of the service works; the default is nothing.
  ///   - unreadyLevels: At which levels no requests should come; by default at `offline`. A service
  ///     that serves without what it calls gives none.
  ///   - lasting: For how long findings hold; zero or more, the default is a second.
  ///   - clock: What tells the time.
  public init<C: Clock<Duration>>(
    _ checks: [Check] = [], level: DegradationController? = nil,
    unreadyAt unreadyLevels: Set<FeatureLevel> = [.offline], lasting: Duration = .seconds(1),
    clock: C = ContinuousClock()
  ) {
    self.checks = checks.map { check in
      let limit = Timeout.Abandoning(
        check.limit, disposition: .transient(), name: "health.\(check.name)", clock: clock)
      return Watched(check: check, limit: limit)
    }
    controller = level
    unready = unreadyLevels
    self.lasting = lasting
    let start = clock.now
    now = { start.duration(to: clock.now) }
    together = Coalesce("health", clock: clock)
  }

  /// Says that the process is about to end: it is not ready any more, and still alive.
  public func stop() { state.withLock { $0.isStopping = true } }

  /// Whether the process can serve.
  public func report() async -> Report {
    let now = now()
    let known = state.withLock { state in
      state.last.flatMap { !state.isStopping && now - $0.at < lasting ? $0.report : nil }
    }
    if let known { return known }
    // It fails for whoever was cancelled alone, and says nothing then.
    let findings = try? await together.run(0) { [self] in
      // Its own task, since a run that was cut short would count as one that does not end.
      await Task { await look() }.value
    }
    return state.withLock { state in
      let level = controller?.status.level
      let failed = zip(checks, findings ?? []).contains { $0.check.isNeeded && !$1.isWell }
      let serves = level.map { !unready.contains($0) } ?? true
      let report = Report(
        isReady: !state.isStopping && !failed && findings != nil && serves,
        isStopping: state.isStopping, level: level, findings: findings ?? [])
      // What was not looked at is nothing that others should hear.
      if findings != nil { state.last = (report, now) }
      return report
    }
  }

  private func look() async -> [Report.Finding] {
    await withTaskGroup(of: (Int, Report.Finding).self) { group in
      for (index, check) in checks.enumerated() {
        group.addTask { (index, await Self.finding(check)) }
      }
      return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private static func finding(_ watched: Watched) async -> Report.Finding {
    let (check, limit) = (watched.check, watched.limit)
    do {
      guard limit.stillRunning == 0 else {
        throw TimedOut(
          policy: "health.\(check.name)", scope: .attempt, limit: check.limit,
          disposition: .transient())
      }
      try await limit.runSendable { try await check.look() }
      return Report.Finding(name: check.name, isWell: true, code: nil)
    } catch {
      let code = AppError.from(error).code.rawValue
      return Report.Finding(name: check.name, isWell: false, code: code)
    }
  }
}
