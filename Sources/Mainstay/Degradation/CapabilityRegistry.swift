// SPDX-License-Identifier: Apache-2.0

/// Keeps which capabilities there are and which of them work.
///
/// ```swift
/// let registry = CapabilityRegistry()
/// registry.register(scanner)
/// await registry.validateAll()
/// let isbn = try await registry.execute(scanner, image)
/// ```
public final class CapabilityRegistry: Sendable {
  /// The name of a capability.
  public typealias ID = DegradationPlan.NeedID

  /// Whether a capability works.
  public enum Status: Sendable, Equatable {
    /// Nobody has found out yet.
    case unknown
    /// It works.
    case available
    /// It does not, for this reason; what stands in for it is used where there is something.
    case unavailable(AppError)

    /// Whether it works, as far as anybody knows.
    public var isAvailable: Bool { self == .available }
  }

  /// What has to be known of a capability to find out whether it works.
  private struct Entry: Sendable {
    let requirements: Set<ID>
    let limit: Timeout.Abandoning
    let validate: @Sendable () async throws -> Void
    /// Tells it from others that had its name.
    let number: UInt64
    /// How often somebody has said whether it works.
    var reportCount: UInt64 = 0
    var status = Status.unknown
  }

  /// What is looked at, and since when: one that was replaced is another one, and what was begun
  /// before a report says nothing against that.
  private struct Check: Hashable {
    let id: ID
    let number: UInt64
    let reportCount: UInt64
  }

  private struct State {
    var entries: [ID: Entry] = [:]
    var number: UInt64 = 0

    /// Whether one of them requires the other in the end, or is it.
    func requires(_ id: ID, _ other: ID) -> Bool {
      var (open, seen) = ([id], Set<ID>())
      while let next = open.popLast() {
        if next == other { return true }
        guard seen.insert(next).inserted else { continue }
        open += entries[next]?.requirements ?? []
      }
      return false
    }

    /// Whether that is news.
    mutating func set(_ id: ID, _ status: Status) -> Bool {
      guard let old = entries[id], old.status != status else { return false }
      entries[id]?.status = status
      number += 1
      return true
    }
  }

  private let state = Locked(State())
  private let checks = Coalesce<Check>("capabilities")
  private let statuses = Audience<[ID: Status]>()
  let clock: any Clock<Duration>

  /// Makes a registry without capabilities.
  ///
  /// - Parameter clock: The clock of the limits; the default is the continuous one.
  public init(clock: some Clock<Duration> = ContinuousClock()) { self.clock = clock }

  deinit { statuses.finish() }

  /// Adds a capability, or replaces the one that has its name; nobody knows yet whether it works.
  public func register<Request, Response>(_ capability: Capability<Request, Response>) {
    let limit = limit(capability.validationLimit, on: clock, name: capability.id.rawValue)
    state.withLock { state in
      state.number += 1
      state.entries[capability.id] = Entry(
        requirements: capability.requirements, limit: limit, validate: capability.validate,
        number: state.number)
    }
    statuses.tell(read)
  }

  private func limit(
    _ limit: Duration, on clock: some Clock<Duration>, name: String
  ) -> Timeout.Abandoning {
    Timeout.Abandoning(limit, disposition: .transient(), name: name, clock: clock)
  }

  /// Whether a capability works, as far as anybody knows.
  public func status(of id: ID) -> Status {
    state.withLock { $0.entries[id]?.status ?? .unknown }
  }

  /// Whether each capability works, now and after each change.
  ///
  /// Who listens slowly misses values in between, and never the newest.
  public var updates: AsyncStream<[ID: Status]> { statuses.listen(first: read) }

  /// Finds out whether a capability works, and what it requires.
  ///
  /// Whoever asks meanwhile waits for the same answer, unless another one was registered under the
  /// name: that is looked at itself. A requirement that nobody registered, or that requires itself
  /// in the end, is not met. What somebody reports meanwhile is newer, and stays.
  ///
  /// - Parameter id: Its name.
  /// - Returns: Whether it works; what was known before, where the caller is cancelled.
  @discardableResult
  public func validate(_ id: ID) async -> Status {
    guard let entry = state.withLock({ $0.entries[id] }) else {
      return .unavailable(AppError.Capability.unavailable(id.rawValue).appError)
    }
    do {
      let check = Check(id: id, number: entry.number, reportCount: entry.reportCount)
      let status = try await checks.run(check) {
        await self.check(id, entry).flatMap { self.take($0, of: check) }
      }
      return status ?? self.status(of: id)
    } catch _ {
      return status(of: id)
    }
  }

