// SPDX-License-Identifier: Apache-2.0

/// What a write demands of the version that it finds, by `If-Match` and `If-None-Match`.
///
/// https://www.rfc-editor.org/rfc/rfc9110#section-13.1
struct Precondition: Sendable, Equatable {
  enum Tags: Sendable, Equatable {
    case any
    case list([String])

    func contain(_ tag: String) -> Bool {
      switch self {
      case .any: true
      case .list(let tags): tags.contains(tag)
      }
    }
  }

  let ifMatch: Tags?
  let ifNoneMatch: Tags?

  /// Whether it holds for what is there; a tombstone counts as nothing.
  func holds(for twin: Twin?) -> Bool {
    let present = twin.flatMap { $0.fields == nil ? nil : $0 }
    if let ifMatch {
      guard let present, ifMatch.contain(present.tag) else { return false }
    }
    if let ifNoneMatch, let present, ifNoneMatch.contain(present.tag) { return false }
    return true
  }
}

extension Precondition {
  /// Reads the two headers.
  ///
  /// - Throws: `Problem` when one of them is neither `*` nor a list of tags.
  init(ifMatch: String?, ifNoneMatch: String?) throws(Problem) {
    self.ifMatch = try Self.tags(ifMatch, "If-Match")
    self.ifNoneMatch = try Self.tags(ifNoneMatch, "If-None-Match")
  }

  private static func tags(_ header: String?, _ name: String) throws(Problem) -> Tags? {
    guard let header else { return nil }
    let parts = header.split(separator: ",").map { $0.trimming(while: \.isWhitespace) }
    if parts == ["*"] { return .any }
    for part in parts where !isTag(part) {
      throw .badHeader("\(name) must be * or a list of tags in quotes, not \(header).")
    }
    guard !parts.isEmpty else { throw .badHeader("\(name) is empty.") }
    // A weak tag stays in the list and equals none of ours, so it matches nothing.
    return .list(parts)
  }

  private static func isTag(_ text: String) -> Bool {
    let strong = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
    return strong.count >= 2 && strong.hasPrefix("\"") && strong.hasSuffix("\"")
      && !strong.dropFirst().dropLast().contains("\"")
  }
}

extension StringProtocol {
  /// The text without such characters at both ends.
  func trimming(while isTrimmed: (Character) -> Bool) -> String {
    var rest = drop(while: isTrimmed)
    while let last = rest.last, isTrimmed(last) { rest = rest.dropLast() }
    return String(rest)
  }
}
