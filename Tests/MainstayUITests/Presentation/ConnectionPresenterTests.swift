// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import MainstayUI
import TestSupport
import Testing

@MainActor @Suite(.requirement("C11", "D26"), .ends(withinMinutes: 2))
struct ConnectionPresenterTests {
  private let clock = ManualClock()
  private let source = ScriptedConnectivitySource(.online)
  private let english = Locale(identifier: "en")

  private func presenter() -> (presenter: ConnectionPresenter, monitor: ConnectivityMonitor) {
    let monitor = ConnectivityMonitor(source: source, clock: clock, seed: 3)
    let presenter = ConnectionPresenter(
      following: monitor, note: "Changes are kept.", locale: english, clock: clock)
    return (presenter, monitor)
  }

  /// Moves the clock to whatever is waited for next, until something is so.
  private func advance(until isSo: () -> Bool) async {
    while !isSo() {
      // Only so far: whoever has just been woken may take its time to wait for something again.
      if let wait = clock.nextWakeUp { clock.advance(by: wait) }
      await Task.yield()
    }
  }

  @Test func `all is well: a dot and no banner`() {
    let (presenter, monitor) = presenter()
    #expect(presenter.presentation.title == "Connected" && presenter.presentation.tint == .green)
    #expect(presenter.presentation.action == nil && presenter.presentation.message == nil)
    #expect(presenter.banner == nil)
    monitor.shutDown()
  }

  @Test func `the banner comes, says that the connection is back, and goes`() async {
    let (presenter, monitor) = presenter()
    source.say(.offline)
    await advance { presenter.banner != nil }
    #expect(presenter.banner?.title == "No connection")
    #expect(presenter.banner?.message == "Changes are kept.")
    #expect(presenter.banner?.icon == "wifi.slash" && presenter.banner?.tint == .orange)
    #expect(presenter.banner?.accessibilityLabel == "No connection. Changes are kept.")
    #expect(presenter.presentation == presenter.banner)
    source.say(.online)
    await advance { presenter.banner?.status == .connected }
    #expect(presenter.banner?.title == "Connected again" && presenter.banner?.message == nil)
    await advance { presenter.banner == nil }
    #expect(presenter.presentation.title == "Connected")
    monitor.shutDown()
  }

  @Test func `a banner that was put away stays away until something changes`() async {
    let (presenter, monitor) = presenter()
    source.say(.offline)
    await advance { presenter.banner != nil }
    presenter.dismissBanner()
    #expect(presenter.banner == nil && presenter.presentation.status == .disconnected)
    source.say(.online)
    await advance { presenter.banner != nil }
    #expect(presenter.banner?.title != "No connection")
    monitor.shutDown()
  }

  @Test func `each status has words, in each language, and no two the same`() {
    let values: [(ConnectionStatus, isPortal: Bool, isBack: Bool)] = [
      (.connected, false, false), (.connected, false, true), (.reconnecting, false, false),
      (.disconnected, false, false), (.failed, false, false), (.failed, true, false),
    ]
    var titles: Set<String> = []
    var labels: Set<String> = []
    for language in ["en", "de", "es", "fr", "ja", "zh-Hans"] {
      let words = values.map {
        ConnectionPresentation(
          $0, isPortal: $1, isBack: $2, locale: Locale(identifier: language))
      }
      titles.formUnion(words.map(\.title))
      #expect(words.allSatisfy { !$0.title.isEmpty && !$0.title.contains("connection.") })
      #expect(words.map { $0.action?.id }.compactMap(\.self) == ["open-portal"])
      labels.formUnion(words.map { $0.label(of: .dismiss) })
    }
    #expect(titles.count == 36)
    #expect(labels.count == 6, "a button has the words of its language")
  }
}
