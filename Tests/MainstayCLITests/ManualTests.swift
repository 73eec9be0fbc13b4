// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// What ArgumentParser says of a program, as its option `--experimental-dump-help` prints it.
private struct Manual: Decodable {
  struct Command: Decodable {
    let commandName: String
    let abstract: String?
    let discussion: String?
    let arguments: [Argument]?
    let subcommands: [Command]?
    let defaultSubcommand: String?
  }

  struct Argument: Decodable {
    struct Name: Decodable {
      let kind: String
      let name: String

      var text: String { (kind == "long" ? "--" : "-") + name }
    }

    let kind: String
    let names: [Name]?
    let valueName: String?
    let abstract: String?
    let defaultValue: String?
    let allValues: [String]?
    let isOptional: Bool
    let isRepeating: Bool
    let shouldDisplay: Bool

    /// As it is typed.
    var typed: String {
      let value = "<\(valueName ?? "value")>"
      let written =
        switch kind {
        case "positional": value
        case "flag": names?.map(\.text).joined(separator: ", ") ?? ""
        default: (names?.map(\.text).joined(separator: ", ") ?? "") + " " + value
        }
      return isRepeating ? written + " …" : written
    }
  }

  let command: Command
}

/// The manual of the programs against the programs.
@Suite struct ManualTests {
  private static let page = ReferencePage("Sources/Mainstay/Mainstay.docc/Reference/CommandLine.md")

  private static let introduction = """
    # The command line

    Every command and every option of `mainstay` and `mainstay-audit`.

    ## Overview

    `mainstay` looks at what Mainstay keeps: reports of errors, and outboxes in files and databases.
    It has the commands of the audit too, which `mainstay-audit` has alone. Colours are there on a
    terminal only, and never with `NO_COLOR`. Every command has `--help`.

    | Status | Means |
    |---|---|
    | 0 | all is well |
    | 1 | something was looked for and not found, or something wrong was found |
    | 2 | options or a configuration are wrong |
    | 3 | it could not be done |

    This page is written from the programs by `make reference`.
    """

  @Test func `the manual has every command and option of the programs`() async throws {
    var text = Self.introduction + "\n"
    var count = 0
    for program in ["mainstay", "mainstay-audit"] {
      // Longer than what a pipe holds.
      let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      defer { try? FileManager.default.removeItem(at: file) }
      let script = #""$0" --experimental-dump-help >"$1""#
      let end = try await BuiltProgram.run(program, inShell: script, [file.path])
      #expect(end.status == 0, "\(end.errors)")
      let manual = try JSONDecoder().decode(Manual.self, from: Data(contentsOf: file))
      let commands = Self.all(manual.command, below: [])
      count += commands.count
      for (names, command) in commands { text += "\n" + Self.section(names, command) }
    }
    #expect(count > 12)
    let difference = try Self.page.difference(from: text)
    #expect(difference == nil, "\(difference ?? "")")
  }

  private static func all(
    _ command: Manual.Command, below: [String]
  ) -> [(names: [String], command: Manual.Command)] {
    let names = below + [command.commandName]
    let inner = (command.subcommands ?? []).filter { $0.commandName != "help" }
    return [(names, command)] + inner.flatMap { all($0, below: names) }
  }

  /// A line of examples says what is typed, and at some distance what that does.
  private static func example(_ line: Substring) -> String {
    guard let gap = line.firstRange(of: "  ") else { return String(line) }
    let meaning = line[gap.upperBound...].drop { $0 == " " }
    return "- `\(line[..<gap.lowerBound])`: \(meaning)"
  }

  private static func section(_ names: [String], _ command: Manual.Command) -> String {
    var lines = ["## \(names.joined(separator: " "))", ""]
    lines += [command.abstract, command.discussion].compactMap(\.self).filter { !$0.isEmpty }
      .flatMap { text in
        text.split(separator: "\n", omittingEmptySubsequences: false).map(Self.example) + [""]
      }
    let shown = (command.arguments ?? []).filter {
      $0.shouldDisplay && !["help", "version"].contains($0.valueName)
    }
    let inner = (command.subcommands ?? []).map(\.commandName).filter { $0 != "help" }
    if !inner.isEmpty {
      let list = inner.map { "`\($0)`" }.joined(separator: ", ")
      let standard = command.defaultSubcommand.map { "; `\($0)` where none is given" } ?? ""
      lines += ["Commands: \(list)\(standard).", ""]
    }
    guard !shown.isEmpty else { return lines.dropLast().joined(separator: "\n") + "\n" }
    lines += ["| Argument | Means | Default |", "|---|---|---|"]
    for argument in shown {
      let values = argument.allValues.map { " One of: \($0.joined(separator: ", "))." } ?? ""
      let needed = argument.isOptional ? "" : "needed"
      let standard = argument.defaultValue.map { "`\($0)`" } ?? needed
      let meaning = ReferencePage.cell((argument.abstract ?? "") + values)
      lines.append("| `\(ReferencePage.cell(argument.typed))` | \(meaning) | \(standard) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
