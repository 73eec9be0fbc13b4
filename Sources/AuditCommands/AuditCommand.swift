// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
internal import MainstayAudit

/// `mainstay audit`.
package struct AuditCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Checks how Swift code handles errors.",
    discussion: AuditText.discussion("mainstay audit"),
    subcommands: [RunCommand.self, InitCommand.self], defaultSubcommand: RunCommand.self)

  package init() {}
}

/// What both programs say of the audit.
package enum AuditText {
  /// The audit's own number.
  package static var version: String { AuditVersion.current }

  /// What stands below the summary of the help.
  package static func discussion(_ name: String) -> String {
    """
    \(name) Sources         looks at all Swift below a folder
    \(name) run --help      lists all options
    \(name) init            proposes a configuration for this project

    Exit status: 0 nothing was found, 1 something was, 2 wrong options or a wrong configuration, \
    3 nothing, or not all that was named, could be looked at.
    """
  }
}
