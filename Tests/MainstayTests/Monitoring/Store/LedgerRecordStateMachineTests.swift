// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Mainstay

/// Ledgers whose sum is right and whose counts nobody could have counted.
@Suite(.requirement("B42", "A54")) struct LedgerRecordStateMachineTests {
  /// Both places of a file; the second is the first again, one revision earlier.
  private func file(_ record: LedgerRecord) throws -> [UInt8] {
    var file = [UInt8](repeating: 0, count: 2 * LedgerRecord.placeSize)
    var older = record
    older.revision -= 1
    for record in [record, older] {
      let place = try #require(record.encoded())
      file.replaceSubrange(place.offset..<(place.offset + place.bytes.count), with: place.bytes)
    }
    return file
  }

  private func record(_ change: (inout LedgerRecord) -> Void = { _ in }) -> LedgerRecord {
    var record = LedgerRecord()
    record.revision = 8
    record.next = 5
    record.settling = [3]
    record.inMemory = [UUID()]
    record.ledger.captured = 4
    record.ledger.sent = 4
    change(&record)
    return record
  }

  @Test func `what was written is read`() throws {
    let written = record()
    #expect(try LedgerRecord(newestIn: file(written)) == written)
  }

  @Test func `accounts of a release that wrote nothing about what was withdrawn are read`() throws {
    let old = record()
    let json = try JSONEncoder().encode(old)
    let tree = try JSONSerialization.jsonObject(with: json)
    var object = try #require(tree as? [String: Any])
    object["withdrawn"] = nil
    let bytes = try JSONSerialization.data(withJSONObject: object)
    #expect(try JSONDecoder().decode(LedgerRecord.self, from: bytes) == old)
    let new = record { $0.withdrawn = [4] }
    #expect(try LedgerRecord(newestIn: file(new)) == new)
  }

  @Test func `counts that nobody could have counted are no ledger`() throws {
    let wrong: [(inout LedgerRecord) -> Void] = [
      { $0.ledger.captured = -1 }, { $0.ledger.captured = 1 << 60 }, { $0.ledger.sent = .min },
      { $0.ledger.quarantined = .max }, { $0.ledger.failedRequests = -1 },
      { $0.ledger.resets = 1 << 48 }, { $0.ledger.dropped = [.lost: ["error": -1]] },
      { $0.ledger.dropped = [.lost: ["error": .max], .expired: ["error": .max]] },
      { $0.next = .max }, { $0.settling = [.max] },
      { $0.withdrawn = [.max] }, { $0.revision = .max }, { $0.version = 2 },
    ]
    for (number, change) in wrong.enumerated() {
      let record = record(change)
      #expect(try LedgerRecord(newestIn: file(record)) == nil, "number \(number)")
    }
  }

  @Test func `counts of which a sum could overflow are none, however small each of them is`() {
    let most = Array(repeating: 1 << 47, count: 9_999)
    #expect(LedgerRecord.areSound(most))
    #expect(!LedgerRecord.areSound(most.map { 2 * $0 - 1 }))
    #expect(!LedgerRecord.areSound([1 << 48]))
    #expect(LedgerRecord.areSound([]))
  }

  @Test func `where one place is no ledger, the other one counts`() throws {
    let (older, newer) = (record { $0.revision = 7 }, record { $0.ledger.captured = -1 })
    var bytes = try file(older)
    let place = try #require(newer.encoded())
    bytes.replaceSubrange(place.offset..<(place.offset + place.bytes.count), with: place.bytes)
    #expect(LedgerRecord(newestIn: bytes)?.revision == 7)
  }
}
