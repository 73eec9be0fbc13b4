// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay
public import Observation

/// Runs the work of a screen and holds what the screen shows of it.
///
/// Only the newest run sets the state, so the late answer of a superseded one never shows. One that
/// is cancelled takes nothing along: the run before it is the newest again. The error is cleared
/// when a run begins, and a cancellation leaves no error of its own: where nothing but an error
/// stood there before the run, that stands there again. SwiftUI observes it as it is; other front
/// ends read ``state``.
///
/// ```swift
/// @State private var inventory = TaskModel<[Item]>()
/// …
/// .task { await inventory.run("Load inventory") { try await store.load() } }
/// ```
@MainActor @Observable
public final class TaskModel<Value> {
  /// Work that can be run again.
  public typealias Operation = @MainActor () async throws -> Value

  /// What becomes of work that is to run while other work of the model is under way.
  public enum Overlap: Sendable, Hashable {
    /// It begins at once; what was under way is shown only where the newer one is cancelled.
    case supersede
    /// Nothing happens: a second tap does nothing. It begins where the task of what is under way
    /// has been cancelled, as SwiftUI does when the id of a `task` changes.
    case ignore
    /// It begins when what is under way has ended; of several that wait, the last one alone.
    case keepLatest
  }

  private struct Work {
    let doing: String
    let site: SourceSite
    let recovery: RecoveryPlan?
    let operation: Operation
  }

  /// Whether the task of a run was cancelled, which happens on any thread.
  private final class Cancellation: Sendable {
    private let state = Locked(false)

    var isRequested: Bool { state.withLock { $0 } }

    func request() { state.withLock { $0 = true } }
  }

  /// A run that may be shown: it is under way, or has ended while a newer one is.
  private struct Run {
    let id: UInt64
    let work: Work
    let cancellation: Cancellation
    var isRecovering = false
    /// How it has ended.
    var result: Result<Value, AppError>?

    /// Whether somebody still waits for what it does.
    var isWanted: Bool {
      result == nil && !cancellation.isRequested
    }
  }

  /// An error that a run has taken off the screen, where nothing else was on it.
  private struct Failure {
    let error: AppError
    let date: Date?
  }

  /// Whoever waits for a turn.
  private struct Waiter {
    let number: UInt64
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// What the screen shows.
  public private(set) var state: TaskState<Value> = .idle

  /// Whether the newest run that returned had nothing to show; it stays so while the work runs
  /// again and when that fails.
  public private(set) var isEmpty = false

  /// Whether a step of a `RecoveryPlan` is being done for the newest run.
  public private(set) var isRecovering = false

  /// The error on screen, with its time and what can be done; nil where there is none.
  public var errorState: ErrorState? {
    guard let error, let failedAt else { return nil }
    // What a plan could mend never gets here: the rest is for a person.
    guard canRetry else { return ErrorState(error, at: failedAt, isManual: true) }
    return ErrorState(error, at: failedAt, isManual: true) { [weak self] in
      await self?.retry()
    }
  }

  private var failedAt: Date?
  /// What stands there again if all that runs is cancelled.
  @ObservationIgnored private var replaced: Failure?
  /// What ``retry()`` and ``refresh()`` run: the work of what is on screen.
  @ObservationIgnored private var work: Work?
  /// The runs that may be shown, the oldest first.
  @ObservationIgnored private var runs: [Run] = []
  /// The last number of a run or of whoever waits.
  @ObservationIgnored private var lastNumber: UInt64 = 0
  @ObservationIgnored private var clearCount = 0
  /// How many runs have a place that was taken since the model was cleared.
  @ObservationIgnored private var runCount = 0
  @ObservationIgnored private var waiting: Waiter?
  @ObservationIgnored private let overlap: Overlap
  @ObservationIgnored private let date: @Sendable () -> Date
  @ObservationIgnored private let hasNothing: (Value) -> Bool
  @ObservationIgnored private let mapping: ErrorMapping?
  @ObservationIgnored private let monitor: ErrorMonitor?

  /// Makes an idle model.
  ///
  /// - Parameters:
  ///   - mapping: How foreign errors are mapped; the default is `ErrorMapping.current`.
  ///   - monitor: Who is told of failures, those of superseded runs too, and of errors that
  ///     nobody converts; nil, the default, tells nobody.
  ///   - overlap: What becomes of work that is to run while other work is under way; by default it
  ///     supersedes that.
  ///   - date: The time of day, for what is shown; the default is that of the system.
  ///   - isEmpty: Whether there is nothing to show of a value; the default says that there is.
  public init(
    mapping: ErrorMapping? = nil, monitor: ErrorMonitor? = nil, overlap: Overlap = .supersede,
    date: @escaping @Sendable () -> Date = { Date() },
    isEmpty: @escaping (Value) -> Bool = { _ in false }
  ) {
    self.mapping = mapping
    self.monitor = monitor
    self.overlap = overlap
    self.date = date
    hasNothing = isEmpty
  }

