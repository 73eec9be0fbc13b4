// SPDX-License-Identifier: Apache-2.0

import AuditCommands
import Foundation
import Mainstay

/// Records of one content type that wait in a store.
struct WaitingRecords: Encodable {
  let contentType: String
  private(set) var records = 0
  /// How long their files are.
  private(set) var bytes = 0
  /// When the first of them was captured.
  private(set) var oldest: Date
  /// When the last of them was captured.
  private(set) var newest: Date

  private init(first waiting: StoreSnapshot.Waiting) {
    contentType = waiting.record.contentType
    (oldest, newest) = (waiting.record.time, waiting.record.time)
  }

  private mutating func add(_ waiting: StoreSnapshot.Waiting) {
    records += 1
    bytes = bytes.boundedSum(waiting.bytes)
    oldest = min(oldest, waiting.record.time)
    newest = max(newest, waiting.record.time)
  }

  /// Records by content type, in the order of its name.
  static func all(of waiting: [StoreSnapshot.Waiting]) -> [WaitingRecords] {
    var all: [String: WaitingRecords] = [:]
    for waiting in waiting {
      all[waiting.record.contentType, default: WaitingRecords(first: waiting)].add(waiting)
    }
    return all.values.sorted { $0.contentType < $1.contentType }
  }

  /// That only a service can read them, in a sentence.
  var complaint: String {
    let (first, last) = (Format.time(oldest), Format.time(newest))
    let subject =
      records == 1
      ? "1 report waits that only its service can read"
      : "\(records) reports wait that only their service can read"
    let times = first == last ? "of \(first)" : "from \(first) to \(last)"
    return
      "\(subject) (\(Terminal.safe(contentType))): \(Format.count(bytes, "byte")), \(times) UTC."
  }
}
