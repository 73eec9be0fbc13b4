// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay

/// Errors of one code, counted.
package struct ErrorGroup: Sendable, Hashable, Codable {
  package let fingerprint: String
  package let code: String
  package let title: String
  package fileprivate(set) var count: Int
  package let firstSeen: Timestamp
  package fileprivate(set) var lastSeen: Timestamp
  /// How many came in each of the last ten minutes, the present one last.
  package fileprivate(set) var trend: [Int]
}

/// The errors of this run of the app, by code; kept in memory.
package final class ErrorGroups: Sendable {
  private static let maximumGroups = 200
  private static let minutes = 10

  private struct Entry {
    var group: ErrorGroup
    var byMinute: [Int64: Int] = [:]
  }

  private let entries = Locked<[String: Entry]>([:])

  package init() {}

  /// Counts an error; cancellations and refusals of our own are none.
  package func add(_ error: AppError, at date: Date) {
    switch error.disposition {
    case .cancelled, .rejected: return
    default: break
    }
    let time = Timestamp(date)
    let minute = time.milliseconds / 60_000
    entries.withLock { entries in
      let code = error.code.rawValue
      guard entries[code] != nil || entries.count < Self.maximumGroups else { return }
      var entry =
        entries[code]
        ?? Entry(
          group: ErrorGroup(
            fingerprint:
              "\(code)-\(String(UInt32(truncatingIfNeeded: error.code.number), radix: 16))",
            code: code, title: error.title.description, count: 0, firstSeen: time, lastSeen: time,
            trend: []))
      entry.group.count += 1
      entry.group.lastSeen = max(time, entry.group.lastSeen)
      entry.byMinute[minute, default: 0] += 1
      entry.byMinute = entry.byMinute.filter { $0.key > minute - Int64(Self.minutes) }
      entries[code] = entry
    }
  }

  /// The groups, the one with the latest error first.
  package func all(at date: Date) -> [ErrorGroup] {
    let minute = Timestamp(date).milliseconds / 60_000
    let entries = entries.withLock { Array($0.values) }
    return entries.map { entry in
      var group = entry.group
      group.trend = (0..<Int64(Self.minutes)).map { entry.byMinute[minute - 9 + $0] ?? 0 }
      return group
    }.sorted { ($1.lastSeen, $0.code) < ($0.lastSeen, $1.code) }
  }
}
