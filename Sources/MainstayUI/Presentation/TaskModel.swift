// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay
public import Observation

/// What a screen shows of one piece of work: nothing yet, loading, a value, nothing at all, or an
/// error.
public enum TaskState<Value> {
  /// Nothing has been run, or it was cleared.
  case idle
  /// A run is under way; the value of the run before stays on screen.
  case loading(previous: Value?)
  /// The newest run returned.
  case loaded(Value)
  /// The newest run returned, and there is nothing to show.
  case empty
  /// The newest run failed; the value of the run before stays on screen.
  case failed(AppError, previous: Value?)
}

extension TaskState: Equatable where Value: Equatable {}
extension TaskState: Sendable where Value: Sendable {}

/// Runs the work of a screen and holds what the screen shows of it.
///
/// Only the newest run sets the state, so the late answer of a superseded one never shows. The
/// error is cleared when a run begins, and a cancellation leaves no error behind. SwiftUI observes
/// it as it is; other front ends read ``state``.
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
    /// It begins at once, and what was under way is not shown any more.
    case supersede
    /// Nothing happens: a second tap does nothing.
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
  @ObservationIgnored private var work: Work?
  @ObservationIgnored private var newestRun: UInt64 = 0
  @ObservationIgnored private var clearCount = 0
  /// How many runs have a place that was taken since the model was cleared.
  @ObservationIgnored private var runCount = 0
  @ObservationIgnored private var waiting: CheckedContinuation<Bool, Never>?
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
  /// A run that is under way is superseded: it goes on, but is not shown any more. A model that was
  /// made with another ``Overlap`` leaves it alone.
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
    self.work = work
    await perform(work)
  }

  /// Returns when work may begin, with its place among those that run: false where it is not to run
  /// at all.
  private func isTurn() async -> Bool {
    guard runCount > 0 else { return takesPlace() }
    switch overlap {
    case .supersede: return takesPlace()
    case .ignore: return false
    case .keepLatest:
      let clears = clearCount
      let isNext = await withCheckedContinuation { continuation in
        waiting?.resume(returning: false)
        waiting = continuation
      }
      // It may have been cleared after it had been given its place, which is gone then.
      return isNext && clears == clearCount
    }
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
      next.resume(returning: true)
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
    newestRun += 1
    clearCount += 1
    runCount = 0
    work = nil
    waiting?.resume(returning: false)
    waiting = nil
    (state, isEmpty, isRecovering, failedAt) = (.idle, false, false, nil)
  }

  private func perform(_ work: Work) async {
    newestRun += 1
    let (run, clears) = (newestRun, clearCount)
    let previous = value
    (state, isRecovering, failedAt) = (.loading(previous: previous), false, nil)
    let result = await attempt(work, run)
    if run == newestRun { show(result, previous) }
    leavePlace(clears)
  }

  /// Runs work, and once more where its plan mended what went wrong.
  private func attempt(_ work: Work, _ run: UInt64) async -> Result<Value, AppError> {
    let first = await result(of: work)
    guard case .failure(let error) = first, !error.isCancellation, let plan = work.recovery,
      run == newestRun, isRepeatable(after: error)
    else { return first }
    isRecovering = true
    let outcome = await plan.recover(from: error)
    if case .failed(let step, let failure) = outcome, !failure.isCancellation {
      monitor?.capture(
        failure, message: "while recovering: \(step)", during: work.doing,
        fileID: work.site.fileID, function: work.site.function, line: work.site.line)
      monitor?.recordRecovery(from: error, succeeded: false, during: work.doing)
    }
    guard run == newestRun else { return first }
    isRecovering = false
    guard case .mended = outcome, !Task.isCancelled else { return first }
    let second = await result(of: work)
    switch second {
    case .success: monitor?.recordRecovery(from: error, succeeded: true, during: work.doing)
    case .failure(let later) where later.isCancellation: break
    case .failure: monitor?.recordRecovery(from: error, succeeded: false, during: work.doing)
    }
    return second
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

  private func show(_ result: Result<Value, AppError>, _ previous: Value?) {
    switch result {
    case .success(let value):
      isEmpty = hasNothing(value)
      state = isEmpty ? .empty : .loaded(value)
    case .failure(let error) where error.isCancellation: state = resting(previous)
    case .failure(let error): (state, failedAt) = (.failed(error, previous: previous), date())
    }
  }

  private func resting(_ value: Value?) -> TaskState<Value> {
    value.map { .loaded($0) } ?? (isEmpty ? .empty : .idle)
  }
}

extension TaskModel {
  /// The value on screen: that of the newest run that returned one.
  public var value: Value? {
    switch state {
    case .loaded(let value): value
    case .loading(let previous), .failed(_, let previous): previous
    case .idle, .empty: nil
    }
  }

  /// The error on screen.
  public var error: AppError? {
    if case .failed(let error, _) = state { error } else { nil }
  }

  /// Whether the newest run is under way; refreshing is disabled meanwhile.
  public var isLoading: Bool {
    if case .loading = state { true } else { false }
  }

  /// Whether there is an error that another run may mend; the Retry button is shown then.
  public var canRetry: Bool {
    error?.actions.contains { $0.id == RecoveryAction.retry.id } ?? false
  }
}

// What a person can do about an error on screen.
extension TaskModel {
  /// The error on screen, in words.
  ///
  /// - Parameter locale: The language of the reader.
  /// - Returns: The words; nil where there is no error.
  public func presentation(in locale: Locale = .current) -> ErrorPresentation? {
    error.flatMap { ErrorPresentation($0, locale: locale) }
  }

  /// The buttons of the error on screen: Retry where another run may mend it, Dismiss, and what
  /// else the error offers where somebody does it.
  ///
  /// - Parameter isPerforming: Whether somebody does what ``begin(_:)`` leaves to the app.
  /// - Returns: The buttons; none where there is no error.
  public func actions(performing isPerforming: Bool = false) -> [RecoveryAction] {
    (presentation()?.actions ?? []).filter { action in
      switch action.id {
      case RecoveryAction.retry.id: canRetry
      case RecoveryAction.dismiss.id: true
      default: isPerforming || action.role == .cancel
      }
    }
  }

  /// Begins what a person chose: the work again, or putting the error away.
  ///
  /// - Parameter action: What was chosen.
  /// - Returns: Whether it is done here; where it is not, it is for the app.
  @discardableResult
  public func begin(_ action: RecoveryAction) -> Bool {
    switch action.id {
    case RecoveryAction.retry.id: Task { await retry() }
    case RecoveryAction.dismiss.id: dismissError()
    case _ where action.role == .cancel: dismissError()
    default: return false
    }
    return true
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
