// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import MainstayUI
import TestSupport
import Testing

/// What runs again once what stood in the way is gone.
@MainActor @Suite(.ends(withinMinutes: 2)) struct ErrorPresenterRetryTests {
  private let presenter = ErrorPresenter(gap: .zero)
  private let log = Log()

  private func present(_ error: AppError, _ name: String, fails: Bool = false) {
    presenter.present(error, during: name) { [presenter, log] in
      log.add(name)
      if fails { presenter.present(AppError.offline(), during: name + " again") }
    }
  }

  @Test func `once it is over the work runs again, and what is about something else stays`() async {
    present(.offline(), "a")
    present(.timeout(), "other")
    present(AppError.Network.offline.appError, "b")
    presenter.present(AppError.offline(), as: .overlay)
    present(.offline(), "c", fails: true)
    let run = presenter.retry { $0.kind == .offline }
    #expect(presenter.banner == nil, "put away before anything runs")
    await run?.value
    #expect(log.lines.sorted() == ["a", "b", "c"])
    #expect(presenter.overlay?.error.kind == .timeout)
    #expect(presenter.banner?.error.kind == .offline && presenter.count == 2, "it failed anew")
    let last = presenter.retry { $0.kind == .offline }
    #expect(last == nil && presenter.count == 1, "there is no work left")
  }

  @Test func `what may have been done is not done again, and still seen`() async {
    present(AppError.offline().with(disposition: .unknownOutcome), "payment")
    present(AppError.offline().with(disposition: .permanent), "over")
    #expect(presenter.retry { $0.kind == .offline } == nil)
    #expect(presenter.banner?.error.disposition == .unknownOutcome && presenter.count == 1)
    #expect(log.lines.isEmpty)
  }

  @Test func `work that two errors have runs once`() async {
    for style in [ErrorPresentation.Style.banner, .overlay] {
      presenter.present(AppError.offline(), as: style) { [log] in log.add("saved") }
    }
    #expect(presenter.count == 2)
    await presenter.retry { _ in true }?.value
    #expect(log.lines == ["saved"] && presenter.count == 0)
  }
}
