// SPDX-License-Identifier: Apache-2.0

public import Mainstay
public import Observation

/// Shows errors one at a time, and each only once.
///
/// ```swift
/// presenter.present(error) { await inventory.retry() }
/// ```
///
/// Cancellation is never shown. An error that says the same as one that is shown or waits replaces
/// nothing: it is counted. What is shown stays until it is put away, so that nothing changes under
/// a finger; then the most severe of those that wait is next. What is quiet
/// (``ErrorPresentation/Style/banner``) stands beside what is not.
@MainActor @Observable
public final class ErrorPresenter {
  /// What a person wants to be done about an error, besides retry and dismiss.
  public typealias ActionPerformer = @MainActor (RecoveryAction, AppError) async -> Void

  /// An error that is shown or waits for it.
  public struct Item: Identifiable {
    /// The identity of the failure.
    public var id: ErrorPresentation.ID { presentation.id }
    /// The error.
    public let error: AppError
    /// How it is shown.
    public let presentation: ErrorPresentation
    /// How often it has happened while it was shown or waited.
    public fileprivate(set) var count = 1
    fileprivate let retry: (@MainActor () async -> Void)?

    /// The buttons: Retry only where there is something to run again.
    public var actions: [RecoveryAction] {
      retry != nil
        ? presentation.actions
        : presentation.actions.filter { $0.id != RecoveryAction.retry.id }
    }
  }

  /// How many errors wait at most; the mildest are dropped and counted in ``droppedCount``.
  public static let capacity = 20

  private var items: [Item] = []
  private var shown: [ErrorPresentation.Style: ErrorPresentation.ID] = [:]

  /// How many errors were dropped because too many waited.
  public private(set) var droppedCount = 0

  @ObservationIgnored private let mapping: ErrorMapping?
  @ObservationIgnored private let monitor: ErrorMonitor?
  @ObservationIgnored private let perform: ActionPerformer

  /// Makes a presenter that shows nothing.
  ///
  /// - Parameters:
  ///   - mapping: How foreign errors are mapped; the default is `ErrorMapping.current`.
  ///   - monitor: Who is told of the errors, of what a person saw of them, and of what they chose;
  ///     nil, the default, tells nobody. What stands under a field is a mistake of the person's,
  ///     and nobody is told of it.
  ///   - perform: Does what a person chose, besides retry and dismiss: opens settings, signs in.
  public init(
    mapping: ErrorMapping? = nil, monitor: ErrorMonitor? = nil,
    perform: @escaping ActionPerformer = { _, _ in }
  ) {
    self.mapping = mapping
    self.monitor = monitor
    self.perform = perform
  }

  /// What stands in front of everything; setting it to nil dismisses it, as a binding does.
  public var overlay: Item? {
    get { shownItem(.overlay) }
    set { if newValue == nil, let id = overlay?.id { dismiss(id) } }
  }

  /// What stands at the edge; setting it to nil dismisses it, as a binding does.
  public var banner: Item? {
    get { shownItem(.banner) }
    set { if newValue == nil, let id = banner?.id { dismiss(id) } }
  }

  /// What stands under a field.
  public func item(under field: JSONPointer) -> Item? {
    items.first { $0.presentation.style == .field && $0.presentation.field == field }
  }

  /// How many errors are shown or wait.
  public var count: Int { items.count }

  /// Shows an error, now or when those before it have been dismissed.
  ///
  /// - Parameters:
  ///   - error: Any error; a cancellation is never shown.
  ///   - fileID: The caller's file; leave it out.
  ///   - function: The caller's function; leave it out.
  ///   - line: The caller's line; leave it out.
  ///   - retry: What the Retry button runs; without it there is none.
  public func present(
    _ error: any Error,
    fileID: String = #fileID, function: String = #function, line: Int = #line,
    retry: (@MainActor () async -> Void)? = nil
  ) {
    let site = SourceSite(fileID: fileID, function: function, line: line)
    let error = (mapping ?? .current).map(error, at: site)
    guard let presentation = ErrorPresentation(error) else { return }
    if presentation.style != .field { monitor?.capture(shown: error, during: nil, at: site) }
    if let same = items.firstIndex(where: { $0.error == error }) {
      items[same].count += 1
      return
    }
    items.append(Item(error: error, presentation: presentation, retry: retry))
    if items.count > Self.capacity { drop() }
    showNext()
  }

  /// Does what a person chose.
  ///
  /// Retry runs once, however often it is tapped, and puts the error away first: what it meets is
  /// presented anew.
  public func choose(_ action: RecoveryAction, for id: ErrorPresentation.ID) async {
    guard let item = items.first(where: { $0.id == id }) else { return }
    switch action.id {
    case RecoveryAction.dismiss.id: dismiss(id)
    case RecoveryAction.retry.id:
      guard let retry = item.retry else { return }
      remove(item, after: action.id)
      await retry()
    default:
      tell(of: item, action.id)
      await perform(action, item.error)
    }
  }

  /// Puts an error away; the next one shows.
  public func dismiss(_ id: ErrorPresentation.ID) {
    guard let item = items.first(where: { $0.id == id }) else { return }
    remove(item, after: RecoveryAction.dismiss.id)
  }

  private func remove(_ item: Item, after action: RecoveryAction.ID) {
    // Of what was never shown nobody chose anything.
    if shown.values.contains(item.id) { tell(of: item, action) }
    items.removeAll { $0.id == item.id }
    showNext()
  }

  private func tell(of item: Item, _ action: RecoveryAction.ID? = nil) {
    guard item.presentation.style != .field else { return }
    monitor?.recordPresentation(
      .init(
        style: item.presentation.style.rawValue, titleKey: item.error.title.key, action: action),
      of: item.error)
  }

  /// Puts all errors away.
  public func dismissAll() {
    items.removeAll()
    shown.removeAll()
  }

  private func shownItem(_ style: ErrorPresentation.Style) -> Item? {
    shown[style].flatMap { id in items.first { $0.id == id } }
  }

  /// Where nothing is shown, the most severe of those that wait is next, and of those the oldest.
  private func showNext() {
    for style in [ErrorPresentation.Style.overlay, .banner] where shownItem(style) == nil {
      let waiting = items.filter { $0.presentation.style == style }
      let worst = waiting.map(\.error.severity).max()
      let next = waiting.first { $0.error.severity == worst }
      shown[style] = next?.id
      if let next { tell(of: next) }
    }
  }

  /// Drops the newest of the mildest that are not shown.
  private func drop() {
    let waiting = items.indices.filter { !shown.values.contains(items[$0].id) }
    let mildest = waiting.map { items[$0].error.severity }.min()
    guard let index = waiting.last(where: { items[$0].error.severity == mildest }) else { return }
    items.remove(at: index)
    droppedCount += 1
  }
}
