// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where text goes: a terminal, a file or another program.
package struct Terminal: Sendable {
  /// How a piece of text stands out.
  package enum Accent: String, Sendable {
    case bold = "1"
    case faint = "2"
    case red = "31"
    case yellow = "33"
    case cyan = "36"
  }

  /// What was asked for.
  package static let output = Terminal(descriptor: 1)
  /// What went wrong, and how far it is.
  package static let complaints = Terminal(descriptor: 2)

  /// The name of this program, for complaints.
  package static var program: String { program(at: CommandLine.arguments.first ?? "") }

  /// The name that whoever started the program at a path knows.
  package static func program(at path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? "mainstay"
    // SwiftPM builds a program under this name for a plugin, which nobody types.
    return name.hasSuffix("-tool") ? String(name.dropLast("-tool".count)) : name
  }

  private let descriptor: Int32
  /// Whether a person looks at it.
  package let isInteractive: Bool
  /// Whether it is coloured: on a terminal, unless `NO_COLOR` is set and not empty.
  package let isColored: Bool

  private init(descriptor: Int32) {
    self.descriptor = descriptor
    isInteractive = isatty(descriptor) == 1
    let forbids = ProcessInfo.processInfo.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    isColored = isInteractive && !forbids
  }

  /// How many columns it has; nil where it is no terminal.
  package var width: Int? {
    var size = winsize()
    guard isInteractive, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
    else { return nil }
    return Int(size.ws_col)
  }

  /// Readies the standard files, before any other is opened.
  ///
  /// A reader that has gone is to be told, not to end the program. Where a standard file is closed,
  /// the next one that is opened would get its number, and what is printed would end up in it: it
  /// becomes one that can be neither read nor written.
  package static func prepare() {
    signal(SIGPIPE, SIG_IGN)
    for (descriptor, mode) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)]
    where fcntl(Int32(descriptor), F_GETFD) == -1 {
      _ = open("/dev/null", mode)
    }
  }

  /// Writes text as it is.
  ///
  /// - Throws: Where it is lost, or nobody reads it any more.
  package func write(_ text: String) throws(CommandFailure) {
    let bytes = Array(text.utf8)
    guard let code = WholeBytes.failure(writing: bytes, to: descriptor) else { return }
    guard code != EPIPE else { throw .readerLeft }
    throw CommandFailure(
      status: .couldNotRun,
      message: "The output cannot be written: \(POSIXError.words(code)).")
  }

  /// Writes a complaint as it is; where that cannot be done, nobody can be told.
  package func tell(_ text: String) { _ = try? write(text) }

  /// The text, so that it stands out where there is colour.
  package func accented(_ text: String, _ accent: Accent) -> String {
    isColored ? "\u{1b}[\(accent.rawValue)m\(text)\u{1b}[0m" : text
  }

  /// The lines of a text, each as it is safe to print; a tab is two spaces.
  package static func lines(_ text: String) -> [String] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map {
      safe($0.replacing("\t", with: "  "))
    }
  }

  /// The text without characters that would steer a terminal: what is in a report may be anybody's.
  package static func safe(_ text: some StringProtocol) -> String {
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
