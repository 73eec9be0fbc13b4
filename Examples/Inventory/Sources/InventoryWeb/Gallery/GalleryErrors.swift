// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import Mainstay
import MainstayUI

/// The states in which an error is shown: in front of a page, at its edge, in its place.
@MainActor enum GalleryErrors {
  /// An error that nobody has given words.
  private struct Nameless: Error {}

  private static let unsure = AppError.timeout().with(disposition: .unknownOutcome)
  private static let damaged = AppError.decoding(Nameless())

  static func overlays() async -> [GalleryState] {
    let late = "A question took too long, and can be asked again."
    return [
      overlay("retry", "It will pass", late, .timeout()),
      overlay(
        "person", "It waits for the person",
        "Once the person has done what is asked for, Retry "
          + "can help.", .unauthorized()),
      overlay(
        "permanent", "It stays so", "No repetition can help, so there is no Retry.", damaged),
      overlay(
        "no-work", "Nothing to run again", "It would pass, but there is nothing to do once more.",
        .timeout(), canRetry: false),
      overlay(
        "unsure", "Nobody knows whether it worked",
        "A repetition might do it twice, so the "
          + "person is asked to look first.", unsure),
      overlay(
        "unknown", "An error without words",
        "Nobody said what it means; words that fit anything "
          + "take the place.", AppError.from(Nameless(), mapping: .inventory)),
      overlay(
        "count", "Again and again", "The same error is shown once, and counted.",
        .timeout(), times: 3),
      alike(), await busy(), await helpless(),
    ]
  }

  private static func overlay(
    _ name: String, _ caption: String, _ remark: String, _ error: AppError, times: Int = 1,
    canRetry: Bool = true
  ) -> GalleryState {
    var state = GalleryState("overlay", name, caption, remark)
    // As an app that does whatever is offered.
    let presenter = ErrorPresenter(mapping: .inventory) { _, _, _ in .unchanged }
    let work: (@MainActor () async -> Void)? = canRetry ? { @MainActor in } : nil
    for _ in 0..<times { presenter.present(error.helped, retry: work) }
    state.overlay = presenter.overlay.map { ScreenView.Dialog($0, in: state.place) }
    return state
  }

  /// An error that has come in several wordings.
  private static func alike() -> GalleryState {
    var state = GalleryState(
      "overlay", "alike", "The same about others", "What differs in its words alone is shown once.")
    let presenter = ErrorPresenter(mapping: .inventory)
    for name in ["Pride and Prejudice", "Persuasion", "Emma"] {
      presenter.present(lostPhoto(name), retry: {})
    }
    state.overlay = presenter.overlay.map { ScreenView.Dialog($0, in: state.place) }
    return state
  }

  private static func lostPhoto(_ name: String) -> AppError {
    AppError(
      code: "gallery.photo", kind: .server, disposition: .transient(),
      title: "A photo could not be sent", message: "The photo of “\(name)” did not arrive.")
  }

  /// An error about which something is being done.
  private static func busy() async -> GalleryState {
    var state = GalleryState(
      "overlay", "busy", "Under way",
      "What was chosen is being done; until then there is only Dismiss.")
    let (begun, end) = (Gate(), Gate())
    let presenter = ErrorPresenter(mapping: .inventory) { _, _, progress in
      progress.report(0.4)
      begun.open()
      await end.pass()
      return .settled
    }
    let error = unsure.helped
    presenter.present(error)
    let work = presenter.begin(.checkOutcome, for: error.id)
    await begun.pass()
    state.overlay = presenter.overlay.map { ScreenView.Dialog($0, in: state.place) }
    end.open()
    await work?.value
    return state
  }

  /// An error about which something was done that did not help.
  private static func helpless() async -> GalleryState {
    var state = GalleryState(
      "overlay", "helpless", "It did not help", "Why what was chosen failed stands with the error.")
    let presenter = ErrorPresenter(mapping: .inventory) { _, _, _ in throw AppError.offline() }
    let error = unsure.helped
    presenter.present(error)
    await presenter.choose(.checkOutcome, for: error.id)
    state.overlay = presenter.overlay.map { ScreenView.Dialog($0, in: state.place) }
    return state
  }

  static func rows() -> [GalleryState] {
    [
      row("retry", "It will pass", "Beside what could not be loaded.", .timeout()),
      row("offline", "No connection", "The same, without a network.", .offline()),
      row("permanent", "It stays so", "No repetition can help, so there is no Retry.", damaged),
    ]
  }

  private static func row(
    _ name: String, _ caption: String, _ remark: String, _ error: AppError
  ) -> GalleryState {
    var state = GalleryState("row", name, caption, remark)
    state.row = ErrorPresentation(error).map {
      RowView($0, choices: ChoicesView($0.actions, of: $0, in: state.place))
    }
    return state
  }

  static func pages() -> [GalleryState] {
    [
      page("retry", "It will pass", "In place of a page that could not be made.", .timeout()),
      page("permanent", "It stays so", "No repetition can help, so there is no Retry.", damaged),
      page(
        "person", "It waits for the person", "After signing in it can succeed.", .unauthorized()),
    ]
  }

  private static func page(
    _ name: String, _ caption: String, _ remark: String, _ error: AppError
  ) -> GalleryState {
    var state = GalleryState("page", name, caption, remark)
    state.whole = FailureView(
      error, again: "/gallery", isWhole: false)
    return state
  }
}
