// SPDX-License-Identifier: Apache-2.0

/// A pattern of paths: `*` and `?` stay inside one part, `**` spans any number of parts, and a
/// pattern that ends in a folder holds all below it.
package struct Glob: Sendable, Hashable {
  private let parts: [[Character]]

  package init(_ pattern: String) {
    var text = pattern[...]
    if text.hasPrefix("./") { text = text.dropFirst(2) }
    while text.hasSuffix("/") { text = text.dropLast() }
    parts = text.split(separator: "/").map(Array.init)
  }

  package func matches(_ path: String) -> Bool {
    Self.matches(parts[...], path.split(separator: "/").map(Array.init)[...])
  }

  private static func matches(
    _ pattern: ArraySlice<[Character]>, _ path: ArraySlice<[Character]>
  ) -> Bool {
    guard let first = pattern.first else { return true }
    if first == ["*", "*"] {
      let rest = pattern.dropFirst()
      if rest.isEmpty { return true }
      return path.indices.contains { matches(rest, path[$0...]) }
    }
    guard let part = path.first, matches(first[...], part[...]) else { return false }
    return matches(pattern.dropFirst(), path.dropFirst())
  }

  /// One part; looks back to the last star alone, so that its work is bounded.
  private static func matches(
    _ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>
  ) -> Bool {
    var place = pattern.startIndex
    var index = text.startIndex
    var star: (pattern: Int, text: Int)?
    while index < text.endIndex {
      if place < pattern.endIndex, pattern[place] == "?" || pattern[place] == text[index],
        pattern[place] != "*"
      {
        place += 1
        index += 1
      } else if place < pattern.endIndex, pattern[place] == "*" {
        star = (place, index)
        place += 1
      } else if let last = star {
        place = last.pattern + 1
        index = last.text + 1
        star = (last.pattern, index)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == "*" }
  }
}
