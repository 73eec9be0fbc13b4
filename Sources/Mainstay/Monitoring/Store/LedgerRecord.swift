// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The accounts as they are written down.
struct LedgerRecord: Sendable, Equatable, TwicePlaced {
  var version = 1
  var revision: UInt64 = 0
  /// Files with this number or a greater one were not counted yet.
  var next: UInt64 = 1
  /// Files that were counted as gone, and may still be there.
  var settling: [UInt64] = []
  /// Those that were captured and lie in memory; `ledger` does not count them.
  ///
  /// They are named, so that one that gets its file before the ledger is written again does not
  /// count twice.
  var inMemory: [UUID] = []
  /// Files that were being sent when all was to be dropped: they may not be sent again.
  var withdrawn: [UInt64] = []
  var ledger = ReportStore.Ledger()

  static let magic = Array("mainldg1".utf8)

  private enum CodingKeys: CodingKey {
    case version, revision, next, settling, inMemory, withdrawn, ledger
  }

  init(
    next: UInt64, settling: [UInt64], inMemory: [UUID], withdrawn: [UInt64] = [],
    ledger: ReportStore.Ledger
  ) {
    self.next = next
    self.settling = settling
    self.inMemory = inMemory
    self.withdrawn = withdrawn
    self.ledger = ledger
  }

  init() {}

  /// Decodes the accounts, also those of releases that wrote nothing about what was withdrawn.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    version = try values.decode(Int.self, forKey: .version)
    revision = try values.decode(UInt64.self, forKey: .revision)
    next = try values.decode(UInt64.self, forKey: .next)
    settling = try values.decode([UInt64].self, forKey: .settling)
    inMemory = try values.decode([UUID].self, forKey: .inMemory)
    withdrawn = try values.decodeIfPresent([UInt64].self, forKey: .withdrawn) ?? []
    ledger = try values.decode(ReportStore.Ledger.self, forKey: .ledger)
  }

  var isSound: Bool {
    let counts =
      [ledger.captured, ledger.sent, ledger.pending, ledger.quarantined, ledger.failedRequests]
      + [ledger.resets] + ledger.dropped.values.flatMap(\.values)
    let last = ReportIndexStateMachine.lastNumber
    return version == 1 && revision < last && next <= last && settling.allSatisfy { $0 < last }
      && withdrawn.allSatisfy { $0 < last } && inMemory.count < 1_000
      && counts.count < 1_000 && Self.areSound(counts)
  }
}

/// Bytes with a beginning that says what they are, and a sum over them.
enum SealedBytes {
  /// Beginning, sum and length.
  static let overhead = 24

  static func seal(_ bytes: [UInt8], magic: [UInt8]) -> [UInt8] {
    let length = littleEndian(UInt64(bytes.count))
    return magic + littleEndian(sum(length, bytes[...])) + length + bytes
  }

  /// What was sealed; nil where a single bit of it is another one.
  ///
  /// What comes after it does not count.
  static func open(_ place: ArraySlice<UInt8>, magic: [UInt8]) -> ArraySlice<UInt8>? {
    guard place.count >= overhead, place.starts(with: magic) else { return nil }
    let start = place.startIndex
    let length = Array(place[(start + 16)..<(start + 24)])
    guard let count = Int(exactly: number(length)), count <= place.count - overhead else {
      return nil
    }
    let bytes = place[(start + 24)..<(start + 24 + count)]
    guard number(Array(place[(start + 8)..<(start + 16)])) == sum(length, bytes) else { return nil }
    return bytes
  }

  /// FNV-1a of 64 bits: any change of a single byte changes it.
  private static func sum(_ length: [UInt8], _ bytes: ArraySlice<UInt8>) -> UInt64 {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in length { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return sum
  }

  private static func littleEndian(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  private static func number(_ bytes: [UInt8]) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