  /// Runs work that can be run again, and shows what becomes of it.
  ///
  /// A run that is under way is superseded: it goes on, but is shown only where this one is
  /// cancelled. A model that was made with another ``Overlap`` leaves it alone. A task that is
  /// cancelled already runs nothing, and one that is cancelled while it waits for its turn leaves.
  ///
  /// - Parameters:
  ///   - doing: What is being done, such as "Load inventory"; for logs and reports, never shown.
  ///   - recovery: What is done about a failure before it is shown: where a step mends it, the work
  ///     runs once more. Nothing is done about an unknown outcome without an `IdempotencyKey`. Nil,
  ///     the default, is nothing.
  ///   - fileID: The caller's file; leave it out.
  ///   - function: The caller's function; leave it out.
  ///   - line: The caller's line; leave it out.
  ///   - operation: The work; kept for ``retry()`` and ``refresh()``.
  public func run(
    _ doing: String, recovery: RecoveryPlan? = nil, fileID: String = #fileID,
    function: String = #function, line: Int = #line, operation: @escaping Operation
  ) async {
    let site = SourceSite(fileID: fileID, function: function, line: line)
    let work = Work(doing: doing, site: site, recovery: recovery, operation: operation)
    guard await isTurn() else { return }
    await perform(work)
  }

  /// Returns when work may begin, with its place among those that run: false where it is not to run
  /// at all.
  private func isTurn() async -> Bool {
    guard !Task.isCancelled else { return false }
    guard runCount > 0 else { return takesPlace() }
    return switch overlap {
    case .supersede: takesPlace()
    // What was cancelled may take its time to end, and is no work that a tap would double.
    case .ignore: runs.contains(where: \.isWanted) ? false : takesPlace()
    case .keepLatest: await isNext()
    }
  }

