// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import MainstayUI
import TestSupport
import Testing

@MainActor @Suite(.ends(withinMinutes: 2)) struct ErrorPresenterTests {
  private static func error(
    _ code: ErrorCode, _ severity: Severity = .error, kind: ErrorKind = .server,
    disposition: Disposition = .transient(), field: JSONPointer? = nil
  ) -> AppError {
    AppError(
      code: code, kind: kind, disposition: disposition, severity: severity,
      title: "A \(code.rawValue)",
      message: "It did not work.", field: field)
  }

  private static let offline = error("offline", .warning, kind: .offline)

  @Test(.requirement("E7")) func `shows one error at a time, and the next once it is put away`()
    async
  {
    let presenter = ErrorPresenter(gap: .zero)
    presenter.present(Self.error("a"))
    presenter.present(Self.error("b"))
    #expect(presenter.overlay?.error.code == "a")
    presenter.overlay = nil  // what a binding does
    #expect(presenter.overlay?.error.code == "b")
    presenter.overlay = nil
    #expect(presenter.overlay == nil && presenter.count == 0)
  }

  @Test func `nothing changes under a finger, then the most severe is next`() {
    let presenter = ErrorPresenter(gap: .zero)
    presenter.present(Self.error("mild", .warning))
    presenter.present(Self.error("milder", .info))
    presenter.present(Self.error("worst", .critical))
    #expect(presenter.overlay?.error.code == "mild")
    presenter.overlay = nil
    #expect(presenter.overlay?.error.code == "worst")
  }

  @Test(.requirement("A37", "A49"))
  func `tells the team what a person saw, and what they chose`() async {
    let sink = MemorySink()
    let monitor = ErrorMonitor(sinks: [sink])
    let presenter = ErrorPresenter(gap: .zero, monitor: monitor)
    let (first, second) = (Self.error("a"), Self.error("b"))
    presenter.present(first) {}
    presenter.present(second)
    func presentation(_ error: AppError) -> ErrorReport.Presentation? {
      monitor.history.first { $0.id == error.id }?.presentation
    }
    #expect(presentation(first)?.style == "overlay" && presentation(first)?.action == nil)
    #expect(presentation(second) == nil, "nobody has seen it")
    await presenter.choose(.retry, for: first.id)
    #expect(presentation(first)?.action == RecoveryAction.retry.id)
    #expect(presentation(second)?.style == "overlay")
    presenter.overlay = nil
    #expect(presentation(second)?.action == RecoveryAction.dismiss.id)
    presenter.startShowing(["/name"])
    presenter.present(Self.error("mistake", field: "/name"))
    #expect(await monitor.flush(within: .patience))
    #expect(sink.reports.map(\.code) == ["a", "b"])
  }

  @Test(.requirement("A37"))
  func `what waits is put away with the rest, and told to nobody as shown`() {
    let monitor = ErrorMonitor(sinks: [MemorySink()])
    let presenter = ErrorPresenter(gap: .zero, monitor: monitor)
    let errors = [Self.error("a"), Self.error("b"), Self.error("c", .critical)]
    for error in errors { presenter.present(error) }
    presenter.withdraw { $0.code != "b" }
    #expect(presenter.overlay?.error.code == "b")
    presenter.present(errors[2])
    presenter.dismissAll()
    #expect(presenter.count == 0 && presenter.overlay == nil)
    let seen = monitor.history.filter { $0.presentation != nil }
    #expect(Set(seen.map(\.code)) == ["a", "b"], "c was never shown")
  }

  @Test func `everything that it shows is in the language of the reader`() async throws {
    let german = Locale(identifier: "de_DE")
    let presenter = ErrorPresenter(gap: .zero, locale: german) { _, _, _ in
      throw AppError.offline()
    }
    let error = AppError.cameraDenied()
    presenter.present(error)
    let item = try #require(presenter.overlay)
    #expect(item.presentation == ErrorPresentation(error, locale: german))
    #expect(item.presentation.title != error.title.description)
    let action = try #require(item.actions.first { $0.id != RecoveryAction.dismiss.id })
    await presenter.choose(action, for: item.id)
    let failure = try #require(presenter.overlay?.actionFailure)
    #expect(failure.title == AppError.offline().title.string(in: german))
    for action in item.actions {
      let label = item.presentation.label(of: action)
      #expect(label == action.title.string(in: german))
      #expect(label != action.title.string(in: Locale(identifier: "en")))
    }
  }

  @Test func `the same error again only counts`() {
    let presenter = ErrorPresenter(gap: .zero)
    for _ in 0..<5 { presenter.present(Self.error("a")) }
    #expect(presenter.count == 1 && presenter.overlay?.count == 5)
  }

  @Test(.requirement("C11", "D26", "T20")) func `being offline is a banner beside the overlay`() {
    let presenter = ErrorPresenter(gap: .zero)
    presenter.present(Self.offline) {}
    presenter.present(Self.error("a"))
    #expect(presenter.banner?.error.code == "offline")
    #expect(presenter.banner?.actions.contains { $0.id == RecoveryAction.retry.id } == true)
    #expect(presenter.overlay?.error.code == "a")
    presenter.banner = nil
    #expect(presenter.banner == nil && presenter.overlay != nil)
  }

  @Test(.requirement("E21")) func `a field's error stands under its field`() {
    let presenter = ErrorPresenter(gap: .zero)
    presenter.startShowing(["/barcode", "/title"])
    presenter.present(
      Self.error("a", kind: .validation, disposition: .permanent, field: "/barcode"))
    #expect(presenter.overlay == nil && presenter.banner == nil)
    #expect(presenter.item(under: "/barcode")?.error.code == "a")
    #expect(presenter.item(under: "/title") == nil)
  }

  @Test(
    .requirement("E8", "E12", "T4"),
    arguments: [CancellationError() as any Error, AppError.cancelled(), CocoaError(.userCancelled)])
  func `a cancellation is never shown`(error: any Error) {
    let presenter = ErrorPresenter(gap: .zero)
    presenter.present(error)
    #expect(presenter.count == 0)
  }

  @Test(.requirement("A15", "A57", "E19", "T10"))
  func `Retry stands only where there is something to run, and runs once`() async throws {
    let presenter = ErrorPresenter(gap: .zero)
    presenter.present(Self.error("bare"))
    #expect(presenter.overlay?.actions.map(\.id) == ["dismiss"])
    presenter.dismissAll()
    let log = Log()
    presenter.present(Self.error("a")) { log.add("retried") }
    let item = presenter.overlay
    #expect(item?.actions.map(\.id) == ["retry", "dismiss"])
    let id = try #require(item?.id)
    await presenter.choose(.retry, for: id)
    await presenter.choose(.retry, for: id)
    #expect(log.lines == ["retried"])
    #expect(presenter.overlay == nil)
  }

  @Test(.requirement("E9")) func `what a retry meets is presented anew`() async throws {
    let presenter = ErrorPresenter(gap: .zero)
    presenter.present(Self.error("a")) {
      #expect(presenter.overlay == nil, "put away first")
      presenter.present(Self.error("a"))
    }
    let id = try #require(presenter.overlay?.id)
    await presenter.choose(.retry, for: id)
    #expect(presenter.overlay?.error.code == "a" && presenter.overlay?.count == 1)
  }

  @Test func `too many are dropped, the mildest first, and counted`() {
    let presenter = ErrorPresenter(gap: .zero)
    presenter.present(Self.error("shown", .info))
    for number in 1...ErrorPresenter.capacity {
      let code = ErrorCode("e\(number)") ?? "none"
      presenter.present(Self.error(code, number == 3 ? .info : .error))
    }
    #expect(presenter.count == ErrorPresenter.capacity && presenter.droppedCount == 1)
    #expect(presenter.overlay?.error.code == "shown", "what is shown stays")
  }

  @Test func `what stands under its field stays, however much comes elsewhere`() {
    let presenter = ErrorPresenter(gap: .zero)
    let fields = (1...25).map { JSONPointer(tokens: ["field \($0)"]) }
    presenter.startShowing(Set(fields))
    for field in fields { presenter.present(AppError.validation("Wrong.", field: field)) }
    for number in 1...21 { presenter.present(Self.error(ErrorCode("e\(number)") ?? "none")) }
    #expect(fields.allSatisfy { presenter.item(under: $0) != nil })
    #expect(presenter.count == 45 && presenter.droppedCount == 1)
  }

  @Test func `after one there is a gap, so that an alert does not take along the next`() async {
    let clock = ManualClock()
    let presenter = ErrorPresenter(clock: clock)
    presenter.present(Self.error("a"))
    presenter.present(Self.error("b"))
    presenter.overlay = nil
    #expect(presenter.overlay == nil && presenter.count == 1)
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .milliseconds(299))
    #expect(presenter.overlay == nil)
    await change {
      _ = presenter.overlay
    } after: {
      clock.advance(by: .milliseconds(1))
    }
    #expect(presenter.overlay?.error.code == "b")
  }

  @Test func `the worst of what comes together is first`() async {
    let clock = ManualClock()
    let presenter = ErrorPresenter(gathering: .milliseconds(100), clock: clock)
    presenter.present(Self.error("mild", .warning))
    presenter.present(Self.error("worst", .critical))
    #expect(presenter.overlay == nil)
    await clock.sleepers(atLeast: 1)
    await change {
      _ = presenter.overlay
    } after: {
      clock.advance(by: .milliseconds(100))
    }
    #expect(presenter.overlay?.error.code == "worst")
  }

  @Test func `one failure in several words is one error, which says them all`() {
    func unsaved(_ name: String) -> AppError {
      AppError(
        code: "save.failed", kind: .server, disposition: .transient(), title: "Not saved",
        message: "\(name) could not be saved.")
    }
    let presenter = ErrorPresenter(gap: .zero)
    for name in ["Dune", "Emma", "Dune", "Ulysses"] { presenter.present(unsaved(name)) }
    #expect(presenter.count == 1 && presenter.overlay?.count == 4)
    #expect(presenter.overlay?.presentation.message == "Dune could not be saved.")
    #expect(
      presenter.overlay?.alike.map(\.message) == [
        "Emma could not be saved.", "Ulysses could not be saved.",
      ])
    for number in 0..<100 { presenter.present(unsaved("\(number)")) }
    #expect(presenter.overlay?.count == 104 && presenter.overlay?.alike.count == 10)
  }

  @Test(
    arguments: [
      { AppError.validation($0) }, { AppError.unknown(message: $0) },
      {
        AppError(
          code: "disk", kind: .storage, disposition: .transient(), title: "T", message: $0,
          underlying: [POSIXError($0 == "No paper." ? .EIO : .ENXIO)])
      },
    ] as [@Sendable (LocalizableText) -> AppError])
  func `two sentences of two causes are two errors`(
    error: @Sendable (LocalizableText) -> AppError
  ) {
    let presenter = ErrorPresenter(gap: .zero)
    for text: LocalizableText in ["No paper.", "No ink.", "No paper.", "No ink."] {
      presenter.present(error(text))
    }
    #expect(presenter.count == 2 && presenter.overlay?.count == 2)
    #expect(presenter.overlay?.presentation.message == "No paper.")
    presenter.overlay = nil
    #expect(presenter.overlay?.presentation.message == "No ink.")
  }

  @Test func `two sentences without arguments of one cause are one error, which says both`() {
    let presenter = ErrorPresenter(gap: .zero)
    for text: LocalizableText in ["The card expired.", "The account is empty."] {
      presenter.present(
        AppError(code: "pay", kind: .server, disposition: .permanent, title: "T", message: text))
    }
    #expect(presenter.count == 1 && presenter.overlay?.count == 2)
    #expect(presenter.overlay?.alike.map(\.message) == ["The account is empty."])
  }

  @Test func `under a field the newest words stand, and the others are kept`() {
    let presenter = ErrorPresenter(gap: .zero)
    presenter.startShowing(["/email"])
    for text: LocalizableText in ["Too short.", "Taken.", "Too short.", "Taken."] {
      presenter.present(AppError.validation(text, field: "/email"))
    }
    let item = presenter.item(under: "/email")
    #expect(presenter.count == 1 && item?.count == 4)
    #expect(item?.error.message == "Taken." && item?.presentation.message == "Taken.")
    #expect(item?.alike.map(\.message) == ["Too short."])
    presenter.present(AppError.validation("Not yours.", field: "/email", code: "own"))
    #expect(presenter.item(under: "/email")?.presentation.message == "Not yours.")
    #expect(presenter.item(under: "/email")?.alike.map(\.message) == ["Too short.", "Taken."])
  }

  @Test func `the same words of two causes are one error`() {
    let presenter = ErrorPresenter(gap: .zero)
    for code in [POSIXError.Code.EIO, .ENXIO] {
      let error = AppError(
        code: "disk", kind: .storage, disposition: .transient(), title: "T", message: "M.",
        underlying: [POSIXError(code)])
      presenter.present(error)
    }
    #expect(presenter.overlay?.count == 2)
  }

  @Test(.requirement("A15", "A57")) func `Retry runs all that failed alike, each once`()
    async throws
  {
    let presenter = ErrorPresenter(gap: .zero)
    let log = Log()
    for name in ["list", "basket", "list"] {
      presenter.present(Self.error("a"), during: name) { log.add(name) }
    }
    presenter.present(Self.error("a")) { log.add("elsewhere") }
    let id = try #require(presenter.overlay?.id)
    await presenter.choose(.retry, for: id)
    #expect(log.lines.sorted() == ["basket", "elsewhere", "list"])
  }

  @Test(.requirement("A15", "A57")) func `Retry runs what one line did to several things`()
    async throws
  {
    let presenter = ErrorPresenter(gap: .zero)
    let log = Log()
    for draft in [1, 2, 1] {
      presenter.present(Self.error("a"), during: "Save", of: draft) { log.add("draft \(draft)") }
    }
    presenter.present(Self.error("a"), during: "Save", of: "1") { log.add("another 1") }
    let id = try #require(presenter.overlay?.id)
    await presenter.choose(.retry, for: id)
    #expect(log.lines.sorted() == ["another 1", "draft 1", "draft 2"])
  }

  @Test func `one failure in two places is two items, each with work of its own`() async throws {
    let presenter = ErrorPresenter(gap: .zero)
    let (error, log) = (Self.error("sync"), Log())
    presenter.present(error, as: .banner)
    presenter.present(error) { log.add("retried") }
    let (banner, overlay) = try #require(presenter.both)
    #expect(banner.id == error.id && overlay.id != error.id)
    #expect(banner.actions.map(\.id) == ["dismiss"])
    presenter.banner = nil
    #expect(presenter.banner == nil && presenter.overlay?.id == overlay.id)
    await presenter.choose(.retry, for: overlay.id)
    #expect(log.lines == ["retried"] && presenter.count == 0)
  }

  @Test func `one failure under two fields is withdrawn from one of them`() {
    let presenter = ErrorPresenter(gap: .zero)
    let error = Self.error("weak", kind: .validation, disposition: .permanent)
    presenter.startShowing(["/password", "/repeat"])
    for field: JSONPointer in ["/password", "/repeat"] {
      presenter.present(error.about(field: field))
    }
    presenter.withdraw { $0.field == "/password" }
    #expect(presenter.item(under: "/password") == nil)
    #expect(presenter.item(under: "/repeat")?.error.code == "weak")
  }

  @Test func `what is no longer so goes away, and nobody chose it`() async {
    let sink = MemorySink()
    let monitor = ErrorMonitor(sinks: [sink])
    let presenter = ErrorPresenter(gap: .zero, monitor: monitor)
    presenter.present(Self.offline)
    presenter.present(Self.error("a"))
    presenter.withdraw { $0.kind == .offline }
    #expect(presenter.banner == nil && presenter.overlay?.error.code == "a")
    #expect(monitor.history.allSatisfy { $0.presentation?.action == nil })
  }

  @Test func `work in the background is told at the edge`() {
    let presenter = ErrorPresenter(gap: .zero)
    presenter.present(Self.error("sync"), as: .banner)
    #expect(presenter.banner?.presentation.style == .banner && presenter.overlay == nil)
  }

  @Test func `ten thousand errors leave twenty, and what is shown stays`() {
    let presenter = ErrorPresenter(gap: .zero)
    for number in 1...10_000 {
      presenter.present(Self.error(ErrorCode("e\(number)") ?? "none")) {}
    }
    #expect(presenter.count == 20 && presenter.droppedCount == 9_980)
    #expect(presenter.overlay?.error.code == "e1")
  }
}

extension ErrorPresenter {
  fileprivate var both: (banner: Item, overlay: Item)? {
    guard let banner, let overlay else {
      Issue.record("One of the two is not shown.")
      return nil
    }
    return (banner, overlay)
  }
}
