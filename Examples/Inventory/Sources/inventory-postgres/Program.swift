// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import InventoryCore
import InventoryPostgres
import InventoryWeb
import Logging
import Mainstay
import MainstayOutbox
import MainstayOutboxPostgres

@main struct Program: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inventory-postgres",
    abstract: "Runs the example app on a PostgreSQL database that several processes share.",
    discussion: """
      Items and queue are in the database, so any process shows and sends what another one took. \
      Stop it with Control-C; what it was at goes on in the others, or at the next start.
      """)

  @Option(help: "The database, such as postgresql://app@localhost/inventory.")
  var database: String

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(help: "The port, 0 for any free one. Default: INVENTORY_PORT, else 8080.")
  var port: Int?

  @Option(help: "The folder for reports of errors. Default: INVENTORY_DATA, else .inventory.")
  var data: String?

  @Option(help: "Where the service is.")
  var upstream = "http://127.0.0.1:8081"

  func validate() throws {
    guard (0...65_535).contains(try chosenPort()) else {
      throw ValidationError("The port must be from 0 to 65535.")
    }
    _ = try upstreamURL()
    _ = try databaseAddress()
  }

  func run() async throws {
    ErrorMapping.bootstrap(.inventory)
    LoggingSystem.bootstrap(StreamLogHandler.standardError)
    do {
      let inventory = try await Inventory(
        data: folder, upstream: try upstreamURL(),
        shared: try await .postgres(try databaseAddress()))
      inventory.levels.controller.log(to: Logger(label: "inventory.levels"))
      try await inventory.start()
      for line in inventory.opening { write("inventory-postgres: \(line)", .standardError) }
      do {
        let server = try InventoryServer(inventory, host: host, port: try chosenPort())
        try await server.run { port in
          write("inventory listens on http://\(host):\(port)", .standardOutput)
        }
      } catch {
        await inventory.shutDown()
        throw error
      }
      await inventory.shutDown()
    } catch {
      let text = (error as? StartFailure)?.description ?? AppError.from(error).message.description
      write("inventory-postgres: \(text)", .standardError)
      throw ExitCode.failure
    }
  }

  private func databaseAddress() throws -> PostgresAddress {
    do throws(OutboxError) {
      return try PostgresAddress(database)
    } catch {
      throw ValidationError("--database: \(error.details)")
    }
  }

  private var folder: URL {
    let path = data ?? ProcessInfo.processInfo.environment["INVENTORY_DATA"] ?? ".inventory"
    return URL(filePath: path, directoryHint: .isDirectory)
  }

  private func upstreamURL() throws -> URL {
    guard let url = URL(string: upstream), ["http", "https"].contains(url.scheme),
      url.host()?.isEmpty == false
    else {
      throw ValidationError("--upstream must be an address like http://127.0.0.1:8081.")
    }
    return url
  }

  private func chosenPort() throws -> Int {
    if let port { return port }
    guard let text = ProcessInfo.processInfo.environment["INVENTORY_PORT"] else { return 8080 }
    guard let port = Int(text) else {
      throw ValidationError("INVENTORY_PORT must be a number, not \(text).")
    }
    return port
  }
}

/// Writes a line at once; what is printed waits while the output is no terminal.
private func write(_ line: String, _ file: FileHandle) { file.write(Data("\(line)\n".utf8)) }