  /// Waits until it is the turn of whoever calls, and takes the place of whoever waits already.
  private func isNext() async -> Bool {
    let (clears, number) = (clearCount, nextNumber())
    let hasPlace: Bool = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting?.continuation.resume(returning: false)
        waiting = Waiter(number: number, continuation: continuation)
      }
    } onCancel: {
      Task { @MainActor in self.sendAway(number) }
    }
    // It may have been cleared after it had been given its place, which is gone then.
    guard hasPlace, clears == clearCount else { return false }
    guard Task.isCancelled else { return true }
    leavePlace(clears)
    return false
  }

  private func sendAway(_ number: UInt64) {
    guard let waiter = waiting, waiter.number == number else { return }
    waiting = nil
    waiter.continuation.resume(returning: false)
  }

  private func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  private func takesPlace() -> Bool {
    runCount += 1
    return true
  }

  /// Gives the place to whoever waits; so nobody who comes meanwhile is faster.
  ///
  /// - Parameter clears: How often the model had been cleared when the place was taken; clearing
  ///   has given back what was taken before.
  private func leavePlace(_ clears: Int) {
    guard clears == clearCount else { return }
    if runCount == 1, let next = waiting {
      waiting = nil
      next.continuation.resume(returning: true)
    } else {
      runCount -= 1
    }
  }

  /// Runs the work again after it failed; nothing happens unless it failed, so a second tap does
  /// nothing.
  public func retry() async {
    guard let work, case .failed = state, await isTurn() else { return }
    await perform(work)
  }

  /// Runs the work again while its value stays on screen; nothing happens while it is loading.
  public func refresh() async {
    guard let work, !isLoading, await isTurn() else { return }
    await perform(work)
  }

  /// Puts the error away; the value of the run before stays on screen.
  public func dismissError() {
    guard case .failed(_, let previous) = state else { return }
    state = resting(previous)
  }

  /// Goes back to the beginning; a run that is under way is superseded, and one that waits for its
  /// turn never begins.
  ///
  /// The next run begins at once, whatever the ``Overlap``.
  public func clear() {
    clearCount += 1
    runCount = 0
    (work, runs, replaced) = (nil, [], nil)
    waiting?.continuation.resume(returning: false)
    waiting = nil
    (state, isEmpty, isRecovering, failedAt) = (.idle, false, false, nil)
  }

  private func perform(_ work: Work) async {
    let (run, clears, cancellation) = (nextNumber(), clearCount, Cancellation())
    runs.append(Run(id: run, work: work, cancellation: cancellation))
    if let error, value == nil, !isEmpty { replaced = Failure(error: error, date: failedAt) }
    (state, isRecovering, failedAt) = (.loading(previous: value), false, nil)
    let result = await withTaskCancellationHandler {
      await attempt(work, run)
    } onCancel: {
      cancellation.request()
    }
    end(run, with: result)
    leavePlace(clears)
  }

  private func isNewest(_ run: UInt64) -> Bool { runs.last?.id == run }

  /// Runs work, and once more where its plan mended what went wrong.
  private func attempt(_ work: Work, _ run: UInt64) async -> Result<Value, AppError> {
    let first = await result(of: work)
    guard case .failure(let error) = first, !error.isCancellation, let plan = work.recovery,
      isNewest(run), isRepeatable(after: error)
    else { return first }
    recover(true, run)
    let outcome = await plan.recover(from: error)
    recover(false, run)
    if case .failed(let step, let failure) = outcome, !failure.isCancellation {
      monitor?.capture(
        failure, message: "while recovering: \(step)", during: work.doing,
        fileID: work.site.fileID, function: work.site.function, line: work.site.line)
      monitor?.recordRecovery(from: error, succeeded: false, during: work.doing)
    }
    if Task.isCancelled, outcome.isOpen { return .failure(.cancelled()) }
    guard isNewest(run), case .mended = outcome else { return first }
    let second = await result(of: work)
    switch second {
    case .success: monitor?.recordRecovery(from: error, succeeded: true, during: work.doing)
    case .failure(let later) where later.isCancellation: break
    case .failure: monitor?.recordRecovery(from: error, succeeded: false, during: work.doing)
    }
    return second
  }

  private func recover(_ isUnderWay: Bool, _ run: UInt64) {
    guard let index = runs.firstIndex(where: { $0.id == run }) else { return }
    runs[index].isRecovering = isUnderWay
    if isNewest(run) { isRecovering = isUnderWay }
  }

  /// Whether work may run again by itself: where nobody knows whether it had its effect, only under
  /// a key, as with `Retry`.
  private func isRepeatable(after error: AppError) -> Bool {
    error.disposition != .unknownOutcome || IdempotencyKey.current != nil
  }

  private func result(of work: Work) async -> Result<Value, AppError> {
    do {
      return .success(try await work.operation())
    } catch {
      let mapped = (mapping ?? .current).map(error, at: work.site)
        .adding(context: AppError.Frame(work.doing, site: work.site))
      monitor?.capture(shown: mapped, during: work.doing, at: work.site)
      return .failure(mapped)
    }
  }

  /// Shows how a run has ended, unless a newer one is under way: that may be cancelled yet.
  private func end(_ run: UInt64, with result: Result<Value, AppError>) {
    guard let index = runs.firstIndex(where: { $0.id == run }) else { return }
    if case .failure(let error) = result, error.isCancellation {
      let gone = runs.remove(at: index)
      if runs.isEmpty { rest(after: gone) }
    } else {
      runs[index].result = result
      runs.removeFirst(index)  // what is older is superseded for good
    }
    isRecovering = runs.last?.isRecovering ?? false
    guard let newest = runs.last, let result = newest.result else { return }
    (work, runs, replaced) = (newest.work, [], nil)
    switch result {
    case .success(let value):
      isEmpty = hasNothing(value)
      state = isEmpty ? .empty : .loaded(value)
    case .failure(let error): (state, failedAt) = (.failed(error, previous: value), date())
    }
  }

  /// All that ran was cancelled: what stood there before stands there again.
  private func rest(after gone: Run) {
    work = work ?? gone.work
    guard let failure = replaced else { return state = resting(value) }
    replaced = nil
    (state, failedAt) = (.failed(failure.error, previous: nil), failure.date)
  }

  private func resting(_ value: Value?) -> TaskState<Value> {
    value.map { .loaded($0) } ?? (isEmpty ? .empty : .idle)
  }
}

extension TaskModel where Value: Collection {
  /// Makes an idle model that shows an empty collection as empty.
  ///
  /// - Parameters:
  ///   - mapping: How foreign errors are mapped; the default is `ErrorMapping.current`.
  ///   - monitor: Who is told of failures; nil, the default, tells nobody.
  ///   - overlap: What becomes of work that is to run while other work is under way; by default it
  ///     supersedes that.
  ///   - date: The time of day, for what is shown; the default is that of the system.
  public convenience init(
    mapping: ErrorMapping? = nil, monitor: ErrorMonitor? = nil, overlap: Overlap = .supersede,
    date: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(mapping: mapping, monitor: monitor, overlap: overlap, date: date, isEmpty: \.isEmpty)
  }
}

extension ErrorMonitor {
  /// Tells the team of an error that a person is shown.
  ///
  /// One that nobody converts is shown with words that fit anything, so the report says what is
  /// missing.
  func capture(shown error: AppError, during operation: String?, at site: SourceSite) {
    let isUnconverted = error.code == "unknown" && error.disposition == .unclassified
    capture(
      error,
      message: isUnconverted
        ? "It reached a screen without a conversion: let its type conform to AppErrorConvertible, "
          + "or add it to the ErrorMapping." : nil,
      during: operation, fileID: site.fileID, function: site.function, line: site.line)
  }
}

extension RecoveryPlan.Outcome {
  /// Whether it leaves open what would have become of the work, had nobody been cancelled.
  fileprivate var isOpen: Bool {
    switch self {
    case .mended: true
    case .failed(_, let failure): failure.isCancellation
    case .noStep: false
    }
  }
}
