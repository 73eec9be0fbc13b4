// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import InventoryCore
import InventoryWeb

@main struct Program: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inventory",
    abstract: "Runs the example app: a home inventory that works without a network.",
    discussion: "Stop it with Control-C; what waits is kept and goes on at the next start.")

  @OptionGroup var options: ServerOptions

  func run() async throws {
    try await options.serve(as: "inventory") { folder, upstream in
      try await Inventory(data: folder, upstream: upstream)
    }
  }
}
