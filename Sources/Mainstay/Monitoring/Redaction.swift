// SPDX-License-Identifier: Apache-2.0

/// Takes out of technical text what is nobody's business, before it is stored or sent.
///
/// Replaced are credentials, user info and queries of URLs, values of names that speak of secrets,
/// bearer and basic tokens, JSON web tokens, email addresses, and the name of the person in home
/// folders. It goes once over the text, word by word, and looks at 16,000 characters at most.
package enum Redaction {
  private static let limit = 16_000

  package static func redact(_ text: String) -> String {
    guard !text.isEmpty else { return text }
    var result = ""
    result.reserveCapacity(text.utf8.count)
    var previous: Substring = ""
    var word = Scanner(text.prefix(limit))
    while let (gap, token) = word.next() {
      result += gap
      result += redact(word: token, after: previous)
      if !token.isEmpty { previous = token }
    }
    if text.dropFirst(limit).first != nil { result += "…" }
    return result
  }

  private static func redact(word: Substring, after previous: Substring) -> String {
    if isScheme(previous), word.contains(where: { $0.isLetter || $0.isNumber }) {
      return "<redacted>"
    }
    if let mark = word.firstIndex(where: { $0 == "=" || $0 == ":" }), isSecret(word[..<mark]),
      word.index(after: mark) < word.endIndex
    {
      return word[...mark] + "<redacted>"
    }
    if isSecret(trimmed(previous)), previous.last == ":" || previous.last == "=" {
      return isScheme(word) ? String(word) : "<redacted>"
    }
    if let scheme = word.firstRange(of: "://") {
      return redact(url: word, after: scheme.upperBound)
    }
    if isWebToken(word) { return "<token>" }
    if isEmail(word) { return "<email>" }
    return redactHome(word)
  }

  /// Keeps scheme, host and path; takes out user info, query and fragment.
  private static func redact(url: Substring, after start: Substring.Index) -> String {
    let rest = url[start...]
    let path = rest.firstIndex(where: { $0 == "/" || $0 == "?" || $0 == "#" }) ?? rest.endIndex
    var authority = rest[..<path]
    if let at = authority.lastIndex(of: "@") {
      authority = authority[authority.index(after: at)...]
    }
    let tail = rest[path...]
    let end = tail.firstIndex(where: { $0 == "?" || $0 == "#" }) ?? tail.endIndex
    let query = end < tail.endIndex ? "?<redacted>" : ""
    return url[..<start] + authority + redactHome(tail[..<end]) + query
  }

  private static func redactHome(_ word: Substring) -> String {
    for home in ["/Users/", "/home/"] {
      guard let range = word.firstRange(of: home) else { continue }
      let rest = word[range.upperBound...]
      return word[..<range.upperBound] + "<user>" + rest.drop(while: { $0 != "/" })
    }
    return String(word)
  }

  private static func isScheme(_ word: Substring) -> Bool {
    ["bearer", "basic"].contains(word.lowercased())
  }

  private static func isSecret(_ name: Substring) -> Bool {
    let letters = name.lowercased().filter(\.isLetter)
    return ["password", "passwd", "secret", "token", "apikey", "authorization", "cookie"]
      .contains { letters.hasSuffix($0) }
  }

  private static func trimmed(_ word: Substring) -> Substring {
    var word = word
    while let last = word.last, last == ":" || last == "=" { word.removeLast() }
    return word
  }

  private static func isWebToken(_ word: Substring) -> Bool {
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 3 && word.hasPrefix("eyJ") && parts[1].count > 8
  }

  private static func isEmail(_ word: Substring) -> Bool {
    guard let at = word.firstIndex(of: "@"), at > word.startIndex else { return false }
    let host = word[word.index(after: at)...]
    guard let dot = host.firstIndex(of: "."), dot > host.startIndex else { return false }
    return host.index(after: dot) < host.endIndex && !host.contains("@")
  }
}

/// Cuts text into words and the white space, quotes and brackets between them.
private struct Scanner {
  private var rest: Substring

  init(_ text: Substring) { rest = text }

  mutating func next() -> (gap: Substring, word: Substring)? {
    guard !rest.isEmpty else { return nil }
    let gap = rest.prefix(while: Self.isGap)
    rest = rest[gap.endIndex...]
    let word = rest.prefix { !Self.isGap($0) }
    rest = rest[word.endIndex...]
    return (gap, word)
  }

  private static func isGap(_ character: Character) -> Bool {
    switch character {
    case "\"", "'", "(", ")", "[", "]", "{", "}", "<", ">", ",", ";", "`", "“", "”", "&", "|": true
    default: character.isWhitespace
    }
  }
}
