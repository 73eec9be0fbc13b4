// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands
import Mainstay

/// The program `mainstay`.
@main struct Program: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mainstay",
    abstract: "Looks at what Mainstay keeps, and at how code handles errors.",
    discussion: """
      Exit status: 0 all is well, 1 something was looked for and not found, or something wrong \
      was found, 2 wrong options, 3 it could not be done.
      """,
    version: MainstayVersion.current,
    subcommands: [
      ErrorsCommand.self, OutboxCommand.self, AuditCommand.self, RulesCommand.self,
    ])

  static func main() async { await runProgram() }
}
