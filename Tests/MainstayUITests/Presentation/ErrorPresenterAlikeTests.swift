// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayTesting
import MainstayUI
import TestSupport
import Testing

/// Which errors are one item, and what its buttons run.
@MainActor @Suite(.requirement("A15", "A57"), .ends(withinMinutes: 2))
struct ErrorPresenterAlikeTests {
  /// What a call meets while the service is down that may be made again, and one that may not.
  private nonisolated static let outages: [(load: AppError, pay: AppError)] = [
    (.http(status: 503, isRepeatable: true), .http(status: 503, isRepeatable: false)),
    (.timeout(), .timeout().with(disposition: .unknownOutcome)),
  ]

  @Test(arguments: outages.indices, [true, false])
  func `Retry never runs work whose outcome is unknown`(index: Int, loadsFirst: Bool) async throws {
    let (load, pay) = Self.outages[index]
    let presenter = ErrorPresenter(gap: .zero)
    let log = Log()
    func fail(to isLoad: Bool) {
      presenter.present(isLoad ? load : pay, during: isLoad ? "Load" : "Pay") {
        log.add(isLoad ? "load" : "pay")
      }
    }
    fail(to: loadsFirst)
    fail(to: !loadsFirst)
    #expect(presenter.count == 2)
    var buttons: [[RecoveryAction.ID]] = []
    while let item = presenter.overlay {
      buttons.append(item.actions.map(\.id))
      let retry = item.actions.first { $0.id == RecoveryAction.retry.id }
      await presenter.choose(retry ?? .dismiss, for: item.id)
    }
    let loads: [RecoveryAction.ID] = ["retry", "dismiss"]
    #expect(buttons == (loadsFirst ? [loads, ["dismiss"]] : [["dismiss"], loads]))
    #expect(log.lines == ["load"])
  }

  @Test func `what was found out about one payment says nothing about another`() async throws {
    let log = Log()
    let presenter = ErrorPresenter(gap: .zero) { _, error, _ in
      log.add("check \(error.details ?? "")")
      return .retry
    }
    func fail(to pay: String) {
      let error = AppError(
        code: "pay", kind: .timeout, disposition: .unknownOutcome, title: "Not sure",
        message: "Nobody knows whether it was paid.", details: pay)
      presenter.present(error, during: "Pay", of: pay) { log.add("pay \(pay)") }
    }
    for pay in ["rent", "power", "rent"] { fail(to: pay) }
    #expect(presenter.count == 2 && presenter.overlay?.count == 2)
    await presenter.choose(.checkOutcome, for: try #require(presenter.overlay?.id))
    #expect(log.lines == ["check rent", "pay rent"])
    await presenter.choose(.checkOutcome, for: try #require(presenter.overlay?.id))
    #expect(log.lines == ["check rent", "pay rent", "check power", "pay power"])
    #expect(presenter.count == 0)
  }

  @Test func `under a field the buttons are those of the newest, and run its work alone`() async {
    let presenter = ErrorPresenter(gap: .zero) { _, _, _ in .unchanged }
    presenter.startShowing(["/card"])
    let log = Log()
    for (disposition, name) in [(Disposition.unknownOutcome, "pay"), (.transient(), "check")] {
      let error = AppError(
        code: "card", kind: .server, disposition: disposition, title: "Not sure",
        message: "The card could not be checked.", field: "/card")
      presenter.present(error, during: name) { log.add(name) }
    }
    let item = presenter.item(under: "/card")
    #expect(presenter.count == 1 && item?.actions.map(\.id) == ["retry", "dismiss"])
    guard let id = item?.id else { return }
    await presenter.choose(.retry, for: id)
    #expect(log.lines == ["check"])
  }

  @Test func `the same words of several codes are one item`() {
    let presenter = ErrorPresenter(gap: .zero)
    for status in [500, 503, 502] {
      presenter.present(AppError.http(status: status, isRepeatable: true)) {}
    }
    #expect(presenter.count == 1 && presenter.overlay?.count == 3)
    #expect(presenter.overlay?.alike.isEmpty == true)
  }

  @Test func `Retry runs the work of a thousand, and the rest is counted as dropped`() async throws
  {
    let (presenter, log) = (ErrorPresenter(gap: .zero), Log())
    func fail(to draft: Int) {
      presenter.present(AppError.offline(), as: .overlay) { log.add("other") }
      presenter.present(AppError.timeout(), of: draft) { log.add("\(draft)") }
    }
    for draft in 0..<1_000 { fail(to: draft) }
    fail(to: 7)
    #expect(presenter.droppedCount == 0, "the same work is kept once")
    for draft in 1_000..<1_002 { fail(to: draft) }
    #expect(presenter.droppedCount == 2)
    presenter.overlay = nil
    let item = try #require(presenter.overlay)
    #expect(item.count == 1_003)
    await presenter.choose(.retry, for: item.id)
    #expect(Set(log.lines) == Set((0..<1_000).map(String.init)) && log.lines.count == 1_000)
  }

  @Test func `an item that is dropped counts all errors that are in it, each once`() {
    let presenter = ErrorPresenter(gap: .zero)
    func fail(_ code: String, _ severity: Severity, of subject: Int = 0) {
      let error = AppError(
        code: ErrorCode(code) ?? "none", kind: .server, disposition: .transient(),
        severity: severity, title: "\(code)", message: "It did not work.")
      presenter.present(error, of: subject) {}
    }
    fail("shown", .error)
    for _ in 0..<4 { fail("mild", .info) }
    for number in 0..<19 { fail("w\(number)", .error) }
    #expect(presenter.droppedCount == 4)
    for subject in 0..<1_003 { fail("w18", .error, of: subject) }
    #expect(presenter.droppedCount == 7, "Retry has no room for three")
    fail("worse", .critical)
    #expect(presenter.droppedCount == 4 + 1_004, "the newest of the mildest, with those three")
  }
}
