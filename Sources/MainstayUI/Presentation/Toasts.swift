// SPDX-License-Identifier: Apache-2.0

public import Mainstay
public import Observation

/// Shows toasts for a while, a few at a time.
///
/// The same words again only raise the count of the toast that is there. A toast whose button does
/// something stands for itself: who takes back one of two deletions takes back that one.
@MainActor @Observable
public final class Toasts {
  /// What the button of a toast does.
  public typealias Perform = @MainActor @Sendable () async -> Void

  private var queue: ToastQueue

  /// Which views show them, of which the newest is in front.
  @ObservationIgnored let hosts = Hosts()
  @ObservationIgnored private var performers: [Toast.ID: Perform] = [:]
  @ObservationIgnored private let timeline: Timeline
  @ObservationIgnored private let length: Duration
  @ObservationIgnored private let timer: RestTimer

  /// Makes a place for toasts.
  ///
  /// - Parameters:
  ///   - capacity: How many are shown at once; 1 or more, the default is 3.
  ///   - length: How long one is shown; more than zero, the default is 4 seconds. Warnings,
  ///     errors and what has a button stay twice as long, since they take longer to read.
  ///   - clock: The clock; the default is the continuous one.
  public init(
    capacity: Int = 3, length: Duration = .seconds(4),
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    precondition(capacity >= 1, "Toasts(capacity: \(capacity)) is not legal: 1 or more")
    precondition(length > .zero, "Toasts(length: \(length)) is not legal: more than zero")
    queue = ToastQueue(capacity: capacity)
    self.length = length.clamped
    timeline = Timeline(clock)
    timer = RestTimer(on: timeline)
  }

  /// The toasts on screen, the oldest first.
  public var visible: [Toast] { queue.shown.map(\.entry.toast) }

  /// How many wait for room, at most twenty.
  public var waitingCount: Int { queue.waiting.count }

  /// How many were dropped because too many waited, the mild ones first.
  public var droppedCount: Int { queue.droppedCount }

  /// Shows a toast, now or when there is room.
  ///
  /// - Parameters:
  ///   - style: What it says about what happened.
  ///   - text: The sentence.
  ///   - action: The button, such as one that takes back what was done; nil, the default, for none.
  ///   - perform: What the button does; a toast that has it is not counted at another one.
  public func show(
    _ style: Toast.Style, _ text: LocalizableText, action: RecoveryAction? = nil,
    perform: Perform? = nil
  ) {
    show(Toast(style, text.string(), action: action), perform: perform)
  }

  /// Shows a toast, now or when there is room.
  ///
  /// - Parameters:
  ///   - toast: The toast.
  ///   - perform: What its button does; a toast that has it is not counted at another one. Of the
  ///     same toast that is shown again, the newest.
  public func show(_ toast: Toast, perform: Perform? = nil) {
    let isLong = toast.style.isLong || toast.action != nil
    let id = queue.add(
      toast, for: isLong ? length * 2 : length, isOwn: perform != nil, now: timeline.now)
    if let perform { performers[id] = perform }
    queueHasMoved()
  }

  /// Puts a toast away.
  public func dismiss(_ id: Toast.ID) {
    queue.remove(id, now: timeline.now)
    queueHasMoved()
  }

  /// Does what the button of a toast says, and puts the toast away first, so that a second tap does
  /// nothing.
  public func choose(_ id: Toast.ID) async {
    guard let perform = performers[id] else { return }
    dismiss(id)
    await perform()
  }

  /// Keeps a toast while somebody reads it: under a pointer, or with the focus.
  public func hold(_ id: Toast.ID) { hold(id, for: .app) }

  /// Lets a toast go that was held: it lasts as long as a new one.
  public func release(_ id: Toast.ID) { release(id, for: .app) }

  /// Keeps a toast until each that holds it has let it go.
  func hold(_ id: Toast.ID, for holder: ToastQueue.Holder) {
    queue.hold(id, for: holder)
    queueHasMoved()
  }

  func release(_ id: Toast.ID, for holder: ToastQueue.Holder) {
    queue.release(id, for: holder, now: timeline.now)
    queueHasMoved()
  }

  private func queueHasMoved() {
    if !performers.isEmpty {
      let known = Set((queue.shown.map(\.entry) + queue.waiting).map(\.toast.id))
      performers = performers.filter { known.contains($0.key) }
    }
    timer.set(queue.nextChange) { [weak self] in
      guard let self else { return }
      queue.advance(to: timeline.now)
      queueHasMoved()
    }
  }
}
