// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands
import Foundation
import Mainstay

/// `mainstay errors`: what a log or a store of reports says.
struct ErrorsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "errors",
    abstract: "Reads the reports that an app wrote: the most common errors, each one, their trend.",
    subcommands: [
      TopCommand.self, ShowCommand.self, TrendCommand.self, ExportCommand.self, StoreCommand.self,
    ])
}

/// Which reports are read, and how the answer is written.
struct LogOptions: ParsableArguments {
  @Argument(
    help: """
      Logs such as errors.jsonl, with their older parts; folders of logs or of a report store; - \
      for standard input.
      """,
    completion: .file(extensions: ["jsonl"]))
  var paths: [String]

  @Flag(help: "Print JSON.")
  var json = false

  /// Reads the log, and says what could not be read.
  func log() throws -> ErrorLog {
    let log = try ErrorLog(reading: paths)
    for complaint in log.complaints { Terminal.complaints.tell("mainstay: \(complaint)\n") }
    return log
  }
}

/// Refuses what names nothing: every name begins with it.
func validateName(_ name: String) throws {
  guard !name.allSatisfy(\.isWhitespace) else {
    throw ValidationError(
      "The name of an error must not be empty. See `mainstay errors top` for their names.")
  }
}

/// The group whose code is, or whose fingerprint or code begins with, what was typed.
func group(_ prefix: String, in groups: [LoggedGroup]) throws -> LoggedGroup {
  let exact = groups.filter { $0.latest.code.rawValue == prefix }
  let found =
    !exact.isEmpty
    ? exact
    : groups.filter { group in
      let text = group.fingerprint.description
      return text.hasPrefix(prefix) || text.drop { $0 != "-" }.dropFirst().hasPrefix(prefix)
        || group.latest.code.rawValue.hasPrefix(prefix)
    }
  switch found.count {
  case 1: return found[0]
  case 0:
    throw CommandFailure(
      status: .notFound,
      message: "No error of the log is named \(prefix). See `mainstay errors top` for their names.")
  default:
    let names = found.prefix(5).map { "  \($0.fingerprint)  \($0.latest.code)" }
    throw CommandFailure(
      status: .notFound,
      message: "\(found.count) errors are named \(prefix):\n" + names.joined(separator: "\n"))
  }
}

/// How values are written for people and for programs.
enum Format {
  static func json(_ value: some Encodable) throws -> String {
    try json(value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
  }

  /// A value in one line of a file of JSON lines.
  static func jsonLine(_ value: some Encodable) throws -> String {
    try json(value, [.sortedKeys, .withoutEscapingSlashes])
  }

  private static func json(
    _ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(WireTime.iso(date))
    }
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }

  /// How many there are of something, such as "1 error" and "2 errors".
  static func count(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }

  /// Day and time in UTC, to the second; a dash where that is not known.
  static func time(_ date: Date?) -> String {
    date.map { String(WireTime.iso($0).replacing("T", with: " ").prefix(19)) } ?? "–"
  }

  /// The same with its zone, for where others would take it for the time of the reader.
  static func utc(_ date: Date?) -> String { date.map { "\(time($0)) UTC" } ?? "–" }
}
