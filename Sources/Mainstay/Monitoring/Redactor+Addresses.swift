// SPDX-License-Identifier: Apache-2.0

// Addresses such as `https://…`, also those whose slashes are escaped as JSON does it.

extension Redactor {
  /// A run of bytes without white space and marks: as much as may belong to one address.
  struct AddressRun {
    let start: Int
    let end: Int
    let lastAt: Int?
  }

  /// Whether there is a slash in the last run of the output without white space and quotes.
  struct PathRun {
    /// The slashes of encoded data are not seen any more.
    private static let data = Array("<data>".utf8)

    private var seen = 0
    private var hasSlash = false

    /// Goes on where it stopped the last time, since output is only added.
    mutating func hasSlash(before output: [UInt8]) -> Bool {
      while seen < output.count {
        let byte = output[seen]
        seen += 1
        if Byte.isSpace(byte) || Byte.isQuote(byte) {
          hasSlash = false
        } else if byte == UInt8(ascii: "/") || output[..<seen].suffix(6).elementsEqual(Self.data) {
          hasSlash = true
        }
      }
      return hasSlash
    }
  }

  /// Keeps scheme, host and path; takes out user info, query and fragment.
  mutating func takeURL(from start: Int) {
    copy(to: start)
    expected = .nothing
    position = endOfUserInfo(from: start)
    let start = position
    let end = endOfAddress(from: start)
    let rest = bytes[start..<end]
    let tail = rest.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? end
    copyPath(to: tail)
    if tail < end {
      output += "?<redacted>".utf8
      position = end
    }
  }

  /// Takes the query or the fragment of an address without a scheme; false where none begins here.
  ///
  /// It is one where a `/` stands before it in the same run of text, and a `=` in it.
  mutating func takeQuery() -> Bool {
    guard bytes[position] == UInt8(ascii: "?") || bytes[position] == UInt8(ascii: "#"),
      path.hasSlash(before: output), hasValue(from: position + 1)
    else { return false }
    replace(to: endOfAddress(from: position), with: "?<redacted>")
    return true
  }

