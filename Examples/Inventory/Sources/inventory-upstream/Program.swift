// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import InventoryUpstream

@main struct Program: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inventory-upstream",
    abstract: "Runs the service that the example app talks to.",
    discussion: "Its catalog is sample data. Stop it with Control-C.")

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(help: "The port, 0 for any free one. Default: UPSTREAM_PORT, else 8081.")
  var port: Int?

  @Option(help: "The folder that keeps twins, photos and the ledger. Default: memory only.")
  var data: String?

  @Flag(help: "Let anyone who reaches the port switch faults and read the ledger.")
  var allowControl = false

  func validate() throws {
    guard (0...65_535).contains(try chosenPort()) else {
      throw ValidationError("The port must be from 0 to 65535.")
    }
  }

  func run() async throws {
    var settings = Upstream.Settings()
    settings.host = host
    settings.port = try chosenPort()
    settings.data = data.map { URL(filePath: $0, directoryHint: .isDirectory) }
    settings.isControlAllowed = allowControl
    do {
      try await Upstream(settings).run { port in
        write("inventory-upstream listens on http://\(host):\(port)", .standardOutput)
      }
    } catch {
      write("inventory-upstream: \(error)", .standardError)
      throw ExitCode.failure
    }
  }

  private func chosenPort() throws -> Int {
    if let port { return port }
    guard let text = ProcessInfo.processInfo.environment["UPSTREAM_PORT"] else { return 8081 }
    guard let port = Int(text) else {
      throw ValidationError("UPSTREAM_PORT must be a number, not \(text).")
    }
    return port
  }
}

/// Writes a line at once; what is printed waits while the output is no terminal.
private func write(_ line: String, _ file: FileHandle) { file.write(Data("\(line)\n".utf8)) }
