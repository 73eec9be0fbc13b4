// SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
  /// Whether it may reach a terminal as it is: no control, nothing without a shape of its own, and
  /// nothing that turns the direction of what follows.
  var isVisible: Bool {
    if isASCII { return value >= 0x20 && value != 0x7F }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return false
    default: return true
    }
  }

  /// How code would write it: `\u{1B}`.
  var escaped: String { "\\u{\(String(value, radix: 16, uppercase: true))}" }

  /// Whether a terminal gives it two columns.
  var isWide: Bool {
    guard value >= 0x1100 else { return false }
    return properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) }
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
    0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
  ]

  fileprivate var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark: true
    default: false
    }
  }
}

/// One character as a terminal shows it.
struct TerminalCell {
  let text: String
  /// How many columns it takes.
  let width: Int

  /// - Parameters:
  ///   - character: What the text holds.
  ///   - column: The column that it stands in, from 0, for the width of a tab.
  init(_ character: Character, at column: Int = 0) {
    if character == "\t" {
      width = 4 - column % 4
      text = String(repeating: " ", count: width)
      return
    }
    let scalars = character.unicodeScalars
    guard let first = scalars.first else {
      (text, width) = ("", 0)
      return
    }
    // A joiner between two pictures is the only invisible thing that belongs to what is seen.
    let isPicture = first.properties.isEmoji && !first.isASCII
    guard scalars.allSatisfy({ $0.isVisible || (isPicture && $0.value == 0x200D) }) else {
      let escaped = scalars.map { $0.isVisible && $0.isASCII ? String($0) : $0.escaped }.joined()
      (text, width) = (escaped, escaped.count)
      return
    }
    var shown = String(String.UnicodeScalarView(scalars.prefix(Self.mostScalars)))
    if first.isMark { shown = "\u{25CC}" + shown }
    text = shown
    width = first.isWide || scalars.contains { $0.value == 0xFE0F } ? 2 : 1
  }

  /// How many marks on one letter are shown, so that none grows over the lines around it.
  private static let mostScalars = 8
}

extension StringProtocol {
  /// The text as a terminal may have it: on one line, with what is invisible as code writes it.
  var terminalSafe: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return String(self) }
    return map { $0 == "\t" ? " " : TerminalCell($0).text }.joined()
  }

  /// How many columns a terminal gives it.
  var terminalWidth: Int {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return utf8.count }
    return reduce(0) { $0 + TerminalCell($1).width }
  }

  /// The text with spaces up to a width.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - terminalWidth))
  }

  /// The words in lines of at most a width; a longer word has a line of its own.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var columns = 0
    for word in split(separator: " ") {
      let length = word.terminalWidth
      if !line.isEmpty && columns + 1 + length > width {
        lines.append(line)
        (line, columns) = ("", 0)
      }
      line += (line.isEmpty ? "" : " ") + word
      columns += length + (columns == 0 ? 0 : 1)
    }
    return line.isEmpty ? lines : lines + [line]
  }
}

extension TextStyle {
  enum Colour: String {
    case bold = "1"
    case faint = "2"
    case red = "1;31"
    case green = "1;32"
    case yellow = "1;33"
    case blue = "1;34"
  }

  /// The text in a colour, where there are colours.
  func paint(_ text: String, _ colour: Colour) -> String {
    colours && !text.isEmpty ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }

  func paint(_ severity: Severity, _ text: String? = nil) -> String {
    let colour: Colour =
      switch severity {
      case .error: .red
      case .warning: .yellow
      case .info: .blue
      }
    return paint(text ?? severity.rawValue, colour)
  }

  /// How many columns there are, as far as that is sensible.
  var columns: Int { max(40, width) }

  /// A paragraph whose first line starts with one text and the others with as many spaces.
  func paragraph(_ text: String, after lead: String, paint colour: Colour? = nil) -> String {
    let indent = String(repeating: " ", count: lead.terminalWidth)
    let lines = text.terminalSafe.wrapped(to: max(20, columns - indent.count))
    return lines.enumerated().map { place, line in
      (place == 0 ? lead : indent) + (colour.map { paint(line, $0) } ?? line)
    }.joined(separator: "\n")
  }
}
