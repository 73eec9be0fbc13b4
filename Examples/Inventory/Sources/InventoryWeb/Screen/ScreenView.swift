// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayUI

/// A screen as a page draws it.
struct ScreenView: Sendable {
  struct ToastView: Sendable {
    /// What can be done about it.
    struct Deed: Sendable {
      let label: String
      let path: String
    }

    let id: String
    let style: String
    let icon: String
    let text: String
    /// How often it was said, where that is more than once.
    let times: Int?
    /// Where it is put away.
    let target: String
    let deed: Deed?
  }

  struct Dialog: Sendable {
    /// How far something is that was chosen.
    struct Progress: Sendable {
      /// What was chosen.
      let label: String
      let percent: Int?
    }

    /// The id of the element.
    let element: String
    /// Whether nothing else can be reached meanwhile.
    let isModal: Bool
    let id: String
    let tint: String
    let icon: String
    let title: String
    let message: String
    let suggestion: String?
    let choices: ChoicesView
    let code: String
    /// How often it happened, where that is more than once.
    let times: Int?
    let progress: Progress?
    /// Why what was chosen did not help.
    let mishap: RowView?
    let hasAlike: Bool
    /// The same in other words.
    let alike: [String]
  }

  /// What those see who have not been here yet.
  static let empty = ScreenView(toasts: [], notice: nil, dialog: nil)

  let toasts: [ToastView]
  /// What stands at the edge.
  let notice: NoticeView?
  let dialog: Dialog?
}

extension Screen {
  var view: ScreenView {
    ScreenView(
      toasts: toasts.visible.map {
        ScreenView.ToastView($0, base: "/screen/toasts/\($0.id.uuidString.lowercased())")
      },
      notice: errors.banner.map { NoticeView($0, in: .banner($0)) },
      dialog: errors.overlay.map { ScreenView.Dialog($0, in: place(of: $0)) })
  }
}

extension Screen {
  private func place(of item: ErrorPresenter.Item) -> ErrorPlace {
    var place = ErrorPlace.overlay(item)
    if canCheck(item.id) { place.offered.insert(RecoveryAction.checkOutcome.id) }
    return place
  }
}

extension ScreenView.ToastView {
  init(_ toast: Toast, base: String) {
    self.init(
      id: toast.id.uuidString.lowercased(), style: toast.style.rawValue, icon: toast.style.icon,
      text: toast.text, times: toast.count > 1 ? toast.count : nil, target: "\(base)/dismiss",
      deed: toast.action.map { Deed(label: $0.title.string(), path: "\(base)/choose") })
  }
}

extension ScreenView.Dialog {
  @MainActor init(_ item: ErrorPresenter.Item, in place: ErrorPlace) {
    let shown = item.presentation
    self.init(
      element: place.element, isModal: place.isModal, id: shown.id.uuidString.lowercased(),
      tint: shown.tint.rawValue, icon: shown.icon, title: shown.title,
      message: shown.message, suggestion: shown.suggestion,
      choices: ChoicesView(item, in: place), code: shown.code.rawValue,
      times: item.count > 1 ? item.count : nil,
      progress: item.progress.flatMap { progress in
        item.actions.first { $0.id == progress.action }.map {
          Progress(
            label: $0.title.string(),
            percent: progress.fraction.map { Int(($0 * 100).rounded()) })
        }
      }, mishap: item.actionFailure.map { RowView($0) }, hasAlike: !item.alike.isEmpty,
      alike: item.alike.map(\.message))
  }
}
