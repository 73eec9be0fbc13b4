// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The program `mainstay`.
@main struct Program: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mainstay",
    abstract: "Looks at what Mainstay keeps.",
    discussion: """
      Exit status: 0 all is well, 1 something was looked for and not found, 2 wrong options, 3 it \
      could not be done.
      """,
    subcommands: [ErrorsCommand.self])

  static func main() {
    var command: any ParsableCommand
    do {
      command = try parseAsRoot()
    } catch {
      let isHelp = exitCode(for: error) == .success
      let text = fullMessage(for: error) + "\n"
      isHelp ? Terminal.output.write(text) : Terminal.complaints.write(text)
      leave(isHelp ? .success : .wrongOptions)
    }
    do {
      try command.run()
      leave(.success)
    } catch let failure as CommandFailure {
      Terminal.complaints.write("mainstay: \(failure.message)\n")
      leave(failure.status)
    } catch {
      // Help that is asked for by a command without a subcommand comes this way.
      let isHelp = exitCode(for: error) == .success
      let text = fullMessage(for: error) + "\n"
      isHelp ? Terminal.output.write(text) : Terminal.complaints.write(text)
      leave(isHelp ? .success : .couldNotRun)
    }
  }

  private static func leave(_ status: CommandFailure.Status) -> Never {
    Foundation.exit(status.rawValue)
  }
}

/// Why a command came to nothing, in words for whoever typed it.
struct CommandFailure: Error {
  enum Status: Int32 {
    case success = 0
    case notFound = 1
    case wrongOptions = 2
    case couldNotRun = 3
  }

  let status: Status
  let message: String
}
