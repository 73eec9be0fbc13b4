// SPDX-License-Identifier: Apache-2.0

import InventoryCore

/// What `errors.mustache` reads.
struct ErrorsPage: Sendable {
  /// A link to the same page with trends that go as far back as it says.
  struct Span: Sendable {
    let href: String
    let name: String
    let isCurrent: Bool
  }

  /// One minute or hour of a trend.
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
    /// How wide the drawing is.
    let width: Int
  }

  let hasGroups: Bool
  let groups: [Group]
  let spans: [Span]
  /// What stands over the trends.
  let heading: String
  /// Whether the trends have more parts than fit into a narrow drawing.
  let isWide: Bool
}

extension ErrorsPage {
  init(_ groups: [ErrorGroup], over span: TrendSpan) {
    hasGroups = !groups.isEmpty
    self.groups = groups.map { Group($0, over: span) }
    spans = TrendSpan.allCases.map { other in
      Span(href: other.address, name: other.name, isCurrent: other == span)
    }
    heading = "Last " + span.name.lowercased()
    isWide = span != .minutes
  }
}

extension TrendSpan {
  fileprivate var name: String {
    switch self {
    case .minutes: "Ten minutes"
    case .hour: "Hour"
    case .day: "Day"
    }
  }

  fileprivate var unit: String { self == .day ? "hour" : "minute" }

  /// The page with trends that go so far back.
  fileprivate var address: String { self == .minutes ? "/errors" : "/errors?span=\(rawValue)" }
}

extension ErrorsPage.Group {
  /// The height of the drawing.
  private static let height = 20
  /// The width of a bar and of the gap after it.
  private static let step = 6

  init(_ group: ErrorGroup, over span: TrendSpan) {
    code = group.code
    name = group.title
    count = group.count
    first = TimeView(group.firstSeen)
    last = TimeView(group.lastSeen)
    trendText = "By \(span.unit): " + group.trend.map(String.init).joined(separator: ", ")
    width = group.trend.count * Self.step
    let most = max(group.trend.max() ?? 0, 1)
    bars = group.trend.enumerated().map { index, count in
      // One without errors has a line at the bottom, so that one sees that it was there.
      let height = max(1, count * Self.height / most)
      return ErrorsPage.Bar(
        x: index * Self.step + 1, y: Self.height - height, height: height)
    }
  }
}
