// SPDX-License-Identifier: Apache-2.0

/// Everything that `layout.mustache` and a page inside it read.
struct PageView<Content: Sendable>: Sendable {
  let title: String
  /// Path and query of the page.
  let address: String
  let nav: [NavigationView]
  let standing: StandingView
  let toasts: [ScreenView.ToastView]
  /// What stands at the edge of an error that is in nobody’s way.
  let notice: NoticeView?
  let dialog: ScreenView.Dialog?
  /// What differs from page to page.
  let page: Content
}

/// A page that the head of every page leads to.
struct NavigationView: Sendable {
  let href: String
  let label: String
  let icon: String
  let isCurrent: Bool
  let hasCount: Bool
  /// What waits there; nil for nothing.
  let count: Int?

  static func all(current: PageLibrary.Page, conflicts: Int) -> [NavigationView] {
    let pages: [(PageLibrary.Page, String, String, String)] = [
      (.list, "/", "Items", "list.bullet"),
      (.conflicts, "/conflicts", "Conflicts", "arrow.triangle.branch"),
      (.status, "/status", "Status", "gauge"),
      (.errors, "/errors", "Errors", "exclamationmark.triangle"),
    ]
    return pages.map { page, href, label, icon in
      NavigationView(
        href: href, label: label, icon: icon, isCurrent: page == current,
        hasCount: page == .conflicts,
        count: page == .conflicts && conflicts > 0 ? conflicts : nil)
    }
  }
}
