// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Foundation

extension AsyncParsableCommand {
  /// Runs what was typed, as the whole of a program, and ends with its status.
  package static func runProgram() async -> Never {
    Terminal.prepare()
    do {
      try await perform()
      leave(.success)
    } catch let failure as CommandFailure {
      let name = failure.status == .wrongOptions ? "" : "\(Terminal.program): "
      if failure.status != .success, !failure.message.isEmpty {
        complain(name + failure.message)
      }
      leave(failure.status)
    } catch {
      complain("\(Terminal.program): \(fullMessage(for: error))")
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
