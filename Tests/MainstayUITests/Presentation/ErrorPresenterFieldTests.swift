// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import MainstayUI
import TestSupport
import Testing

/// Where an error about fields stands: under those that are shown, and else in front.
@MainActor @Suite(.ends(withinMinutes: 2)) struct ErrorPresenterFieldTests {
  private let sink = MemorySink()
  private let monitor: ErrorMonitor
  private let presenter: ErrorPresenter

  init() {
    monitor = ErrorMonitor(sinks: [sink])
    presenter = ErrorPresenter(gap: .zero, monitor: monitor)
  }

  /// What a service answers that refuses fields, as HTTP's errors become `AppError`s.
  private func refusal(_ mistakes: (JSONPointer?, LocalizableText)...) -> AppError {
    AppError(
      code: "http.422", kind: .validation, disposition: .permanent,
      title: "The service can’t accept this", message: "Something is not acceptable.",
      field: mistakes.lazy.compactMap(\.0).first,
      underlying: mistakes.map { AppError.validation($0.1, field: $0.0, code: "http.field") })
  }

  @Test func `an error about a field that nobody shows stands in front, and is told`() async {
    presenter.present(AppError.validation("Too short.", field: "/barcode"))
    #expect(presenter.overlay?.presentation.message == "Too short.")
    #expect(presenter.item(under: "/barcode") == nil)
    presenter.overlay = nil
    presenter.present(refusal(("/member", "The card has expired."), ("/book", "It is lent out.")))
    #expect(presenter.overlay?.presentation.title == "The service can’t accept this")
    #expect(
      presenter.overlay?.presentation.message == "The card has expired.\nIt is lent out.")
    #expect(await monitor.flush(within: .patience))
    #expect(sink.reports.map(\.code) == ["validation", "http.422"])
  }

  @Test func `each mistake stands under its field, and what is left in front`() async {
    presenter.startShowing(["/email", "/name"])
    presenter.present(refusal(("/email", "Taken."), ("/name", "Too long.")))
    #expect(presenter.item(under: "/email")?.presentation.message == "Taken.")
    #expect(presenter.item(under: "/name")?.presentation.message == "Too long.")
    #expect(presenter.overlay == nil && presenter.banner == nil)
    presenter.present(
      refusal(("/email", "Blocked."), ("/plan", "It is full."), (nil, "The coupon has expired.")))
    #expect(presenter.item(under: "/email")?.presentation.message == "Blocked.")
    #expect(
      presenter.overlay?.presentation.message == "It is full.\nThe coupon has expired.")
    #expect(await monitor.flush(within: .patience))
    #expect(sink.reports.count == 1, "what stands under a field is a person's mistake")
  }

  @Test func `a field is shown as long as anybody shows it`() {
    let error = AppError.validation("Too short.", field: "/barcode")
    presenter.startShowing(["/barcode"])
    presenter.startShowing(["/barcode", "/title"])  // the screen that comes
    presenter.stopShowing(["/barcode"])  // the one that goes
    presenter.present(error)
    #expect(presenter.item(under: "/barcode") != nil && presenter.overlay == nil)
    presenter.stopShowing(["/barcode", "/title"])
    presenter.stopShowing(["/barcode"])
    presenter.present(error)
    #expect(presenter.overlay?.presentation.message == "Too short.")
  }

  @Test func `who says where it is shown is believed, as far as it names a field`() {
    presenter.present(refusal(("/email", "Taken."), (nil, "No coupon.")), as: .field)
    #expect(presenter.item(under: "/email")?.presentation.message == "Taken.")
    #expect(presenter.overlay?.presentation.message == "No coupon.")
    presenter.dismissAll()
    presenter.present(AppError.timeout(), as: .field)
    #expect(presenter.overlay?.error.kind == .timeout)
    presenter.startShowing(["/email"])
    presenter.present(refusal(("/email", "Taken.")), as: .banner)
    #expect(presenter.banner?.presentation.message == "Taken.")
  }

  @Test func `a screen that goes takes its errors along, and no others`() async {
    presenter.startShowing(["/email"])
    for owner in ["form", "list"] {
      presenter.present(AppError.timeout(), for: owner) {}
    }
    presenter.present(AppError.timeout()) {}
    presenter.present(AppError.offline(), for: "form")
    presenter.present(AppError.validation("Taken.", field: "/email"), for: "form")
    #expect(presenter.count == 5, "two owners have two errors, though they say the same")
    presenter.withdraw(for: "form")
    #expect(presenter.count == 2 && presenter.banner == nil && presenter.overlay != nil)
    #expect(presenter.item(under: "/email") == nil)
    presenter.withdraw(for: "list")
    presenter.withdraw(for: 7)
    #expect(presenter.count == 1 && presenter.overlay?.error.kind == .timeout)
    #expect(monitor.history.allSatisfy { $0.presentation?.action == nil }, "nobody chose it")
  }

  @Test func `an action about an error that is withdrawn is cancelled`() async {
    let log = Log()
    let (gate, open) = AsyncStream.makeStream(of: Never.self)
    let presenter = ErrorPresenter(gap: .zero) { _, _, _ in
      log.add("began")
      for await _ in gate {}
      if Task.isCancelled { log.add("cancelled") }
      return .retry
    }
    let error = AppError.http(status: 401)
    presenter.present(error, for: "form") { log.add("run again") }
    let task = presenter.begin(.signIn, for: error.id)
    await log.lines(atLeast: 1)
    presenter.withdraw(for: "form")
    await task?.value
    open.finish()
    #expect(log.lines == ["began", "cancelled"] && presenter.count == 0)
  }
}
