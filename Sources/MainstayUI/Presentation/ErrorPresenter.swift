// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay
public import Observation

/// Shows errors one at a time, and each only once.
///
/// ```swift
/// presenter.present(error) { await inventory.retry() }
/// ```
///
/// Cancellation is never shown. An error like one that is shown or waits, by its buttons and by its
/// `Fingerprint` or words, is counted there and shares Retry, which then runs the work of both.
/// What is shown stays until it is put away, so that nothing changes under a finger; then the most
/// severe of those that wait is next. What is quiet (``ErrorPresentation/Style/banner``) stands
/// beside what is not. What is about a field stands under it where that is shown, as
/// ``startShowing(_:)`` says, and else in front like any other.
@MainActor @Observable
public final class ErrorPresenter {
  /// Does what a person chose about an error, besides retry and dismiss, and says what became of
  /// it; what it throws is shown with the error, and a cancellation is not.
  public typealias ActionPerformer =
    @MainActor (RecoveryAction, AppError, ActionProgress) async throws -> ActionResult

  /// What became of an action that a person chose.
  public enum ActionResult: Sendable, Hashable {
    /// The error stays, such as after showing a page about it.
    case unchanged
    /// The error is put away, since there is nothing left of it.
    case settled
    /// What stood in the way is gone: the error is put away, and the work runs again.
    case retry
  }

  /// How many errors wait at most; the mildest are dropped and counted in ``droppedCount``.
  ///
  /// What stands under a field does not wait: of that there are 1,000 at most.
  public nonisolated static let capacity = 20

  private var queue: ErrorQueueStateMachine
  private(set) var items: [Item] = []

  /// How many errors were dropped because too many waited, or stood under fields; and how many are
  /// counted at one like them, but Retry does not run their work since it has 1,000 others.
  public private(set) var droppedCount = 0

  /// Which views show ``overlay`` and ``banner``, of which the newest is in front.
  @ObservationIgnored let overlayHosts = Hosts()
  @ObservationIgnored let bannerHosts = Hosts()
  /// How many show what stands under a field.
  @ObservationIgnored var shownFields: [JSONPointer: Int] = [:]
  @ObservationIgnored private var told: [ErrorPresentation.Style: ErrorPresentation.ID] = [:]
  @ObservationIgnored private var running: [ErrorPresentation.ID: Task<Void, Never>] = [:]
  @ObservationIgnored private let timeline: Timeline
  @ObservationIgnored private let gap: Duration
  @ObservationIgnored private let timer: RestTimer
  @ObservationIgnored private let mapping: ErrorMapping?
  @ObservationIgnored private let monitor: ErrorMonitor?
  @ObservationIgnored private let locale: Locale
  @ObservationIgnored private let perform: ActionPerformer?
  @ObservationIgnored private let performed: PerformedActions

  /// Makes a presenter that shows nothing.
  ///
  /// - Parameters:
  ///   - gathering: How long others are waited for when an error comes, so that the worst of them
  ///     is first; zero or more, the default is zero.
  ///   - gap: How long a place stays empty between two errors, so that an alert that goes away does
  ///     not take along the next; zero or more, the default is 0.3 seconds.
  ///   - clock: The clock; the default is the continuous one.
  ///   - mapping: How foreign errors are mapped; the default is `ErrorMapping.current`.
  ///   - monitor: Who is told of the errors, of what a person saw of them, and of what they chose;
  ///     nil, the default, tells nobody. What stands under a field is a mistake of the person's,
  ///     and nobody is told of it.
  ///   - locale: The language of the reader; the default is that of the process when the presenter
  ///     is made.
  ///   - performs: What `perform` does, such as `[.signIn]`: no other action has a button. Nil, the
  ///     default, is all that errors offer.
  ///   - perform: Does what a person chose, besides retry and dismiss: opens settings, signs in.
  ///     Nil, the default, does nothing, so there are no buttons for it, but for Help, which a
  ///     screen does by itself: it opens ``Item/pageToOpen``.
  public init(
    gathering: Duration = .zero, gap: Duration = .milliseconds(300),
    clock: some Clock<Duration> = ContinuousClock(), mapping: ErrorMapping? = nil,
    monitor: ErrorMonitor? = nil, locale: Locale = .current, performs: [RecoveryAction]? = nil,
    perform: ActionPerformer? = nil
  ) {
    precondition(
      gathering >= .zero, "ErrorPresenter(gathering: \(gathering)) is not legal: zero or more")
    precondition(gap >= .zero, "ErrorPresenter(gap: \(gap)) is not legal: zero or more")
    queue = ErrorQueueStateMachine(
      capacity: Self.capacity, gathering: gathering.clamped, gap: gap.clamped)
    timeline = Timeline(clock)
    self.gap = gap.clamped
    timer = RestTimer(on: timeline)
    self.mapping = mapping
    self.monitor = monitor
    self.locale = locale
    self.perform = perform
    performed = PerformedActions(performs, byAnybody: perform != nil)
  }

