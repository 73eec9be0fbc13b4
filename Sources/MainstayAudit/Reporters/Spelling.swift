// SPDX-License-Identifier: Apache-2.0

/// Words that were nearly written.
enum Spelling {
  /// The word that somebody may have meant; nil where none is near.
  ///
  /// - Parameters:
  ///   - written: What was written.
  ///   - words: What could have been.
  /// - Returns: The nearest word, the first of several.
  static func nearest(to written: String, among words: [String]) -> String? {
    let wanted = Array(written.lowercased().prefix(60))
    guard !wanted.isEmpty else { return nil }
    // A third of the letters may differ: more is another word.
    let most = max(1, wanted.count / 3)
    return words.map { ($0, distance(wanted, Array($0.lowercased()))) }
      .filter { $0.1 <= most }.min { $0.1 < $1.1 }?.0
  }

  /// How many letters to put in, take out, change or swap with a neighbour.
  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var before: [Int] = []
    var previous = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var current = [row + 1]
      for (column, candidate) in other.enumerated() {
        var best = min(
          previous[column] + (letter == candidate ? 0 : 1), previous[column + 1] + 1,
          current[column] + 1)
        if row > 0, column > 0, letter == other[column - 1], one[row - 1] == candidate {
          best = min(best, before[column - 1] + 1)
        }
        current.append(best)
      }
      (before, previous) = (previous, current)
    }
    return previous[other.count]
  }
}
