// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import InventoryCore
import InventoryPostgres
import InventoryWeb
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

  @OptionGroup var options: ServerOptions

  func validate() throws { _ = try databaseAddress() }

  func run() async throws {
    try await options.serve(as: "inventory-postgres") { folder, upstream in
      try await Inventory(
        data: folder, upstream: upstream, shared: try await .postgres(try databaseAddress()))
    }
  }

  private func databaseAddress() throws -> PostgresAddress {
    do throws(OutboxError) {
      return try PostgresAddress(database)
    } catch {
      throw ValidationError("--database: \(error.details)")
    }
  }
}