  /// Finds out whether each capability works.
  public func validateAll() async {
    let ids = state.withLock { Array($0.entries.keys) }
    await withTaskGroup(of: Void.self) { group in
      for id in ids { group.addTask { await self.validate(id) } }
    }
  }

  /// Finds out again about all that did not work.
  ///
  /// - Returns: Whether all of them work now.
  @discardableResult
  public func revalidate() async -> Bool {
    let broken = state.withLock { state in
      state.entries.filter { if case .unavailable = $0.value.status { true } else { false } }.keys
    }
    return await withTaskGroup(of: Bool.self) { group in
      for id in broken { group.addTask { await self.validate(id).isAvailable } }
      return await group.reduce(true) { $0 && $1 }
    }
  }

  /// Says that a capability has stopped working, or works again, without finding out.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - error: Why it does not work; nil where it does.
  public func report(_ id: ID, _ error: AppError?) {
    let isNews = state.withLock { state in
      state.entries[id]?.reportCount += 1
      return state.set(id, error.map(Status.unavailable) ?? .available)
    }
    if isNews { statuses.tell(read) }
  }

  /// Does what a capability does, or lets what stands in for it do that.
  ///
  /// Where nobody knows yet whether it works, that is found out first. Where that ends as
  /// cancelled, so does this, and nothing stands in.
  ///
  /// - Parameters:
  ///   - capability: What is done.
  ///   - request: With what.
  /// - Returns: What it, or what stands in for it, returned.
  /// - Throws: `AppError`: why it does not work, or
  ///   ``AppError/Capability/executionFailed(_:)``, where nothing stands in for it, or where
  ///   nobody knows whether it happened;
  ///   ``AppError/Capability/fallbackUnavailable(_:)``, with both as its causes, where that failed
  ///   too; a cancellation.
  public func execute<Request, Response>(
    _ capability: Capability<Request, Response>, _ request: Request
  ) async throws(AppError) -> Response {
    var status = status(of: capability.id)
    if status == .unknown { status = await validate(capability.id) }
    var reason = AppError.Capability.unavailable(capability.id.rawValue).appError
    switch status {
    case .unavailable(let error):
      reason = error.adding(metadata: [Self.refusalKey: capability.id.rawValue])
    // Nobody knows it only where finding out was cancelled, which is no failure.
    case .unknown: throw .cancelled()
    case .available:
      do {
        return try await capability.execute(request)
      } catch {
        let mapped = ErrorMapping.current.map(error)
        if mapped.isCancellation { throw mapped }
        reason = AppError.Capability.executionFailed(error).appError
        // It may have happened, and what stands in would do it a second time.
        if mapped.disposition == .unknownOutcome { throw reason }
      }
    }
    guard let fallback = capability.fallback else { throw reason }
    do {
      return try await fallback(request)
    } catch {
      let mapped = ErrorMapping.current.map(error)
      if mapped.isCancellation { throw mapped }
      throw Self.bothFailed(capability.id, reason, error, mapped)
    }
  }

  /// What is thrown where what stands in failed too.
  ///
  /// It follows what failed last. Where that does not pass by itself and the reason does, trying
  /// again still helps, so it follows the reason.
  private static func bothFailed(
    _ id: ID, _ reason: AppError, _ error: any Error, _ mapped: AppError
  ) -> AppError {
    var both = AppError.Capability.fallbackUnavailable(id.rawValue).appError
      .adding(metadata: ["capability.fallback": mapped.code.rawValue])
    if let refused = reason.metadata[refusalKey] {
      both = both.adding(metadata: [refusalKey: refused])
    }
    both.fields.underlying = [reason, error]
    let isOver = !mapped.passes && mapped.disposition != .unknownOutcome
    return both.following(isOver && reason.passes ? reason : mapped, at: both.site)
  }

  /// Where an error says which capability was refused: why it does not work may be any error.
  fileprivate static let refusalKey = "capability.unavailable"

  /// Nil where it was cancelled, which says nothing.
  private func check(_ id: ID, _ entry: Entry) async -> Status? {
    for requirement in entry.requirements.sorted(by: { $0.rawValue < $1.rawValue }) {
      // Two that wait for each other would wait for ever.
      let isCircle = state.withLock { $0.requires(requirement, id) }
      let status = isCircle ? nil : await validate(requirement)
      if status == .unknown { return nil }
      guard status?.isAvailable == true else {
        return .unavailable(Self.notMet(requirement, status))
      }
    }
    do {
      try await entry.limit.runSendable(entry.validate)
      return .available
    } catch is TimedOut {
      return .unavailable(AppError.Capability.validationTimedOut(id.rawValue).appError)
    } catch {
      let mapped = ErrorMapping.current.map(error)
      return mapped.isCancellation ? nil : .unavailable(mapped)
    }
  }

