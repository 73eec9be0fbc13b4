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
/// In reports the name is `<private>`, since it may be anybody's data; `\(public: name)` is told
/// there, too.
///
/// Two texts are equal when key, pattern and arguments are.
public struct LocalizableText: Sendable, Hashable, Codable {
  /// A value inside a text, formatted for the reader's locale.
  ///
  /// A person reads all of it. In an ``ErrorReport`` a text is `<private>`, unless it is public.
  public enum Argument: Sendable, Hashable {
    /// Shown as it is.
    case text(String)
    /// Shown as it is, and nobody's data, such as the name of a feature: it stands in reports, too.
    case publicText(String)
    /// Shown with the locale's digits and grouping.
    case integer(Int)
    /// Shown with the locale's digits, grouping and decimal mark.
    case number(Double)
    /// Shown in words, such as "2 minutes"; parts of a second are rounded up.
    case duration(Duration)
    /// Shown as day and time, in the time zone that the locale names, such as `de-u-tz-deber`, else
    /// in the current one.
    case date(Date)
    /// Another text, put into words in the language of the one that it stands in.
    case localized(LocalizableText)
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
  /// It becomes an argument: two errors with different words of a server differ. It stands in
  /// reports, redacted.
  public init(verbatim text: String) {
    self.init(key: nil, pattern: "{0}", arguments: [.publicText(text)])
  }

  /// Makes a text of several, each on a line of its own and in the language of the reader.
  package init(lines: [LocalizableText]) {
    self.init(
      key: nil, pattern: lines.indices.map { "{\($0)}" }.joined(separator: "\n"),
      arguments: lines.map(Argument.localized))
  }

  init(key: String?, pattern: String, arguments: [Argument]) {
    self.key = key
    self.pattern = pattern
    self.arguments = arguments
  }

  /// Whether there is nothing to read: no characters, or none that can be seen.
  public var isBlank: Bool {
    // Asked of every error that is made: a wording without arguments is shown as it is.
    !PlainText.hasVisibleCharacters(arguments.isEmpty ? pattern : description)
  }

  /// The text in words: the wording that ``TextCatalog/current`` has for the locale, else English.
  ///
  /// Where the arguments hold a number, the first one decides which ``PluralCategory`` it has.
  ///
  /// A text among the arguments that is written the other way than the wording, such as a Hebrew
  /// name in an English sentence, stands between U+2068 and U+2069, so that it turns nothing round.
  public func string(in locale: Locale = .current) -> String {
    filled(translation(in: locale) ?? pattern, in: locale)
  }

  /// The wording of the catalogue, unless it names an argument that is not there.
  private func translation(in locale: Locale) -> String? {
    guard let key else { return nil }
    return TextCatalog.current.pattern(for: key, form, in: locale) { wording in
      Self.places(in: wording).allSatisfy(arguments.indices.contains)
    }
  }

  /// The first number among the arguments decides.
  private var form: TextCatalog.Form {
    if let number = PluralOperands(arguments) { return .number(number) }
    let holdsNumber = arguments.contains { if case .number = $0 { true } else { false } }
    return holdsNumber ? .any : .plain
  }

  private func filled(_ wording: String, in locale: Locale) -> String {
    // Looked at once and only where there is a text: a wording may be long and have many places.
    var direction: TextDirection?
    return Self.filled(wording) { place in
      guard arguments.indices.contains(place) else { return nil }
      let text = arguments[place].string(in: locale)
      switch arguments[place] {
      case .text, .publicText:
        // Beside a text that is alone there is nothing to turn round.
        if wording == "{0}" { return text }
        let around = direction ?? TextDirection(of: wording, in: locale)
        direction = around
        return around.keepingTogether(text)
      case .integer, .number, .duration, .date, .localized: return text
      }
    }
  }

  /// The numbers of the places for arguments in a wording.
  package static func places(in wording: String) -> Set<Int> {
    var places: Set<Int> = []
    _ = filled(wording) { place in
      places.insert(place)
      return ""
    }
    return places
  }

  /// A wording with something in its places; nil leaves the place as it is written.
  package static func filled(_ wording: String, _ argument: (Int) -> String?) -> String {
    // Bytes, not characters: a brace and an accent after it are one character.
    let bytes = Array(wording.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      let isDoubled = index + 1 < bytes.count && bytes[index + 1] == byte
      if byte == Self.closing || byte == Self.opening, isDoubled {
        result.append(byte)
        index += 2
      } else if byte == Self.opening, let (number, end) = place(in: bytes, at: index + 1),
        let value = argument(number)
      {
        result += value.utf8
        index = end
      } else {  // what is not a place for an argument is shown as written: a text must never trap
        result.append(byte)
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static let opening = UInt8(ascii: "{")
  private static let closing = UInt8(ascii: "}")

  /// The number of the place that is written here, and where the text goes on.
  private static func place(in bytes: [UInt8], at start: Int) -> (number: Int, end: Int)? {
    var index = start
    var number = 0
    while index < bytes.count, index < start + 4, Byte.isDigit(bytes[index]) {  // no overflow
      number = number * 10 + Int(bytes[index] - UInt8(ascii: "0"))
      index += 1
    }
    guard index > start, index < bytes.count, bytes[index] == closing else { return nil }
    return (number, index + 1)
  }

  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == opening || $0 == closing }) else { return text }
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

    /// Adds a text, shown as it is; in reports it is `<private>`.
    public mutating func appendInterpolation(_ text: some StringProtocol) {
      append(.text(String(text)))
    }

    /// Adds a text that is nobody's data, such as the name of a feature; shown as it is, and in
    /// reports, too.
    public mutating func appendInterpolation(public text: some StringProtocol) {
      append(.publicText(String(text)))
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

    /// Adds a value whose kind is known only when the program runs.
    package mutating func appendInterpolation(argument: Argument) { append(argument) }

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
  /// The English wording with its arguments filled in, whatever catalogue is in force.
  public var description: String {
    Self.filled(pattern) { place in
      arguments.indices.contains(place) ? arguments[place].english : nil
    }
  }
}