  isolated deinit { for task in running.values { task.cancel() } }

  /// What stands in front of everything; setting it to nil dismisses it, as a binding does, unless
  /// an action that was chosen is under way.
  public var overlay: Item? {
    get { shownItem(.overlay) }
    set { if newValue == nil { putAway(overlay) } }
  }

  /// What stands at the edge; setting it to nil dismisses it, as a binding does, unless an action
  /// that was chosen is under way.
  public var banner: Item? {
    get { shownItem(.banner) }
    set { if newValue == nil { putAway(banner) } }
  }

  /// What stands under a field: the newest, since it is about what is entered now.
  ///
  /// Nothing does before ``startShowing(_:)`` has said that it would be seen there.
  public func item(under field: JSONPointer) -> Item? {
    items.last { $0.presentation.style == .field && $0.presentation.field == field }
  }

  /// How many errors are shown or wait.
  public var count: Int { items.count }
}

// What comes.
extension ErrorPresenter {
  /// Shows an error, now or when those before it have been dismissed.
  ///
  /// Of an error about several fields each stands under its own, where that is shown. What is about
  /// others is one error with their words, and told to the monitor.
  ///
  /// - Parameters:
  ///   - error: Any error; a cancellation is never shown.
  ///   - doing: What was being done, such as "Save"; for reports, and to tell apart what is run
  ///     again where several things are done in one line. Nil by default.
  ///   - subject: What it was done to, such as the id of a draft: work for different things is
  ///     different work, though one line does it. Nil, the default, is one thing.
  ///   - owner: Whose error it is, such as the screen that goes away before the presenter does: see
  ///     ``withdraw(for:)``. Errors of two owners are two. Nil, the default, is nobody.
  ///   - style: Where it is shown; nil, the default, goes by the error and by the fields that are
  ///     shown. With `field`, the caller shows the fields that it is about; what it says about none
  ///     is shown like any other error.
  ///   - fileID: The caller's file; leave it out.
  ///   - function: The caller's function; leave it out.
  ///   - line: The caller's line; leave it out.
  ///   - retry: What the Retry button runs; without it there is none.
  public func present(
    _ error: any Error, during doing: String? = nil, of subject: (any Hashable & Sendable)? = nil,
    for owner: (any Hashable & Sendable)? = nil, as style: ErrorPresentation.Style? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line, retry: Retry? = nil
  ) {
    let site = SourceSite(fileID: fileID, function: function, line: line)
    let error = (mapping ?? .current).map(error, at: site)
    guard !error.isCancellation else { return }
    let key = RetryKey(
      file: fileID, line: line, doing: doing, subject: subject.map { Identity(value: $0) },
      owner: owner.map { Identity(value: $0) })
    let (underFields, rest) = split(error, style)
    for mistake in underFields { put(mistake, .field, of: key, retry) }
    guard let rest else { return }
    monitor?.capture(shown: error, during: doing, at: site)
    let place = style.flatMap { $0 == .field ? nil : $0 } ?? ErrorPresentation.place(of: error)
    put(rest, place, of: key, retry)
  }

