// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A text for people that is put into words late: a key, its arguments, and the English wording.
///
/// Written as an ordinary literal, the interpolated values become the arguments:
///
/// ```swift
/// let text: LocalizableText = "“\(name)” was saved \(count) times."
/// text.pattern    // "“{0}” was saved {1} times."
/// ```
///
/// Two texts are equal when key, pattern and arguments are.
public struct LocalizableText: Sendable, Hashable, Codable {
  /// A value inside a text, formatted for the reader's locale.
  public enum Argument: Sendable, Hashable {
    /// Shown as it is.
    case text(String)
    /// Shown with the locale's digits and grouping.
    case integer(Int)
    /// Shown with the locale's digits, grouping and decimal mark.
    case number(Double)
    /// Shown in words, such as "2 minutes"; parts of a second are rounded up.
    case duration(Duration)
    /// Shown as day and time.
    case date(Date)
  }

  /// The name under which a catalogue keeps translations; nil for a text without translations.
  public let key: String?

  /// The English wording, with `{0}`, `{1}`, … where the arguments go; a literal brace is doubled.
  public let pattern: String

  /// The values that go into the wording.
  public let arguments: [Argument]

  /// Makes a text from a key and its English wording.
  public init(key: String, english: LocalizableText) {
    self.init(key: key, pattern: english.pattern, arguments: english.arguments)
  }

  /// Makes a text from one that is not to be translated, such as what a server wrote for people.
  ///
  /// It becomes an argument: two errors with different words of a server differ.
  public init(verbatim text: String) {
    self.init(key: nil, pattern: "{0}", arguments: [.text(text)])
  }

  private init(key: String?, pattern: String, arguments: [Argument]) {
    self.key = key
    self.pattern = pattern
    self.arguments = arguments
  }

  /// Whether there is nothing to read: no characters, or none that can be seen.
  public var isBlank: Bool { !PlainText.hasVisibleCharacters(description) }

  /// The text in words; English until a catalogue says otherwise.
  public func string(in locale: Locale = .current) -> String {
    // Scalars, not characters: a brace and an accent after it are one character.
    var result = String.UnicodeScalarView()
    var rest = pattern.unicodeScalars[...]
    while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      result += rest[..<brace]
      let after = rest[rest.index(after: brace)...]
      if after.first == rest[brace] {  // doubled: a literal brace
        result.append(rest[brace])
        rest = after.dropFirst()
      } else if rest[brace] == "{", let (argument, end) = argument(at: after) {
        result += argument.string(in: locale).unicodeScalars
        rest = after[end...]
      } else {  // not a place for an argument: shown as written, since a text must never trap
        result.append(rest[brace])
        rest = after
      }
    }
    return String(result + rest)
  }

  /// The argument whose number and closing brace begin the text, and where the text goes on.
  private func argument(
    at text: Substring.UnicodeScalarView
  ) -> (argument: Argument, end: String.Index)? {
    let digits = text.prefix(4).prefix { ("0"..."9").contains($0) }  // bounded: patterns are read
    let rest = text[digits.endIndex...]
    guard rest.first == "}", let index = Int(String(digits)), arguments.indices.contains(index)
    else { return nil }
    return (arguments[index], rest.index(after: rest.startIndex))
  }

  private static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      result.append(scalar)
      if scalar == "{" || scalar == "}" { result.append(scalar) }
    }
    return String(result)
  }
}

extension LocalizableText: ExpressibleByStringInterpolation {
  /// Collects the wording and the arguments of a literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var pattern = ""
    fileprivate var arguments: [Argument] = []

    /// Begins with an empty wording.
    public init(literalCapacity: Int, interpolationCount: Int) {
      pattern.reserveCapacity(literalCapacity + 3 * interpolationCount)
      arguments.reserveCapacity(interpolationCount)
    }

    /// Adds wording; its braces are doubled.
    public mutating func appendLiteral(_ literal: String) {
      pattern += LocalizableText.escaped(literal)
    }

    /// Adds a text, shown as it is.
    public mutating func appendInterpolation(_ text: some StringProtocol) {
      append(.text(String(text)))
    }

    /// Adds a whole number; one beyond the range of `Int` is cut to it.
    public mutating func appendInterpolation(_ number: some BinaryInteger) {
      append(.integer(Int(clamping: number)))
    }

    /// Adds a number.
    public mutating func appendInterpolation(_ number: Double) { append(.number(number)) }

    /// Adds a span of time.
    public mutating func appendInterpolation(_ duration: Duration) { append(.duration(duration)) }

    /// Adds a point in time.
    public mutating func appendInterpolation(_ date: Date) { append(.date(date)) }

    private mutating func append(_ argument: Argument) {
      pattern += "{\(arguments.count)}"
      arguments.append(argument)
    }
  }

  /// Makes a text without arguments.
  public init(stringLiteral value: String) {
    self.init(key: nil, pattern: Self.escaped(value), arguments: [])
  }

  /// Makes a text whose interpolated values are its arguments.
  public init(stringInterpolation: StringInterpolation) {
    self.init(
      key: nil, pattern: stringInterpolation.pattern, arguments: stringInterpolation.arguments)
  }
}

extension LocalizableText: CustomStringConvertible {
  /// The English wording with its arguments filled in.
  public var description: String { string(in: Locale(identifier: "en")) }
}
