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
      overlay("no-work", "Nothing to run again", late, .timeout(), canRetry: false),
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
      await busy(),
    ]
  }

  private static func overlay(
    _ name: String, _ caption: String, _ remark: String, _ error: AppError, times: Int = 1,
    canRetry: Bool = true
  ) -> GalleryState {
    var state = GalleryState("overlay", name, caption, remark)
    let presenter = ErrorPresenter(mapping: .inventory)
    let work: (@MainActor () async -> Void)? = canRetry ? { @MainActor in } : nil
    for _ in 0..<times { presenter.present(error.forDialog, retry: work) }
    state.overlay = presenter.overlay.map { ScreenView.Dialog($0, in: state.place) }
    return state
  }

  /// An error whose Retry is under way.
  private static func busy() async -> GalleryState {
    var state = GalleryState(
      "overlay", "busy", "Under way", "What was chosen is being done; a second tap does nothing.")
    let presenter = ErrorPresenter(mapping: .inventory)
    presenter.present(AppError.timeout().forDialog) {}
    state.overlay = presenter.overlay.map { ScreenView.Dialog($0, in: state.place) }
    return state
  }

  static func banners() async -> [GalleryState] {
    var offline = GalleryState(
      "banner", "offline", "No connection", "A state, and no mishap: it stands in nobody’s way.")
    let presenter = ErrorPresenter(mapping: .inventory)
    presenter.present(AppError.offline()) {}
    offline.banner = presenter.banner.map { NoticeView($0, in: offline.place) }
    return [offline]
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
      error, again: GalleryState.address(of: state.name), isWhole: false)
    return state
  }
}

/// The states in which toasts are shown.
@MainActor enum GalleryToasts {
  static func states() -> [GalleryState] {
    let texts: [(Toast.Style, LocalizableText, String)] = [
      (.info, "The catalog is being looked up.", "Something to know."),
      (.success, "“Pride and Prejudice” was added.", "It worked."),
      (.warning, "It was saved, and could not be sent yet.", "It worked, but."),
      (.error, "The photo could not be sent.", "It did not work."),
    ]
    return texts.map { style, text, remark in
      state(style.rawValue, style.rawValue.capitalized, remark) { $0.show(style, text) }
    } + [
      state("count", "Again and again", "The same words are shown once, and counted.") {
        for _ in 0..<3 { $0.show(.success, "It was saved.") }
      }
    ]
  }

  private static func state(
    _ name: String, _ caption: String, _ remark: String, _ show: (Toasts) -> Void
  ) -> GalleryState {
    var state = GalleryState("toast", name, caption, remark)
    let toasts = Toasts()
    show(toasts)
    state.toastList = GalleryState.ToastList(
      items: toasts.visible.map {
        ScreenView.ToastView($0, target: "\(GalleryState.address(of: state.name))/dismiss")
      })
    return state
  }
}