  /// Puts an error into its place, or counts it at the one that it is like.
  private func put(
    _ error: AppError, _ style: ErrorPresentation.Style, of key: RetryKey, _ retry: Retry?
  ) {
    let fingerprint = Fingerprint(of: error)
    if let same = items.firstIndex(where: { $0.isLike(error, style, fingerprint, of: key) }) {
      items[same].makeRoom(for: error, of: key)
      count(error, at: same)
      if !items[same].keep(retry, for: key) { droppedCount += 1 }
      return
    }
    queue.advance(to: timeline.now)
    guard queue.hasRoom(style, error.severity) else {
      droppedCount += 1
      return
    }
    guard let presentation = ErrorPresentation(error, style: style, locale: locale) else { return }
    // The same failure may stand elsewhere, and each is put away by itself.
    let id = items.contains { $0.id == presentation.id } ? UUID() : presentation.id
    var item = Item(
      id, error, presentation, fingerprint, of: key, performed: performed)
    _ = item.keep(retry, for: key)  // the first of 1,000
    items.append(item)
    let dropped = queue.add(
      .init(id: item.id, style: style, severity: error.severity), now: timeline.now)
    if let index = items.firstIndex(where: { $0.id == dropped }) {
      let item = items.remove(at: index)
      droppedCount += item.count - item.droppedCount
    }
    queueHasMoved()
  }

  /// Counts an error at the one that it is like; words that are not there yet are kept.
  private func count(_ error: AppError, at index: Int) {
    items[index].count += 1
    queue.raise(items[index].id, to: error.severity)
    // Words are cheap to compare before they are looked up in a language.
    guard error != items[index].error, items[index].keepsOtherWords,
      let presentation = ErrorPresentation(
        error, style: items[index].presentation.style, locale: locale)
    else { return }
    items[index].keep(presentation, of: error)
  }
}

// What goes.
extension ErrorPresenter {
  /// Puts an error away; the next one shows after the gap.
  ///
  /// An action that is under way is cancelled.
  public func dismiss(_ id: ErrorPresentation.ID) {
    guard let item = items.first(where: { $0.id == id }) else { return }
    remove(item, after: RecoveryAction.dismiss.id)
  }

  /// Puts all errors away.
  public func dismissAll() { withdraw { _ in true } }

  /// Puts away what is no longer so, such as a warning of low memory; nobody chose it.
  ///
  /// What Retry would run is forgotten: where it is still to be done, use ``retry(where:)``.
  ///
  /// - Parameter isGone: Whether an error is no longer so.
  public func withdraw(where isGone: (AppError) -> Bool) {
    // At once: one after the other, each would be shown in a place that the one before has left.
    remove(items.filter { isGone($0.error) })
  }

  /// Puts away the errors of an owner, such as of a screen that has gone: shown, waiting and under
  /// fields; nobody chose it.
  ///
  /// Actions about them that are under way are cancelled, and nothing of them runs again.
  public func withdraw(for owner: any Hashable & Sendable) {
    let owner = Identity(value: owner)
    remove(items.filter { $0.owner == owner })
  }

  private func putAway(_ item: Item?) {
    guard let item, item.progress == nil else { return }
    dismiss(item.id)
  }

  private func remove(_ item: Item, after action: RecoveryAction.ID?) {
    // Of what was never shown nobody chose anything.
    if let action, told.values.contains(item.id) { tell(of: item, action) }
    remove([item])
  }

  func remove(_ gone: [Item]) {
    let ids = Set(gone.map(\.id))
    for id in ids { running.removeValue(forKey: id)?.cancel() }
    items.removeAll { ids.contains($0.id) }
    queue.remove(ids, now: timeline.now)
    queueHasMoved()
  }

  /// Waits as long as the system takes an alert away, also where nothing else needs a gap.
  func rest() async {
    let due = timeline.now + max(gap, .milliseconds(300))
    do { try await timeline.sleep(until: due) } catch { return }
  }

  private func shownItem(_ style: ErrorPresentation.Style) -> Item? {
    queue.shown(style).flatMap { id in items.first { $0.id == id } }
  }

