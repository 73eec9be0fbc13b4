// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Accounts as a file holds them: in two places, of which one is written and the other is whole (a
/// torn writing harms one of them).
///
/// They are written where they lie, so that a full disk does not keep them from being written.
protocol TwicePlaced: Codable {
  /// How its places begin, in eight bytes.
  static var magic: [UInt8] { get }
  /// Each writing has a greater one.
  var revision: UInt64 { get set }
  /// Whether nothing that is computed with it can overflow.
  var isSound: Bool { get }
}

extension TwicePlaced {
  static var placeSize: Int { 32_768 }

  /// Whether these are counts that something can have counted, and sums of them do not overflow.
  ///
  /// - Parameter counts: Fewer than 10,000 counts.
  /// - Returns: Whether they are.
  static func areSound(_ counts: [Int]) -> Bool {
    // In `Int64`, since `Int` has 32 bits on watches.
    let largest: Int64 = 1 << 48  // no count comes near this
    return counts.allSatisfy { (0..<largest).contains(Int64($0)) }
      && counts.reduce(0) { $0 + Int64($1) } <= Int64(Int.max / 4)
  }

  /// The bytes of its place, and where that begins; nil where they do not fit, which bounded counts
  /// rule out.
  func encoded() -> (bytes: [UInt8], offset: Int)? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let json = try? encoder.encode(self) else { return nil }
    let bytes = SealedBytes.seal(Array(json), magic: Self.magic)
    guard bytes.count <= Self.placeSize else { return nil }
    return (bytes, Int(revision % 2) * Self.placeSize)
  }

  /// Both places at once, so that later writings need no room; its revision is 1 or more.
  func wholeFile() -> [UInt8] {
    var file = [UInt8](repeating: 0, count: 2 * Self.placeSize)
    var older = self
    older.revision -= 1
    for place in [self, older].compactMap({ $0.encoded() }) {
      file.replaceSubrange(place.offset..<(place.offset + place.bytes.count), with: place.bytes)
    }
    return file
  }

  /// The newest one of both places; nil where neither is whole.
  init?(newestIn file: [UInt8]) {
    let places = [0, Self.placeSize].compactMap { start -> Self? in
      guard start < file.count else { return nil }
      let place = file[start..<min(start + Self.placeSize, file.count)]
      guard let json = SealedBytes.open(place, magic: Self.magic) else { return nil }
      let record = try? JSONDecoder().decode(Self.self, from: Data(json))
      return record.flatMap { $0.isSound ? $0 : nil }
    }
    guard let newest = places.max(by: { $0.revision < $1.revision }) else { return nil }
    self = newest
  }
}
