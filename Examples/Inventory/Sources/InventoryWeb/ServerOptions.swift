// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
package import Foundation
package import InventoryCore
import Logging
import Mainstay

/// What a program of the app is started with, wherever it keeps its items.
package struct ServerOptions: ParsableArguments {
  @Option(help: "The address to listen on.")
  private var host = "127.0.0.1"

  @Option(help: "The port, 0 for any free one. Default: INVENTORY_PORT, else 8080.")
  private var port: Int?

  @Option(help: "What stays on this machine. Default: the folder INVENTORY_DATA, else .inventory.")
  private var data: String?

  @Option(help: "Where the service is.")
  private var upstream = "http://127.0.0.1:8081"

  package init() {}

  package func validate() throws {
    guard (0...65_535).contains(try chosenPort()) else {
      throw ValidationError("The port must be from 0 to 65535.")
    }
    _ = try upstreamURL()
  }

  /// Serves an inventory until the program is asked to stop.
  ///
  /// - Parameters:
  ///   - name: What the program is called.
  ///   - open: Opens the inventory, with a folder and the address of its service.
  /// - Throws: `ExitCode` once it has said what went wrong.
  package func serve(
    as name: String, _ open: (_ folder: URL, _ upstream: URL) async throws -> Inventory
  ) async throws {
    ErrorMapping.bootstrap(.inventory)
    LoggingSystem.bootstrap(StreamLogHandler.standardError)
    do {
      let inventory = try await open(folder, try upstreamURL())
      inventory.levels.controller.log(to: Logger(label: "inventory.levels"))
      try await inventory.start()
      for line in inventory.opening { Self.write("\(name): \(line)", .standardError) }
      do {
        let server = try InventoryServer(inventory, host: host, port: try chosenPort())
        try await server.run { [host] port in
          Self.write("inventory listens on http://\(host):\(port)", .standardOutput)
        }
      } catch {
        await inventory.shutDown()
        throw error
      }
      await inventory.shutDown()
    } catch {
      let text = (error as? StartFailure)?.description ?? AppError.from(error).message.description
      Self.write("\(name): \(text)", .standardError)
      throw ExitCode.failure
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

  /// Writes a line at once; what is printed waits while the output is no terminal.
  private static func write(_ line: String, _ file: FileHandle) {
    file.write(Data("\(line)\n".utf8))
  }
}