  private func queueHasMoved() {
    for style in ErrorQueueStateMachine.places where told[style] != queue.shown(style) {
      told[style] = queue.shown(style)
      if let item = shownItem(style) { tell(of: item) }
    }
    timer.set(queue.nextChange) { [weak self] in
      guard let self else { return }
      queue.advance(to: timeline.now)
      queueHasMoved()
    }
  }

  private func tell(of item: Item, _ action: RecoveryAction.ID? = nil) {
    guard item.presentation.style != .field else { return }
    monitor?.recordPresentation(
      .init(
        style: item.presentation.style.rawValue, titleKey: item.error.title.key, action: action),
      of: item.error)
  }
}

// What a person chooses.
extension ErrorPresenter {
  /// Does what a person chose, and returns when it is done.
  ///
  /// - Parameters:
  ///   - action: What was chosen.
  ///   - id: The error about which it was chosen.
  public func choose(_ action: RecoveryAction, for id: ErrorPresentation.ID) async {
    guard let task = begin(action, for: id) else { return }
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Begins to do what a person chose; a second tap does nothing.
  ///
  /// Retry puts the error away first, and what it meets is presented anew. Any other action but
  /// Dismiss leaves the error where it is, with ``Item/progress``, until it is done.
  ///
  /// - Parameters:
  ///   - action: What was chosen.
  ///   - id: The error about which it was chosen.
  /// - Returns: The work; nil where there is nothing to wait for.
  @discardableResult
  public func begin(_ action: RecoveryAction, for id: ErrorPresentation.ID) -> Task<Void, Never>? {
    guard let index = items.firstIndex(where: { $0.id == id }) else { return nil }
    let item = items[index]
    if action.id == RecoveryAction.dismiss.id {
      dismiss(id)
      return nil
    }
    guard item.progress == nil, item.actions.contains(where: { $0.id == action.id }) else {
      return nil
    }
    guard action.id != RecoveryAction.retry.id else {
      guard !item.retries.isEmpty else { return nil }
      remove(item, after: action.id)
      return Task { await Self.run(item.retries) }
    }
    guard let perform, performed.contains(action.id) else {
      // Help is opened by the screen; what leaves everything as it is needs nobody.
      guard action.role == .cancel else {
        tell(of: item, action.id)
        return nil
      }
      remove(item, after: action.id)
      return nil
    }
    let progress = ActionProgress(action.id)
    (items[index].progress, items[index].actionFailure) = (progress, nil)
    tell(of: item, action.id)
    let task = Task { await run(action, of: item, progress, perform) }
    running[id] = task
    return task
  }

  private func run(
    _ action: RecoveryAction, of item: Item, _ progress: ActionProgress,
    _ perform: ActionPerformer
  ) async {
    let result: Result<ActionResult, any Error>
    do {
      result = .success(try await perform(action, item.error, progress))
    } catch {
      result = .failure(error)
    }
    // Whoever put it away meanwhile has given up.
    guard let index = items.firstIndex(where: { $0.progress === progress }) else { return }
    items[index].progress = nil
    running[item.id] = nil
    switch result {
    case .success(.unchanged): break
    case .success(.settled): remove(items[index], after: nil)
    case .success(.retry):
      let retries = items[index].retries
      remove(items[index], after: nil)
      await Self.run(retries)
    case .failure(let error): show(error, at: index, after: action)
    }
  }

  private func show(_ error: any Error, at index: Int, after action: RecoveryAction) {
    let site = SourceSite(fileID: #fileID, function: #function, line: #line)
    let error = (mapping ?? .current).map(error, at: site)
    items[index].actionFailure = ErrorPresentation(error, locale: locale)
    guard !error.isCancellation else { return }
    monitor?.capture(shown: error, during: action.id.rawValue, at: site)
  }

  /// Runs everything that failed with one error again, at once.
  static func run(_ retries: [RetryKey: Retry]) async {
    await withTaskGroup { group in
      for retry in retries.values { group.addTask { await retry() } }
    }
  }
}
