// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayUI
import Mainstay

/// What a person can do about an error, as `choices.mustache` draws it.
struct ChoicesView: Sendable {
  struct Button: Sendable {
    let id: String
    let label: String
    /// Where a tap is sent.
    let target: String
    let isFirst: Bool
    /// Whether it has the focus when the page is opened.
    let isFocused: Bool
    let isDisabled: Bool
  }

  /// Where the form is sent without a button.
  let home: String
  let buttons: [Button]
  let helpPage: String?
}

extension ChoicesView {
  /// - Parameters:
  ///   - item: What a presenter shows.
  ///   - place: Where it is drawn.
  init(_ item: ErrorPresenter.Item, in place: ErrorPlace) {
    self.init(
      item.actions, of: item.presentation, in: place, isDisabled: item.progress != nil)
  }

  /// - Parameters:
  ///   - actions: What is offered; what a page cannot do is left out.
  ///   - shown: The error that it is about.
  ///   - place: Where it is drawn.
  ///   - isDisabled: Whether something that was chosen is under way.
  init(
    _ actions: [RecoveryAction], of shown: ErrorPresentation, in place: ErrorPlace,
    isDisabled: Bool = false
  ) {
    let actions = actions.filter { place.offered.contains($0.id) }
    home = place.target(of: .dismiss)
    buttons = actions.enumerated().map { index, action in
      Button(
        id: action.id.rawValue, label: action.title.string(), target: place.target(of: action),
        isFirst: index == 0, isFocused: index == 0 && place.isModal,
        isDisabled: isDisabled && action.id != RecoveryAction.dismiss.id)
    }
    helpPage = shown.help?.relativeString
  }
}

/// Where an error is drawn, and where its buttons lead.
struct ErrorPlace: Sendable {
  /// The id of the element.
  let element: String
  /// The address of all its buttons, without the name of the action.
  let base: String
  /// Whether nothing else can be reached meanwhile.
  let isModal: Bool
  /// What a page can do about an error; the others need a device in the hand.
  var offered: Set = [RecoveryAction.retry.id, RecoveryAction.dismiss.id]

  func target(of action: RecoveryAction) -> String { "\(base)/\(action.id.rawValue)" }

  /// The place for what stands in front of a page.
  static func overlay(_ item: ErrorPresenter.Item) -> ErrorPlace {
    ErrorPlace(element: "error", base: base(of: item), isModal: true)
  }

  /// The place for what stands at the edge of a page.
  static func banner(_ item: ErrorPresenter.Item) -> ErrorPlace {
    ErrorPlace(element: "quiet-error", base: base(of: item), isModal: false)
  }

  private static func base(of item: ErrorPresenter.Item) -> String {
    "/screen/errors/\(item.id.uuidString.lowercased())"
  }
}