  /// Whether a `=` stands in what may be the first name of a query.
  private mutating func hasValue(from start: Int) -> Bool {
    let stops = [UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "<")]
    var index = start
    defer { effort += index - start }
    while index < min(bytes.count, start + 64) {
      if bytes[index] == UInt8(ascii: "=") { return true }
      guard !stops.contains(bytes[index]), endOfURLPart(at: index) != nil else { return false }
      index += 1
    }
    return false
  }

  private mutating func endOfAddress(from start: Int) -> Int {
    var end = start
    while end < bytes.count, let next = endOfURLPart(at: end) { end = next }
    // Where it goes on beyond what is seen, nothing is known to be at its end.
    if !isCut || end < bytes.count {
      while end > start, Self.isTrailing(bytes[end - 1]) { end -= 1 }
    }
    effort += end - start
    return end
  }

  /// Where the user info ends: behind the last `@` that belongs to it; `start` where there is none.
  ///
  /// With a colon there may be a password, in which everything may stand that people write there:
  /// then the last `@` of the whole run counts. An address with a port and an `@` in its path loses
  /// more than it must.
  private mutating func endOfUserInfo(from start: Int) -> Int {
    let limit = endOfRun(from: start)
    var end = start
    var hasColon = false
    var at: Int?
    while end < limit, !endsAuthority(at: end) {
      if bytes[end] == UInt8(ascii: ":") { hasColon = true }
      if bytes[end] == UInt8(ascii: "@") { at = end }
      end += 1
    }
    effort += end - start
    if hasColon { at = lastAt(in: start..<limit) }
    return at.map { $0 + 1 } ?? start
  }

  private func endsAuthority(at index: Int) -> Bool {
    switch Unicode.Scalar(bytes[index]) {
    case "/", "?", "#": true
    case "\\": escapedSlash(at: index) != nil
    default: false
    }
  }

  /// Where the run of an address ends: at white space, a mark or the quote in which it stands.
  private mutating func endOfRun(from start: Int) -> Int {
    let run = run(at: start)
    guard let (quote, isEscaped) = quoteAround else { return run.end }
    var index = start
    while index < run.end, bytes[index] != quote {
      index += bytes[index] == UInt8(ascii: "\\") && !isEscaped ? 2 : 1
    }
    effort += index - start
    return min(index, run.end)
  }

  /// The last `@` of a part of a run, which ends at the run's end or at a quote before it.
  private mutating func lastAt(in part: Range<Int>) -> Int? {
    if let run = addressRun, run.end == part.upperBound {
      return run.lastAt.flatMap { part.contains($0) ? $0 : nil }
    }
    effort += part.count
    return bytes[part].lastIndex(of: UInt8(ascii: "@"))
  }

  /// The run that an address stands in; looked for once, whatever the number of addresses in it.
  private mutating func run(at start: Int) -> AddressRun {
    if let run = addressRun, run.start <= start, start < run.end { return run }
    var end = start
    var lastAt: Int?
    while end < bytes.count, !Byte.isSpace(bytes[end]), lengthOfMark(at: end) == nil {
      if bytes[end] == UInt8(ascii: "@") { lastAt = end }
      end += 1
    }
    effort += end - start
    let run = AddressRun(start: start, end: end, lastAt: lastAt)
    addressRun = run
    return run
  }

  /// The quote in which the address stands, and whether a backslash is before it.
  private var quoteAround: (quote: UInt8, isEscaped: Bool)? {
    var index = output.count
    while index > max(0, output.count - 64), !Byte.isSpace(output[index - 1]) {
      index -= 1
      guard Byte.isQuote(output[index]) else { continue }
      return (output[index], index > 0 && output[index - 1] == UInt8(ascii: "\\"))
    }
    return nil
  }

  /// Goes over host and path as over any text, which knows home folders, emails and tokens.
  private mutating func copyPath(to end: Int) {
    var inner = Redactor(bytes: Array(bytes[position..<end]))
    while inner.position < inner.bytes.count { inner.step() }
    output += inner.output
    effort += inner.effort
    position = end
  }

  /// How long the end of a scheme is that stands here, such as `://` or `:\/\/`; nil for none.
  func lengthOfSchemeEnd(at index: Int) -> Int? {
    guard bytes[index] == UInt8(ascii: ":"), let first = escapedSlash(at: index + 1),
      let second = escapedSlash(at: first)
    else { return nil }
    return second - index
  }

  /// Where the text goes on behind a slash with up to three backslashes before it; nil for none.
  private func escapedSlash(at start: Int) -> Int? {
    var index = start
    while index < min(bytes.count, start + 3), bytes[index] == UInt8(ascii: "\\") { index += 1 }
    return index < bytes.count && bytes[index] == UInt8(ascii: "/") ? index + 1 : nil
  }

  /// Where a URL goes on; nil where it ends, which is also before another one inside it.
  private func endOfURLPart(at index: Int) -> Int? {
    let byte = bytes[index]
    switch Unicode.Scalar(byte) {
    case "<": return lengthOfMark(at: index).map { index + $0 }
    case "\\": return escapedSlash(at: index) != nil || isEscapedScalar(at: index) ? index + 1 : nil
    case ">", "|": return nil
    default:
      let ends = Byte.isSpace(byte) || Byte.isQuote(byte) || lengthOfSchemeEnd(at: index) != nil
      return ends ? nil : index + 1
    }
  }

  func lengthOfMark(at index: Int) -> Int? {
    guard bytes[index] == UInt8(ascii: "<") else { return nil }
    return Self.marks.first { bytes[index...].starts(with: $0) }?.count
  }

  /// Whether a character stands here as JSON may write it, such as `\u0026`.
  private func isEscapedScalar(at index: Int) -> Bool {
    index + 5 < bytes.count && bytes[index + 1] == UInt8(ascii: "u")
      && bytes[(index + 2)...(index + 5)].allSatisfy {
        Byte.isDigit($0) || (97...102).contains($0 | 0x20)
      }
  }

  private static func isTrailing(_ byte: UInt8) -> Bool {
    Byte.isClosing(byte)
      || [".", ",", ";", ":", "!"].contains(Unicode.Scalar(byte))
  }
}
