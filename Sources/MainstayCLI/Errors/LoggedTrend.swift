// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// How many errors there were in each of the latest spans of time, up to the newest one.
struct LoggedTrend: Encodable {
  let per: ErrorMonitor.Span
  /// When the first span begins.
  let from: Date
  /// When the last one ends.
  let to: Date
  /// The counts, the oldest first.
  let counts: [Int]

  init(of groups: [LoggedGroup], per span: ErrorMonitor.Span, until end: Date) {
    per = span
    let length = span.seconds
    let last = (end.timeIntervalSince1970 / length).rounded(.down)
    let first = last - Double(span.count - 1)
    from = Date(timeIntervalSince1970: first * length)
    to = Date(timeIntervalSince1970: (last + 1) * length)
    var counts = [Int](repeating: 0, count: span.count)
    for moment in groups.flatMap(\.moments) {
      let index = (moment.time.timeIntervalSince1970 / length).rounded(.down) - first
      guard index >= 0, index < Double(span.count) else { continue }
      counts[Int(index)] = counts[Int(index)].boundedSum(moment.count)
    }
    self.counts = counts
  }
}

extension ErrorMonitor.Span {
  var seconds: Double {
    switch self {
    case .minute: 60
    case .hour: 3_600
    case .day: 86_400
    }
  }

  /// How many of them make a trend.
  var count: Int {
    switch self {
    case .minute: 60
    case .hour: 24
    case .day: 30
    }
  }
}
