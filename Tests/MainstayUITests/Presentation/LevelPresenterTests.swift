// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import MainstayUI
import TestSupport
import Testing

@MainActor @Suite(.requirement("A25", "A27"), .ends(withinMinutes: 2)) struct LevelPresenterTests {
  private let clock = ManualClock()
  private let english = Locale(identifier: "en")
  private let plan = DegradationPlan.standard.with(features: [
    .init("sync", needs: [.network], fromLevel: .basic, alternative: "Changes are sent later."),
    .init("scan", needs: [.camera], alternative: "Type the number."),
    .init("read"),
  ])

  @Test func `everything works: there is nothing to say`() {
    let controller = DegradationController(plan, clock: clock)
    let presenter = LevelPresenter(following: controller, locale: english)
    #expect(presenter.presentation == nil && presenter.isAvailable("sync"))
    controller.end()
  }

  @Test func `it says why, what cannot be used and what to do instead, down and up once`() async {
    let controller = DegradationController(
      plan, dwell: .seconds(5), riseDelay: .seconds(3), clock: clock)
    let toasts = Toasts(length: .seconds(600), clock: clock)
    let presenter = LevelPresenter(following: controller, toasts: toasts, locale: english)
    await change {
      _ = presenter.status
    } after: {
      controller.report([.network: false, .camera: false])
    }
    let presentation = presenter.presentation
    #expect(presentation?.level == .offline && presentation?.icon == "wifi.slash")
    #expect(presentation?.reasons.first?.hasPrefix("There is no connection.") == true)
    #expect(
      presentation?.gaps.map(\.alternative) == ["Changes are sent later.", "Type the number."])
    #expect(!presenter.isAvailable("sync") && presenter.isAvailable("read"))
    await change {
      _ = presenter.status
    } after: {
      controller.report([.network: true, .camera: true])
    }
    await clock.sleepers(atLeast: 1)
    await change {
      _ = presenter.status
    } after: {
      clock.advance(by: .seconds(5))
    }
    #expect(presenter.status.level == .full && presenter.presentation == nil)
    while toasts.visible.count < 2, !Task.isCancelled { await Task.yield() }
    #expect(toasts.visible.map(\.style) == [.warning, .success])
    #expect(toasts.visible.map(\.count) == [1, 1])
    controller.end()
  }

  @Test func `a toast has the language of the reasons`() async {
    let german = Locale(identifier: "de_DE")
    let controller = DegradationController(plan, clock: clock)
    let toasts = Toasts(length: .seconds(600), clock: clock)
    let presenter = LevelPresenter(following: controller, toasts: toasts, locale: german)
    let changes = controller.changes
    controller.report(.network, isMet: false)
    var iterator = changes.makeAsyncIterator()
    let change = await iterator.next()
    while toasts.visible.isEmpty, !Task.isCancelled { await Task.yield() }
    #expect(toasts.visible.map(\.text) == [change?.notice.string(in: german)])
    #expect(toasts.visible.first?.text != change?.notice.string(in: english))
    withExtendedLifetime(presenter) { controller.end() }
  }

  @Test(arguments: [
    (FeatureLevel.limited, ErrorPresentation.Tint.yellow, DegradationPlan.NeedID.camera),
    (.basic, .yellow, .storage), (.offline, .orange, .network), (.minimal, .red, .memory),
  ])
  func `each level has its look`(
    level: FeatureLevel, tint: ErrorPresentation.Tint, need: DegradationPlan.NeedID
  ) {
    let controller = DegradationController(.standard, clock: clock)
    controller.report(need, isMet: false)
    let presentation = LevelPresentation(controller.status, locale: english)
    #expect(presentation?.level == level && presentation?.tint == tint)
    #expect(presentation?.reasons.count == 1 && presentation?.gaps.isEmpty == true)
    controller.end()
  }
}
