// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay
public import Observation

/// A short notice that goes away by itself.
public struct Toast: Sendable, Hashable, Codable, Identifiable {
  /// What a toast says about what happened.
  public enum Style: String, Sendable, Hashable, Codable, CaseIterable {
    /// Something to know.
    case info
    /// It worked.
    case success
    /// It worked, but.
    case warning
    /// It did not work.
    case error

    /// The name of an SF Symbol.
    public var icon: String {
      switch self {
      case .info: "info.circle"
      case .success: "checkmark.circle"
      case .warning: "exclamationmark.triangle"
      case .error: "exclamationmark.circle"
      }
    }
  }

  /// The identity of the toast.
  public let id: UUID
  /// What it says about what happened.
  public let style: Style
  /// The sentence.
  public let text: String
  /// How often the same was said while it was shown.
  public internal(set) var count: Int

  /// Makes a toast.
  public init(_ style: Style, _ text: String, id: UUID = UUID()) {
    self.id = id
    self.style = style
    self.text = text
    count = 1
  }
}

/// Which toasts are shown and which wait, by time: the pure part of ``Toasts``.
struct ToastQueue: Sendable {
  struct Shown: Sendable {
    var toast: Toast
    var until: Duration
  }

  let capacity: Int
  private(set) var shown: [Shown] = []
  private(set) var waiting: [(toast: Toast, length: Duration)] = []

  init(capacity: Int) { self.capacity = capacity }

  /// When the next toast goes away.
  var nextChange: Duration? { shown.map(\.until).min() }

  /// Shows a toast, now or when there is room; the same words again only count, and last anew.
  mutating func add(_ toast: Toast, for length: Duration, now: Duration) {
    if let same = shown.firstIndex(where: {
      $0.toast.style == toast.style && $0.toast.text == toast.text
    }) {
      shown[same].toast.count += 1
      shown[same].until = now + length
    } else if let same = waiting.firstIndex(where: {
      $0.toast.style == toast.style && $0.toast.text == toast.text
    }) {
      waiting[same].toast.count += 1
    } else {
      waiting.append((toast, length))
      fill(now: now)
    }
  }

  mutating func remove(_ id: Toast.ID, now: Duration) {
    shown.removeAll { $0.toast.id == id }
    waiting.removeAll { $0.toast.id == id }
    fill(now: now)
  }

  /// Time has passed.
  mutating func advance(to now: Duration) {
    shown.removeAll { $0.until <= now }
    fill(now: now)
  }

  private mutating func fill(now: Duration) {
    while shown.count < capacity, !waiting.isEmpty {
      let next = waiting.removeFirst()
      shown.append(Shown(toast: next.toast, until: now + next.length))
    }
  }
}

/// Shows toasts for a while, a few at a time.
///
/// The same words again only raise the count of the toast that is there.
@MainActor @Observable
public final class Toasts {
  private var queue: ToastQueue

  @ObservationIgnored private let timeline: Timeline
  @ObservationIgnored private let length: Duration
  @ObservationIgnored private let timer: RestTimer

  /// Makes a place for toasts.
  ///
  /// - Parameters:
  ///   - capacity: How many are shown at once; 1 or more, the default is 3.
  ///   - length: How long one is shown; more than zero, the default is 4 seconds. Warnings and
  ///     errors stay twice as long, since they take longer to read.
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
  public var visible: [Toast] { queue.shown.map(\.toast) }

  /// How many wait for room.
  public var waitingCount: Int { queue.waiting.count }

  /// Shows a toast, now or when there is room.
  public func show(_ style: Toast.Style, _ text: LocalizableText) {
    show(Toast(style, text.string()))
  }

  /// Shows a toast, now or when there is room.
  public func show(_ toast: Toast) {
    let isLong = toast.style == .warning || toast.style == .error
    queue.add(toast, for: isLong ? length * 2 : length, now: timeline.now)
    schedule()
  }

  /// Puts a toast away.
  public func dismiss(_ id: Toast.ID) { queue.remove(id, now: timeline.now) }

  private func schedule() {
    timer.set(queue.nextChange) { [weak self] in
      guard let self else { return }
      queue.advance(to: timeline.now)
      schedule()
    }
  }
}
