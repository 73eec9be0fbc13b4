// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Tells texts for people from those that Foundation makes up.
package enum PlainText {
  /// The text, unless it is blank or a sentence that ends like `(Shop.CartError error 1.)`.
  ///
  /// - Parameters:
  ///   - text: What an error says about itself.
  ///   - domain: The error's domain, by which the made-up sentence is known in every language. Any
  ///     other name with dots may stand in what an author wrote, such as that of a host.
  /// - Returns: The text, or nil.
  static func usable(_ text: String?, domain: String? = nil) -> String? {
    guard let text = text.map(shortened), hasVisibleCharacters(text),
      !isMadeUp(text, domain: domain)
    else { return nil }
    return text
  }

  /// At most so many bytes are looked at and shown: an error may say anything about itself.
  static let maximumBytes = 2_000

  private static func shortened(_ text: String) -> String {
    guard text.utf8.count > maximumBytes else { return text }
    // Cut inside of a character, the rest of it would be shown as a question mark.
    let scalars = text.unicodeScalars
    var end = scalars.startIndex
    var bytes = 0
    while end < scalars.endIndex {
      bytes += UTF8.width(scalars[end])
      if bytes > maximumBytes { break }
      end = scalars.index(after: end)
    }
    return String(scalars[..<end]) + "…"
  }

  /// What an error says to people, where an author wrote it.
  static func message(of error: any Error) -> String? {
    if error is any ReticentError { return nil }
    // Bridging an app's own error asks for all of its texts at once.
    if let error = error as? any AppErrorConvertible {
      return usable(error.errorDescription, domain: type(of: error).errorDomain)
    }
    let bridged = ConversionDepth.bridged(error)
    let text =
      (error as? any LocalizedError)?.errorDescription
      ?? bridged.userInfo[NSLocalizedDescriptionKey] as? String
    return usable(text, domain: bridged.domain)
  }

  /// What an error suggests to people, where an author wrote it.
  static func suggestion(of error: any Error) -> String? {
    if error is any ReticentError { return nil }
    if let error = error as? any AppErrorConvertible {
      return usable(error.recoverySuggestion, domain: type(of: error).errorDomain)
    }
    let bridged = ConversionDepth.bridged(error)
    let text =
      (error as? any LocalizedError)?.recoverySuggestion
      ?? bridged.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String
    return usable(text, domain: bridged.domain)
  }

  /// Whether there is anything to see: not only spaces, control and zero-width characters.
  package static func hasVisibleCharacters(_ text: some StringProtocol) -> Bool {
    // Asked of every error that is made, and nearly always the first byte is the answer.
    for byte in text.utf8 {
      if byte > 0x20, byte < 0x7f { return true }
      if byte >= 0x80 { break }
    }
    return hasVisibleScalars(text)
  }

  private static func hasVisibleScalars(_ text: some StringProtocol) -> Bool {
    text.unicodeScalars.contains { scalar in
      if scalar.properties.isWhitespace { return false }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate,
        .unassigned, .privateUse:
        return false
      default: return !scalar.properties.isDefaultIgnorableCodePoint
      }
    }
  }

  /// The made-up sentence ends in brackets that hold a domain, the word for "error" and a number.
  private static func isMadeUp(_ text: String, domain: String?) -> Bool {
    let last = text.suffix(300)  // not all of it: it may be ten megabytes long
    let end = last.reversed().drop { $0.isWhitespace || ".。．)）".contains($0) }
    guard end.count < last.count, end.first?.isNumber == true else { return false }
    let number = end.prefix { $0.isNumber }
    let group = String(end.dropFirst(number.count).prefix { !"(（".contains($0) }.reversed())
    guard end.count > number.count + group.count else { return false }  // no opening bracket
    if let domain, !domain.isEmpty, isNamed(domain, in: last) { return true }
    let words = group.split(whereSeparator: { $0.isWhitespace || $0 == "-" })
    guard let first = words.first else { return false }
    return words.last?.lowercased() == "error" || first.contains("Domain")
      || first.contains("Error")
  }

  /// Whether brackets begin with the domain, which may have brackets of its own, and not with a
  /// longer name.
  private static func isNamed(_ domain: String, in text: Substring) -> Bool {
    guard let found = text.range(of: domain, options: .backwards),
      text[..<found.lowerBound].last.map("(（".contains) == true
    else { return false }
    guard let next = text[found.upperBound...].first else { return true }
    return !next.isASCII || !next.isLetter && !next.isNumber && !"._".contains(next)
  }
}
