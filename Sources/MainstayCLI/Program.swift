// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The program `mainstay`.
@main struct Program: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mainstay",
    abstract: "Looks at what Mainstay keeps.",
    discussion: """
      Exit status: 0 all is well, 1 something was looked for and not found, 2 wrong options, 3 it \
      could not be done.
      """,
    subcommands: [ErrorsCommand.self, OutboxCommand.self])

  static func main() async {
    Terminal.prepare()
    do {
      try await perform()
      leave(.success)
    } catch let failure as CommandFailure {
      let name = failure.status == .wrongOptions ? "" : "mainstay: "
      if failure.status != .success { complain(name + failure.message) }
      leave(failure.status)
    } catch {
      complain("mainstay: \(fullMessage(for: error))")
      leave(.couldNotRun)
    }
  }

  /// What was typed stands in complaints, and may come from anywhere.
  private static func complain(_ text: String) {
    Terminal.complaints.tell(Terminal.lines(text).joined(separator: "\n") + "\n")
  }

  private static func perform() async throws {
    var command: any ParsableCommand
    do {
      command = try parseAsRoot()
    } catch {
      return try answer(error)
    }
    do {
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error where exitCode(for: error) == .success {
      // Help that is asked for by a command without a subcommand comes this way.
      try answer(error)
    }
  }

  /// Prints help that was asked for, or tells what is wrong with what was typed.
  private static func answer(_ error: any Error) throws {
    let text = fullMessage(for: error)
    guard exitCode(for: error) == .success else {
      throw CommandFailure(status: .wrongOptions, message: text)
    }
    try Terminal.output.write(text + "\n")
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

  /// Whoever read the output has seen enough: there is nothing more to do, and nothing to say.
  static let readerLeft = CommandFailure(status: .success, message: "")
}

extension POSIXError {
  /// What the system has just said.
  static var latest: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

  /// What it says, for the end of a sentence, such as "permission denied".
  var words: String { Self.words(code.rawValue) }

  /// What a number of the system says.
  static func words(_ number: Int32) -> String {
    let text = String(cString: strerror(number))
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