  /// Why something does not work that requires what is missing; it follows why that is.
  private static func notMet(_ requirement: ID, _ status: Status?) -> AppError {
    var error = AppError.Capability.requirementNotMet(requirement.rawValue).appError
    guard case .unavailable(let why) = status, !why.isCancellation else { return error }
    error.fields.underlying = [why]
    return error.following(why, at: error.site)
  }

  /// Keeps what was found out, unless somebody knows better by now.
  ///
  /// - Parameters:
  ///   - status: What was found out.
  ///   - check: What was looked at.
  /// - Returns: What is known of it then; nil where nobody asks any more.
  private func take(_ status: Status, of check: Check) -> Status? {
    let (known, isNews) = state.withLock { state -> (Status?, Bool) in
      // A run that everybody has left is cancelled; another one may have begun meanwhile.
      if Task.isCancelled { return (nil, false) }
      guard let entry = state.entries[check.id], entry.number == check.number else {
        return (status, false)
      }
      guard entry.reportCount == check.reportCount else { return (entry.status, false) }
      return (status, state.set(check.id, status))
    }
    if isNews { statuses.tell(read) }
    return known
  }

  @Sendable private func read() -> (value: [ID: Status], number: UInt64) {
    state.withLock { ($0.entries.mapValues(\.status), $0.number) }
  }
}

extension CapabilityRegistry {
  /// Which capabilities that have changed are there.
  ///
  /// What nobody knows is news only of one that was missing: it says nothing against others.
  fileprivate static func news(
    in statuses: [ID: Status], after before: [ID: Status]
  ) -> [ID: Bool] {
    var news: [ID: Bool] = [:]
    for (id, status) in statuses where before[id] != status {
      switch (status, before[id]) {
      case (.unavailable, _): news[id] = false
      case (.available, _), (.unknown, .unavailable): news[id] = true
      case (.unknown, _): break
      }
    }
    return news
  }
}

extension AppError {
  /// Whether it may be over after a while, without anybody's doing.
  fileprivate var passes: Bool {
    switch disposition {
    case .transient, .throttled, .rejected: true
    case .permanent, .needsUser, .unknownOutcome, .cancelled, .unclassified: false
    }
  }
}

extension DegradationController {
  /// Hears from a registry which capabilities are missing, from now on.
  ///
  /// One of which nobody knows whether it works counts as there. Only what has changed in the
  /// registry is news: whoever else reports a need is not overruled by what was found out before.
  public func follow(_ registry: CapabilityRegistry) {
    follow(registry.updates) { controller, statuses, before in
      controller.report(CapabilityRegistry.news(in: statuses, after: before ?? [:]))
    }
  }
}

extension RecoveryPlan.Step {
  /// Finds out again what works, after a capability was missing.
  ///
  /// It fits whatever ``CapabilityRegistry/execute(_:_:)`` refused, for any reason, and finds out
  /// about that one alone; else all errors that say that a capability is missing.
  ///
  /// - Parameter registry: Where it is kept; by its clock the step takes ten seconds at most.
  /// - Returns: The step; it mends nothing where something is still missing.
  public static func revalidating(_ registry: CapabilityRegistry) -> RecoveryPlan.Step {
    revalidating(registry, by: registry.clock)
  }

  private static func revalidating(
    _ registry: CapabilityRegistry, by clock: some Clock<Duration>
  ) -> RecoveryPlan.Step {
    let codes = [
      AppError.Capability.unavailable("").appError.code,
      AppError.Capability.requirementNotMet("").appError.code,
      AppError.Capability.validationTimedOut("").appError.code,
      AppError.Framework.capabilityUnavailable("").appError.code,
    ]
    let key = CapabilityRegistry.refusalKey
    return .init(
      "revalidate capabilities",
      when: { $0.metadata[key] != nil || codes.contains($0.code) }, clock: clock
    ) { error in
      let refused = error.metadata[key].map(CapabilityRegistry.ID.init(rawValue:))
      let works =
        if let refused { await registry.validate(refused).isAvailable } else {
          await registry.revalidate()
        }
      guard works else { throw error }
    }
  }
}
