// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AuditCommands

/// The program `mainstay-audit`: the audit alone, without what else `mainstay` looks at.
@main struct Program: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mainstay-audit", abstract: "Checks how Swift code handles errors.",
    discussion: AuditText.discussion("mainstay-audit"), version: AuditText.version,
    subcommands: [RunCommand.self, InitCommand.self, RulesCommand.self],
    defaultSubcommand: RunCommand.self)

  static func main() async { await runProgram() }
}
