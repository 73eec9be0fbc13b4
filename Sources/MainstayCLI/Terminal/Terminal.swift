// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where text goes: a terminal, a file or another program.
struct Terminal {
  /// How a piece of text stands out.
  enum Accent: String {
    case bold = "1"
    case faint = "2"
    case red = "31"
    case yellow = "33"
    case cyan = "36"
  }

  /// What was asked for.
  static let output = Terminal(.standardOutput, descriptor: 1)
  /// What went wrong, and how far it is.
  static let complaints = Terminal(.standardError, descriptor: 2)

  private let file: FileHandle
  /// Whether a person looks at it.
  let isInteractive: Bool
  /// Whether it is coloured: on a terminal, unless `NO_COLOR` is set and not empty.
  let isColored: Bool

  private init(_ file: FileHandle, descriptor: Int32) {
    self.file = file
    isInteractive = isatty(descriptor) == 1
    let forbids = ProcessInfo.processInfo.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    isColored = isInteractive && !forbids
  }

  /// Writes text as it is; nobody reading any more is no error.
  func write(_ text: String) {
    try? file.write(contentsOf: Data(text.utf8))
  }

  /// The text, so that it stands out where there is colour.
  func accented(_ text: String, _ accent: Accent) -> String {
    isColored ? "\u{1b}[\(accent.rawValue)m\(text)\u{1b}[0m" : text
  }

  /// The text without characters that would steer a terminal: what is in a report may be anybody's.
  static func safe(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: "\u{fffd}"
          default: scalar
          }
        }))
  }
}
