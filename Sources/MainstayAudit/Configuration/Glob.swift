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

  /// Whether a path matches; looks back to the last `**` alone, so that its work is bounded.
  package func matches(_ path: String) -> Bool {
    let path = path.split(separator: "/").map(Array.init)
    var place = 0
    var index = 0
    var span: (pattern: Int, path: Int)?
    while place < parts.count {
      if parts[place] == ["*", "*"] {
        span = (place, index)
        place += 1
      } else if index < path.count, Self.matches(parts[place][...], path[index][...]) {
        place += 1
        index += 1
      } else if let last = span, last.path + 1 < path.count {
        place = last.pattern + 1
        index = last.path + 1
        span = (last.pattern, index)
      } else {
        return false
      }
    }
    return true
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
