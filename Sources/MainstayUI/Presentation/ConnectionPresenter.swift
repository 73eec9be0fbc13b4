// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay
public import Observation

/// Shows how the device is connected: always as a dot, and as a banner while there is something to
/// say.
///
/// ```swift
/// let connection = ConnectionPresenter(following: monitor, note: "Changes are sent later.")
/// if let banner = connection.banner { Text(banner.title) }
/// ```
///
/// A monitor damps what it presents, so the banner does not flicker. It never alerts: being offline
/// is a state, not a mishap. When the connection is back, the banner says so for a while.
@MainActor @Observable
public final class ConnectionPresenter {
  /// The connection by now, for a dot; it never goes away.
  public private(set) var presentation: ConnectionPresentation
  /// What is said at the edge; nil where all is well, or the person has put it away.
  public private(set) var banner: ConnectionPresentation?

  @ObservationIgnored private var notice = ConnectionNotice()
  @ObservationIgnored private let monitor: ConnectivityMonitor
  @ObservationIgnored private let note: LocalizableText?
  @ObservationIgnored private let locale: Locale
  @ObservationIgnored private let length: Duration
  @ObservationIgnored private let timeline: Timeline
  @ObservationIgnored private let timer: RestTimer
  @ObservationIgnored private var following: [Task<Void, Never>] = []

  /// Makes a presenter, and begins to follow a monitor.
  ///
  /// - Parameters:
  ///   - monitor: Who knows the connection.
  ///   - note: What it means for this app while there is no connection, such as "Changes are kept
  ///     and sent later."; nil, the default, is nothing.
  ///   - length: How long it says that the connection is back; more than zero, the default is three
  ///     seconds.
  ///   - locale: The language of the reader.
  ///   - clock: The clock; the default is the continuous one.
  public init(
    following monitor: ConnectivityMonitor, note: LocalizableText? = nil,
    length: Duration = .seconds(3), locale: Locale = .current,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    precondition(length > .zero, "ConnectionPresenter(length: \(length)) is not legal: more than 0")
    self.monitor = monitor
    self.note = note
    self.length = length.clamped
    self.locale = locale
    timeline = Timeline(clock)
    timer = RestTimer(on: timeline)
    presentation = ConnectionPresentation(.connected, locale: locale)
    read()
    // The words change with either: a portal that is found where nothing got through is no change
    // of status.
    following = [follow(monitor.statuses), follow(monitor.presentation)]
  }

  isolated deinit { for task in following { task.cancel() } }

  /// Puts the banner away until the connection changes.
  public func dismissBanner() {
    notice.putAway()
    show()
  }

  private func follow(_ changes: AsyncStream<some Sendable>) -> Task<Void, Never> {
    Task { [weak self] in
      for await _ in changes { self?.read() }
    }
  }

  private func read() {
    let isPortal = monitor.presented.standing == .portal
    notice.take(monitor.status, isPortal: isPortal, length: length, now: timeline.now)
    show()
  }

  private func show() {
    notice.advance(to: timeline.now)
    let dot = words(isBack: false)
    if dot != presentation { presentation = dot }
    let edge = notice.isShown ? words(isBack: notice.isBack) : nil
    if edge != banner { banner = edge }
    timer.set(notice.nextChange) { [weak self] in self?.show() }
  }

  private func words(isBack: Bool) -> ConnectionPresentation {
    ConnectionPresentation(
      notice.status, isPortal: notice.isPortal, isBack: isBack, note: note, locale: locale)
  }
}
