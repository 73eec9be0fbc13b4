// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayUI

/// One state that a person can meet, as `state.mustache` draws it.
struct GalleryState: Sendable {
  /// Toasts as they stand in a page.
  struct ToastList: Sendable {
    let items: [ScreenView.ToastView]
  }

  /// Its address in the gallery, and its anchor there.
  let name: String
  let caption: String
  /// When it is met.
  let remark: String
  /// What it is drawn as; one of the members below.
  let kind: String
  var overlay: ScreenView.Dialog?
  var banner: NoticeView?
  var row: RowView?
  var whole: FailureView?
  var toastList: ToastList?
  var filled: FormView?
  var task: TaskView?
  var dot: DotView?
  /// Whether it is the only one on its page.
  var isAlone = false

  init(_ kind: String, _ name: String, _ caption: String, _ remark: String) {
    self.name = "\(kind)-\(name)"
    self.caption = caption
    self.remark = remark
    self.kind = kind
  }

  /// Where its buttons lead: to a page that says that there is nothing behind them.
  static func address(of name: String) -> String { "/gallery/\(name)" }

  /// The place of an error that is drawn in the state.
  var place: ErrorPlace {
    var place = ErrorPlace(
      element: "\(name)-error", base: Self.address(of: name), isModal: false)
    place.offered.insert(RecoveryAction.checkOutcome.id)
    return place
  }
}

/// What belongs together in the gallery.
struct GallerySection: Sendable {
  let name: String
  let heading: String
  var states: [GalleryState]
}

/// What `gallery.mustache` reads.
struct GalleryPage: Sendable {
  let isAlone: Bool
  let sections: [GallerySection]
}

extension GalleryPage {
  /// Every state.
  init(_ sections: [GallerySection]) {
    isAlone = false
    self.sections = sections
  }

  /// One state alone; nil where there is none of this name.
  init?(_ sections: [GallerySection], only name: String) {
    for section in sections {
      for var state in section.states where state.name == name {
        state.isAlone = true
        isAlone = true
        self.sections = [
          GallerySection(name: section.name, heading: section.heading, states: [state])
        ]
        return
      }
    }
    return nil
  }
}

extension GallerySection {
  /// Brings real presenters into every state, and keeps what they show.
  @MainActor static func all() async -> [GallerySection] {
    [
      GallerySection(name: "overlays", heading: "Overlay", states: await GalleryErrors.overlays()),
      GallerySection(name: "banners", heading: "Banner", states: await GalleryStandings.banners()),
      GallerySection(name: "rows", heading: "Inline row", states: GalleryErrors.rows()),
      GallerySection(name: "pages", heading: "Full page", states: GalleryErrors.pages()),
      GallerySection(
        name: "notes", heading: "Toasts",
        states: GalleryToasts.states() + (await GalleryStandings.changes())),
      GallerySection(name: "forms", heading: "Form", states: await GalleryForms.states()),
      GallerySection(name: "tasks", heading: "Task", states: await GalleryTasks.states()),
      GallerySection(name: "dots", heading: "Connection", states: GalleryStandings.dots()),
    ]
  }
}
