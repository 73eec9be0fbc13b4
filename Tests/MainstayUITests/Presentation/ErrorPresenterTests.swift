// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import MainstayUI
import TestSupport
import Testing

@MainActor @Suite struct ErrorPresenterTests {
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

  @Test func `shows one error at a time, and the next once it is put away`() async {
    let presenter = ErrorPresenter()
    presenter.present(Self.error("a"))
    presenter.present(Self.error("b"))
    #expect(presenter.overlay?.error.code == "a")
    presenter.overlay = nil  // what a binding does
    #expect(presenter.overlay?.error.code == "b")
    presenter.overlay = nil
    #expect(presenter.overlay == nil && presenter.count == 0)
  }

  @Test func `nothing changes under a finger, then the most severe is next`() {
    let presenter = ErrorPresenter()
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
    let presenter = ErrorPresenter(monitor: monitor)
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
    presenter.present(Self.error("mistake", field: "/name"))
    #expect(await monitor.flush(within: .patience))
    #expect(sink.reports.map(\.code) == ["a", "b"])
  }

  @Test func `the same error again only counts`() {
    let presenter = ErrorPresenter()
    for _ in 0..<5 { presenter.present(Self.error("a")) }
    #expect(presenter.count == 1 && presenter.overlay?.count == 5)
  }

  @Test(.requirement("C11", "D26", "T20")) func `being offline is a banner beside the overlay`() {
    let presenter = ErrorPresenter()
    presenter.present(Self.offline) {}
    presenter.present(Self.error("a"))
    #expect(presenter.banner?.error.code == "offline")
    #expect(presenter.banner?.actions.contains { $0.id == RecoveryAction.retry.id } == true)
    #expect(presenter.overlay?.error.code == "a")
    presenter.banner = nil
    #expect(presenter.banner == nil && presenter.overlay != nil)
  }

  @Test(.requirement("E21")) func `a field's error stands under its field`() {
    let presenter = ErrorPresenter()
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
    let presenter = ErrorPresenter()
    presenter.present(error)
    #expect(presenter.count == 0)
  }

  @Test(.requirement("A15", "A57", "E19", "T10"))
  func `Retry stands only where there is something to run, and runs once`() async {
    let presenter = ErrorPresenter()
    presenter.present(Self.error("bare"))
    #expect(presenter.overlay?.actions.map(\.id) == ["dismiss"])
    presenter.dismissAll()
    let log = Log()
    presenter.present(Self.error("a")) { log.add("retried") }
    let item = presenter.overlay
    #expect(item?.actions.map(\.id) == ["retry", "dismiss"])
    guard let id = item?.id else { return }
    await presenter.choose(.retry, for: id)
    await presenter.choose(.retry, for: id)
    #expect(log.lines == ["retried"])
    #expect(presenter.overlay == nil)
  }

  @Test(.requirement("E9")) func `what a retry meets is presented anew`() async {
    let presenter = ErrorPresenter()
    presenter.present(Self.error("a")) {
      #expect(presenter.overlay == nil, "put away first")
      presenter.present(Self.error("a"))
    }
    guard let id = presenter.overlay?.id else { return }
    await presenter.choose(.retry, for: id)
    #expect(presenter.overlay?.error.code == "a" && presenter.overlay?.count == 1)
  }

  @Test(.requirement("B40")) func `other actions go to the app`() async {
    let log = Log()
    let presenter = ErrorPresenter { action, error in
      log.add("\(action.id.rawValue) \(error.code)")
    }
    presenter.present(AppError.http(status: 401))
    guard let id = presenter.overlay?.id else { return }
    await presenter.choose(.signIn, for: id)
    #expect(log.lines == ["sign-in http.401"])
    await presenter.choose(.dismiss, for: id)
    #expect(presenter.count == 0)
  }

  @Test func `too many are dropped, the mildest first, and counted`() {
    let presenter = ErrorPresenter()
    presenter.present(Self.error("shown", .info))
    for number in 1...ErrorPresenter.capacity {
      let code = ErrorCode("e\(number)") ?? "none"
      presenter.present(Self.error(code, number == 3 ? .info : .error))
    }
    #expect(presenter.count == ErrorPresenter.capacity && presenter.droppedCount == 1)
    #expect(presenter.overlay?.error.code == "shown", "what is shown stays")
  }
}

@Suite struct ErrorPresentationTests {
  private func presentation(
    _ kind: ErrorKind, _ disposition: Disposition, help: URL? = nil
  ) -> ErrorPresentation? {
    ErrorPresentation(
      AppError(
        code: "a", kind: kind, disposition: disposition, title: "T happened", message: "M.",
        help: help))
  }

  @Test(.requirement("A33")) func `picture and colour go by what happened`() {
    let cases: [(ErrorKind, Disposition, String, ErrorPresentation.Tint)] = [
      (.offline, .transient(), "wifi.slash", .orange),
      (.unauthorized, .needsUser, "exclamationmark.triangle", .yellow),
      (.validation, .permanent, "exclamationmark.triangle", .yellow),
      (.server, .transient(), "arrow.clockwise.circle", .blue),
      (.server, .permanent, "exclamationmark.circle", .red),
      (.unknown, .unclassified, "exclamationmark.circle", .red),
    ]
    for (kind, disposition, icon, tint) in cases {
      let look = presentation(kind, disposition)
      #expect(look?.icon == icon && look?.tint == tint, "\(kind) \(disposition)")
    }
  }

  @Test(.requirement("C12", "A31")) func `Help stands where there is a page, Dismiss always`()
    throws
  {
    #expect(presentation(.server, .permanent)?.actions.map(\.id) == ["dismiss"])
    let help = try #require(URL(string: "https://example.com/help"))
    #expect(
      presentation(.server, .permanent, help: help)?.actions.map(\.id) == ["dismiss", "help"])
  }

  @Test(.requirement("A32", "E11")) func `an error without texts gets some`() throws {
    struct Bare: Error {}
    let words = try #require(ErrorPresentation(AppError.from(Bare())))
    #expect(!words.title.isEmpty && !words.message.isEmpty)
    #expect(!words.message.contains("Bare") && !words.message.contains("error 1"))
  }
}
