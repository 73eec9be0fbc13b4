// SPDX-License-Identifier: Apache-2.0

/// What differs between two texts, by lines.
package struct LineDiff: Sendable {
  /// Lines that give way to others; both ranges count from 0.
  package struct Hunk: Sendable, Hashable {
    package let old: Range<Int>
    package let new: Range<Int>
  }

  /// What differs, in the order of the lines.
  package let hunks: [Hunk]
  private let old: [ArraySlice<UInt8>]
  private let new: [ArraySlice<UInt8>]

  /// Compares two texts.
  package init(from old: [UInt8], to new: [UInt8]) {
    self.old = Self.lines(of: old)
    self.new = Self.lines(of: new)
    hunks = Self.hunks(self.old, self.new)
  }

  /// The lines, each with its end.
  private static func lines(of text: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    while start < text.count {
      let end = text[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? text.count
      lines.append(text[start..<end])
      start = end
    }
    return lines
  }

  private static func hunks(
    _ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>]
  ) -> [Hunk] {
    // Most of a file stays: only what lies between the ends that are equal is compared in full.
    var start = 0
    while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
    var (oldEnd, newEnd) = (old.count, new.count)
    while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
      oldEnd -= 1
      newEnd -= 1
    }
    var hunks: [Hunk] = []
    var (one, other) = (start, start)
    while one < oldEnd || other < newEnd {
      if one < oldEnd, other < newEnd, old[one] == new[other] {
        one += 1
        other += 1
        continue
      }
      guard
        let (removed, added) = meeting(old[one..<oldEnd], new[other..<newEnd])
      else { return hunks + farHunks(old[one..<oldEnd], new[other..<newEnd]) }
      hunks.append(Hunk(old: one..<(one + removed), new: other..<(other + added)))
      one += removed
      other += added
    }
    return hunks
  }

  /// How far apart two texts may go on alike, so that a change of a few lines costs as little as
  /// that: comparing all lines with all others takes minutes where every fifth has changed.
  private static let reach = 40
  /// How many lines have to be alike behind a change.
  private static let proof = 3

  /// How many lines of each text have to go so that both go on alike, or are at their ends.
  private static func meeting(
    _ old: ArraySlice<ArraySlice<UInt8>>, _ new: ArraySlice<ArraySlice<UInt8>>
  ) -> (removed: Int, added: Int)? {
    for distance in 1...reach {
      for removed in 0...distance where removed <= old.count && distance - removed <= new.count {
        let added = distance - removed
        let (one, other) = (old.dropFirst(removed), new.dropFirst(added))
        // What lies behind the ends is alike.
        let isEnd = one.count < proof || other.count < proof
        if isEnd ? one == other : one.prefix(proof) == other.prefix(proof) {
          return (removed, added)
        }
      }
    }
    return nil
  }

  /// What differs, compared in full, with as few changed lines as there can be.
  private static func farHunks(
    _ old: ArraySlice<ArraySlice<UInt8>>, _ new: ArraySlice<ArraySlice<UInt8>>
  ) -> [Hunk] {
    var removed = Set<Int>()
    var inserted = Set<Int>()
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): removed.insert(old.startIndex + offset)
      case .insert(let offset, _, _): inserted.insert(new.startIndex + offset)
      }
    }
    var hunks: [Hunk] = []
    var (one, other) = (old.startIndex, new.startIndex)
    while one < old.endIndex || other < new.endIndex {
      let (oldStart, newStart) = (one, other)
      while removed.contains(one) { one += 1 }
      while inserted.contains(other) { other += 1 }
      if one > oldStart || other > newStart {
        hunks.append(Hunk(old: oldStart..<one, new: newStart..<other))
      } else {
        one += 1
        other += 1
      }
    }
    return hunks
  }

  // MARK: Unified

  private static let around = 3

  /// What differs in the form that `patch` and `git apply` read.
  ///
  /// - Parameter path: The file's name; without the slash in front where it has one.
  /// - Returns: The text, empty where nothing differs.
  package func unified(path: String) -> String {
    guard !hunks.isEmpty else { return "" }
    let name = String(path.drop { $0 == "/" })
    var text = "--- \(Self.quoted("a/" + name))\n+++ \(Self.quoted("b/" + name))\n"
    var open: [Hunk] = []
    for hunk in hunks {
      if let last = open.last, hunk.old.lowerBound - last.old.upperBound > 2 * Self.around {
        text += block(open)
        open = []
      }
      open.append(hunk)
    }
    return text + block(open)
  }

  /// A name as `git` writes it: in quotes where it has odd characters, and with a tab behind it
  /// where it has spaces.
  private static func quoted(_ name: String) -> String {
    let isOdd = name.unicodeScalars.contains { $0.value < 0x20 || $0 == "\"" || $0 == "\\" }
    guard isOdd else { return name.contains(" ") ? name + "\t" : name }
    let escaped = name.utf8.map { byte -> String in
      guard byte < 0x20 || byte == 0x22 || byte == 0x5C else {
        return byte < 0x80 ? String(UnicodeScalar(byte)) : "\\" + String(byte, radix: 8)
      }
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
    return "\"" + escaped.joined() + "\""
  }

  private func block(_ hunks: [Hunk]) -> String {
    guard let first = hunks.first, let last = hunks.last else { return "" }
    let before = min(Self.around, first.old.lowerBound)
    let after = min(Self.around, old.count - last.old.upperBound)
    let oldRange = (first.old.lowerBound - before)..<(last.old.upperBound + after)
    let newRange = (first.new.lowerBound - before)..<(last.new.upperBound + after)
    var text = "@@ -\(Self.place(oldRange)) +\(Self.place(newRange)) @@\n"
    var place = oldRange.lowerBound
    for hunk in hunks {
      text += lines(" ", old[place..<hunk.old.lowerBound])
      text += lines("-", old[hunk.old]) + lines("+", new[hunk.new])
      place = hunk.old.upperBound
    }
    return text + lines(" ", old[place..<oldRange.upperBound])
  }

  /// An empty range is named by the line before it.
  private static func place(_ range: Range<Int>) -> String {
    let start = range.isEmpty ? range.lowerBound : range.lowerBound + 1
    return range.count == 1 ? "\(start)" : "\(start),\(range.count)"
  }

  private func lines(_ mark: String, _ lines: ArraySlice<ArraySlice<UInt8>>) -> String {
    lines.map { line in
      let text = mark + String(decoding: line, as: UTF8.self)
      return line.last == 0x0A ? text : text + "\n\\ No newline at end of file\n"
    }.joined()
  }
}
