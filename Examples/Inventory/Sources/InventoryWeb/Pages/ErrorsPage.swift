// SPDX-License-Identifier: Apache-2.0

import InventoryCore

/// What `errors.mustache` reads.
struct ErrorsPage: Sendable {
  /// One minute of a trend.
  struct Bar: Sendable {
    let x: Int
    let y: Int
    let height: Int
  }

  struct Group: Sendable {
    let code: String
    let name: String
    let count: Int
    let first: TimeView
    let last: TimeView
    /// The trend in words.
    let trendText: String
    let bars: [Bar]
  }

  let hasGroups: Bool
  let groups: [Group]
}

extension ErrorsPage {
  init(_ groups: [ErrorGroup]) {
    hasGroups = !groups.isEmpty
    self.groups = groups.map(Group.init)
  }
}

extension ErrorsPage.Group {
  /// The height of the drawing.
  private static let height = 20

  init(_ group: ErrorGroup) {
    code = group.code
    name = group.title
    count = group.count
    first = TimeView(group.firstSeen)
    last = TimeView(group.lastSeen)
    trendText = "By minute: " + group.trend.map(String.init).joined(separator: ", ")
    let most = max(group.trend.max() ?? 0, 1)
    bars = group.trend.enumerated().map { index, count in
      // A minute without errors has a line at the bottom, so that one sees that it was there.
      let height = max(1, count * Self.height / most)
      return ErrorsPage.Bar(x: index * 6 + 1, y: Self.height - height, height: height)
    }
  }
}
