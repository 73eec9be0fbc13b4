// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import MainstayUI
import TestSupport
import Testing

@MainActor @Suite(.requirement("B40"), .ends(withinMinutes: 2)) struct ErrorPresenterActionTests {
  private let log = Log()

  /// A presenter that shows that a person has to sign in, with work that can be run again.
  private func presenter(
    _ perform: @escaping ErrorPresenter.ActionPerformer
  ) throws -> (presenter: ErrorPresenter, id: UUID) {
    let presenter = ErrorPresenter(gap: .zero, perform: perform)
    presenter.present(AppError.http(status: 401)) { [log] in log.add("run again") }
    return (presenter, try #require(presenter.overlay?.id))
  }

  @Test func `an action goes to the app, and leaves the error where it is`() async throws {
    let log = log
    let (presenter, id) = try presenter { action, error, _ in
      log.add("\(action.id.rawValue) \(error.code)")
      return .unchanged
    }
    await presenter.choose(.signIn, for: id)
    #expect(log.lines == ["sign-in http.401"])
    #expect(presenter.overlay?.progress == nil && presenter.overlay != nil)
    await presenter.choose(.dismiss, for: id)
    #expect(presenter.count == 0)
  }

  @Test func `it says how far it is, and a second tap does nothing`() async throws {
    let log = log
    let (gate, open) = AsyncStream.makeStream(of: Never.self)
    let (presenter, id) = try presenter { _, _, progress in
      log.add("began")
      progress.report(0.5)
      for await _ in gate {}
      return .settled
    }
    let work = try #require(presenter.begin(.signIn, for: id))
    await log.lines(atLeast: 1)
    #expect(presenter.begin(.signIn, for: id) == nil)
    #expect(presenter.begin(.retry, for: id) == nil)
    #expect(presenter.overlay?.progress?.action == "sign-in")
    #expect(presenter.overlay?.progress?.fraction == 0.5)
    // An alert that goes away sets its binding; that is not giving up.
    presenter.overlay = nil
    #expect(presenter.overlay != nil)
    open.finish()
    await work.value
    #expect(presenter.count == 0 && log.lines == ["began"])
  }

  @Test func `what stood in the way is gone, so the work runs again`() async throws {
    let (presenter, id) = try presenter { _, _, _ in .retry }
    await presenter.choose(.signIn, for: id)
    #expect(presenter.count == 0 && log.lines == ["run again"])
  }

  @Test func `an action that fails says why, with the error it was for`() async throws {
    let (presenter, id) = try presenter { _, _, _ in
      throw AppError.http(status: 503, isRepeatable: true)
    }
    await presenter.choose(.signIn, for: id)
    let item = try #require(presenter.overlay)
    #expect(item.error.code == "http.401" && item.actionFailure?.code == "http.503")
    #expect(item.progress == nil && presenter.count == 1)
  }

  @Test(.requirement("E8", "T4")) func `an action that was cancelled says nothing`() async throws {
    let (presenter, id) = try presenter { _, _, _ in throw CancellationError() }
    await presenter.choose(.signIn, for: id)
    #expect(presenter.overlay?.actionFailure == nil && presenter.overlay?.progress == nil)
  }

  @Test func `dismissing gives up: the action is cancelled, and nothing runs again`() async throws {
    let log = log
    let (presenter, id) = try presenter { _, _, _ in
      log.add("began")
      await untilCancelled()
      return .retry
    }
    let work = try #require(presenter.begin(.signIn, for: id))
    await log.lines(atLeast: 1)
    presenter.dismiss(id)
    await work.value
    #expect(presenter.count == 0 && log.lines == ["began"])
  }

  @Test(.requirement("E19", "C12")) func `there is no button that nobody does anything for`() throws
  {
    let presenter = ErrorPresenter(gap: .zero)
    presenter.present(AppError.http(status: 401)) {}
    let item = try #require(presenter.overlay)
    #expect(item.actions.map(\.id) == ["retry", "dismiss"] && item.pageToOpen == nil)
    #expect(presenter.begin(.signIn, for: item.id) == nil && presenter.overlay?.progress == nil)
    presenter.dismissAll()
    let page = try #require(URL(string: "https://example.com/help"))
    let helped = AppError(
      code: "a", kind: .server, disposition: .permanent, title: "T", message: "M.", help: page)
    presenter.present(helped)
    #expect(presenter.overlay?.actions.map(\.id) == ["dismiss", "help"])
    #expect(presenter.overlay?.pageToOpen == page, "a screen opens it")
    let performing = ErrorPresenter { _, _, _ in .unchanged }
    performing.present(helped)
    #expect(performing.overlay?.pageToOpen == nil, "the app opens it")
  }

  @Test func `an app that names what it does gets no button for anything else`() async throws {
    let log = log
    let presenter = ErrorPresenter(gap: .zero, performs: [.signIn]) { action, _, _ in
      log.add(action.id.rawValue)
      return .settled
    }
    presenter.present(AppError.http(status: 412))
    let conflict = try #require(presenter.overlay)
    #expect(conflict.error.actions.contains(.resolveConflict))
    #expect(conflict.actions.map(\.id) == ["dismiss"])
    #expect(presenter.begin(.resolveConflict, for: conflict.id) == nil)
    presenter.dismissAll()
    let page = try #require(URL(string: "https://example.com/help"))
    presenter.present(
      AppError(
        code: "a", kind: .server, disposition: .permanent, title: "T", message: "M.",
        actions: [.signIn, .openPortal], help: page))
    let item = try #require(presenter.overlay)
    #expect(item.actions.map(\.id) == ["sign-in", "help", "dismiss"])
    #expect(item.pageToOpen == page, "the screen opens it, as without an app that performs")
    await presenter.choose(.signIn, for: item.id)
    #expect(presenter.count == 0 && log.lines == ["sign-in"])
  }

  @Test func `an action that leaves everything as it is needs nobody`() throws {
    let later = RecoveryAction(id: "later", title: "Not Now", role: .cancel)
    let presenter = ErrorPresenter(gap: .zero)
    presenter.present(
      AppError(
        code: "a", kind: .server, disposition: .permanent, title: "T", message: "M.",
        actions: [later]))
    let item = try #require(presenter.overlay)
    #expect(item.actions.map(\.id) == ["later"])
    #expect(presenter.begin(later, for: item.id) == nil && presenter.count == 0)
  }

  @Test func `progress stays between nothing and all`() async throws {
    let log = log
    let (presenter, id) = try presenter { _, _, progress in
      for fraction in [-1, 0.25, 7, .nan] {
        progress.report(fraction)
        log.add(progress.fraction.map { "\($0)" } ?? "nobody knows")
      }
      return .unchanged
    }
    await presenter.choose(.signIn, for: id)
    #expect(log.lines == ["0.0", "0.25", "1.0", "nobody knows"])
  }
}

/// Returns when the task is cancelled.
private func untilCancelled() async {
  let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
  for await _ in stream {}
  continuation.finish()
}
