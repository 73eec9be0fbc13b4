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
  /// How many came in each of the last ten minutes, the present one last.
  package let trend: [Int]
}

extension ErrorGroup {
  /// The minutes of a trend.
  private static let minutes = 10

  /// Makes one of what a monitor knows; nil where it does not know what the error was.
  package init?(_ group: ErrorMonitor.Group) {
    guard let latest = group.latest else { return nil }
    self.init(
      fingerprint: group.fingerprint.description, code: latest.code.rawValue,
      title: latest.title, count: group.count, firstSeen: Timestamp(group.firstSeen),
      lastSeen: Timestamp(group.lastSeen), trend: group.trend(per: .minute).suffix(Self.minutes))
  }
}
