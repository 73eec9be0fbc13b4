// SPDX-License-Identifier: Apache-2.0

/// What somebody may have meant who typed a name that is none.
package enum Suggestion {
  /// Longer texts are no names that were mistyped.
  private static let longest = 60

  /// The end of a complaint: `; did you mean …?`, or nothing where no name is near.
  package static func ending(for typed: String, in names: some Sequence<String>) -> String {
    closest(to: typed, in: names).map { "; did you mean `\($0)`?" } ?? ""
  }

  /// The nearest name, where it is near enough.
  package static func closest(to typed: String, in names: some Sequence<String>) -> String? {
    guard typed.count <= longest else { return nil }
    let typed = Array(typed.lowercased())
    let most = max(1, typed.count / 3)
    let near = names.compactMap { name -> (distance: Int, name: String)? in
      let distance = distance(typed, Array(name.lowercased()))
      return distance <= most ? (distance, name) : nil
    }
    return near.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
  }

  /// How many letters to put in, take out, replace, or swap with their neighbour.
  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var rows = [[Int](repeating: 0, count: other.count + 1), Array(0...other.count)]
    for (row, letter) in one.enumerated() {
      var next = [row + 1]
      for (column, against) in other.enumerated() {
        let last = rows[1]
        var least = min(last[column] + (letter == against ? 0 : 1), last[column + 1] + 1)
        least = min(least, next[column] + 1)
        if row > 0, column > 0, letter == other[column - 1], one[row - 1] == against {
          least = min(least, rows[0][column - 1] + 1)
        }
        next.append(least)
      }
      rows = [rows[1], next]
    }
    return rows[1][other.count]
  }
}
