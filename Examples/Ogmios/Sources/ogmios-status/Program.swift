// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Mainstay
import MainstayHTTPTesting
import MainstayOgmios

/// The program `ogmios-status`.
@main struct Program: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ogmios-status",
    abstract: "Shows how Ogmios servers and the chain behind them are.",
    discussion: """
      The servers are asked in their order: where the connection to one fails, the next one is \
      asked.

      Exit status: 0 the server in use and its node are well, whatever the others are; 1 it has \
      no answer or its node is not well; 2 wrong options; 3 no server could be reached.
      """)

  @Argument(
    help: ArgumentHelp(
      "Where the servers are, such as ws://localhost:1337 or https://ogmios.example.",
      valueName: "address"))
  var addresses: [String] = []

  @Flag(help: "Asks a made-up server that this program starts by itself.")
  var fake = false

  @Flag(help: "Prints a JSON document instead of lines.")
  var json = false

  @Option(help: "How many seconds to wait for each answer, from 1 to 3600.")
  var timeout = 10

  func validate() throws {
    guard fake || !addresses.isEmpty else {
      throw ValidationError("Name at least one address, or use --fake.")
    }
    guard (1...3_600).contains(timeout) else {
      throw ValidationError("--timeout must be from 1 to 3600, not \(timeout).")
    }
  }

  static func main() async {
    let (output, complaint, status) = await outcome(of: Array(CommandLine.arguments.dropFirst()))
    FileHandle.standardOutput.write(Data(output.utf8))
    FileHandle.standardError.write(Data(complaint.utf8))
    Foundation.exit(status.rawValue)
  }

  private static func outcome(
    of arguments: [String]
  ) async -> (output: String, complaint: String, status: StatusReport.Ending) {
    let program: Program
    do {
      program = try Self.parse(arguments)
    } catch {
      let text = fullMessage(for: error) + "\n"
      return exitCode(for: error) == .success ? (text, "", .well) : ("", text, .wrongOptions)
    }
    do {
      let report = try await program.report()
      return (try program.json ? report.document() : report.lines(), "", report.ending)
    } catch let error as ConfigurationError {
      let rules = error.violations.map { "\($0.option): \($0.value): \($0.rule)" }
      return ("", "ogmios-status: \(rules.joined(separator: "; "))\n", .wrongOptions)
    } catch {
      let text = AppError.from(error).message.description
      return ("", "ogmios-status: \(text)\n", .unreachable)
    }
  }

  private func report() async throws -> StatusReport {
    let server = fake ? try await OgmiosServer() : nil
    var options = OgmiosClient.Options()
    options.timeout = .seconds(timeout)
    let client = try OgmiosClient(
      endpoints: addresses + [server?.socketAddress].compactMap(\.self), options: options)
    defer {
      client.close()
      server?.shutDown()
    }
    return await StatusReport(asking: client.monitored())
  }
}
