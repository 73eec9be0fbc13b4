// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayUI

// Where a member is nil, Mustache looks for one of its name further out: what may be nil has a name
// of its own in all that is drawn inside of one another.

/// What stands at the edge of a page, as `notice.mustache` draws it.
struct NoticeView: Sendable {
  let tint: String
  let icon: String
  let title: String
  let text: String
  /// What can be done; nil where nothing has to be.
  var choices: ChoicesView?
}

extension NoticeView {
  /// - Parameters:
  ///   - tint: The colour.
  ///   - icon: The picture.
  ///   - heading: What is so; it becomes a sentence, since the text follows it in one line.
  ///   - text: What it means.
  private init(tint: ErrorPresentation.Tint, icon: String, heading: String, text: String) {
    self.init(
      tint: tint.rawValue, icon: icon,
      title: heading.last?.isPunctuation == false && !text.isEmpty ? heading + "." : heading,
      text: text)
  }

  init(_ item: ErrorPresenter.Item, in place: ErrorPlace) {
    let shown = item.presentation
    self.init(
      tint: shown.tint, icon: shown.icon, heading: shown.title,
      text: [shown.message, shown.suggestion].compactMap(\.self).joined(separator: " "))
    choices = ChoicesView(item, in: place)
  }
}

extension NoticeView {
  init(_ connection: ConnectionPresentation) {
    self.init(
      tint: connection.tint, icon: connection.icon, heading: connection.title,
      text: connection.message ?? "")
  }

  init(_ level: LevelPresentation) {
    self.init(
      tint: level.tint, icon: level.icon, heading: level.reasons.first ?? "",
      text: (level.reasons.dropFirst() + level.gaps.compactMap(\.alternative))
        .joined(separator: " "))
  }
}

/// An error in its place among other things, as `row.mustache` draws it.
struct RowView: Sendable {
  let tint: String
  let icon: String
  let title: String
  /// What it means, and what can be done about it.
  let text: String
  /// The buttons; nil where they stand elsewhere.
  let rowChoices: ChoicesView?
}

extension RowView {
  /// - Parameters:
  ///   - shown: The error.
  ///   - choices: What can be done; nil where that stands elsewhere.
  init(_ shown: ErrorPresentation, choices: ChoicesView? = nil) {
    self.init(
      tint: shown.tint.rawValue, icon: shown.icon, title: shown.title,
      text: [shown.message, shown.suggestion].compactMap(\.self).joined(separator: " "),
      rowChoices: choices)
  }
}

/// An error in place of everything else, as `failure.mustache` draws it.
struct FailureView: Sendable {
  /// Where a person can go from there.
  struct Link: Sendable {
    let href: String
    let label: String
    let isFirst: Bool
  }

  let tint: String
  let icon: String
  let title: String
  let message: String
  let suggestion: String?
  /// Whether its title is that of the page.
  let isWhole: Bool
  let links: [Link]
}

extension FailureView {
  /// - Parameters:
  ///   - error: What keeps the page from being shown.
  ///   - address: The page that can be asked for again; nil where that is not known.
  ///   - isWhole: Whether its title is that of the page.
  init(_ error: AppError, again address: String?, isWhole: Bool = true) {
    // A cancellation is answered to nobody, so there is a presentation of everything else.
    let shown = ErrorPresentation(error)
    tint = shown?.tint.rawValue ?? ErrorPresentation.Tint.red.rawValue
    icon = shown?.icon ?? "exclamationmark.circle"
    title = error.title.description
    message = error.message.description
    suggestion = error.suggestion?.description
    self.isWhole = isWhole
    let retry = address.flatMap { address in
      error.actions.first { $0.id == RecoveryAction.retry.id }.map {
        Link(href: address, label: $0.title.string(), isFirst: true)
      }
    }
    links =
      (retry.map { [$0] } ?? []) + [Link(href: "/", label: "All items", isFirst: retry == nil)]
  }
}
