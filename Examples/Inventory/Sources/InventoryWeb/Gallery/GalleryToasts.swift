// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayUI

/// The states in which toasts are shown.
@MainActor enum GalleryToasts {
  /// Takes back what was done.
  static let undo = RecoveryAction(id: "gallery.undo", title: "Undo")

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
      },
      state("deed", "With a button", "What was done can be taken back.") {
        $0.show(.success, "“Emma” was deleted.", action: undo) {}
      },
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
        ScreenView.ToastView($0, base: GalleryState.address(of: state.name))
      })
    return state
  }
}
