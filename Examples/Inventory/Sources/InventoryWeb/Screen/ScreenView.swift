// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayUI

/// A screen as a page draws it.
struct ScreenView: Sendable {
  struct ToastView: Sendable {
    let id: String
    let style: String
    let icon: String
    let text: String
    /// How often it was said, where that is more than once.
    let times: Int?
  }

  struct ActionView: Sendable {
    let id: String
    let title: String
    /// The error that it is about.
    let error: String
    let isFirst: Bool
  }

  struct Dialog: Sendable {
    let id: String
    let tint: String
    let icon: String
    let title: String
    let message: String
    let suggestion: String?
    let actions: [ActionView]
    let help: String?
    let code: String
    /// How often it happened, where that is more than once.
    let times: Int?
  }

  /// What those see who have not been here yet.
  static let empty = ScreenView(toasts: [], dialog: nil)

  let toasts: [ToastView]
  let dialog: Dialog?
}

extension Screen {
  var view: ScreenView {
    ScreenView(
      toasts: toasts.visible.map(ScreenView.ToastView.init),
      // Quiet errors are shown too: on a page there is no other place for them.
      dialog: (errors.overlay ?? errors.banner).map(ScreenView.Dialog.init))
  }
}

extension ScreenView.ToastView {
  init(_ toast: Toast) {
    self.init(
      id: toast.id.uuidString.lowercased(), style: toast.style.rawValue, icon: toast.style.icon,
      text: toast.text, times: toast.count > 1 ? toast.count : nil)
  }
}

extension ScreenView.Dialog {
  /// What a page can do about an error; the others need a device in the hand.
  private static let offered: Set = [RecoveryAction.retry.id, RecoveryAction.dismiss.id]

  init(_ item: ErrorPresenter.Item) {
    let shown = item.presentation
    let error = shown.id.uuidString.lowercased()
    let actions = item.actions.filter { Self.offered.contains($0.id) }
    self.init(
      id: error, tint: shown.tint.rawValue, icon: shown.icon, title: shown.title,
      message: shown.message, suggestion: shown.suggestion,
      actions: actions.enumerated().map { index, action in
        ScreenView.ActionView(
          id: action.id.rawValue, title: action.title.string(), error: error,
          isFirst: index == 0)
      }, help: shown.help?.relativeString, code: shown.code.rawValue,
      times: item.count > 1 ? item.count : nil)
  }
}
