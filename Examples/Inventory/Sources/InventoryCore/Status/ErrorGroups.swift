// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import Mainstay

/// Errors that are the same, counted, as the contract writes them.
package struct ErrorGroup: Sendable, Hashable, Codable {
  package let fingerprint: String
  package let code: String
  package let title: String
  package let count: Int
  package let firstSeen: Timestamp
  package let lastSeen: Timestamp
  /// How many came in each part of a ``TrendSpan``, the present one last; in the contract that is
  /// each of the last ten minutes.
  package let trend: [Int]
}

/// How far back a trend of errors goes; what a monitor knows ends with the run of the app.
package enum TrendSpan: String, Sendable, CaseIterable {
  /// Ten minutes, one by one.
  case minutes
  /// Sixty minutes, one by one.
  case hour
  /// Twenty-four hours, one by one.
  case day

  fileprivate func counts(of group: ErrorMonitor.Group) -> [Int] {
    switch self {
    case .minutes: group.trend(per: .minute).suffix(10)
    case .hour: group.trend(per: .minute)
    case .day: group.trend(per: .hour)
    }
  }
}

extension ErrorGroup {
  /// Makes one of what a monitor knows; nil where it does not know what the error was.
  ///
  /// - Parameters:
  ///   - group: What it knows.
  ///   - span: How far back the trend goes; the contract has the last ten minutes.
  package init?(_ group: ErrorMonitor.Group, over span: TrendSpan = .minutes) {
    guard let latest = group.latest else { return nil }
    self.init(
      fingerprint: group.fingerprint.description, code: latest.code.rawValue,
      title: latest.title, count: group.count, firstSeen: Timestamp(group.firstSeen),
      lastSeen: Timestamp(group.lastSeen), trend: span.counts(of: group))
  }
}
