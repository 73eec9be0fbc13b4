// SPDX-License-Identifier: Apache-2.0

package import InventoryCore
package import MainstayOutboxPostgres

extension SharedPlaces {
  /// Items, queue and answers in one database, which any number of processes use.
  ///
  /// - Parameters:
  ///   - address: The database; its user may create schemas. The items are in the schema
  ///     `inventory`, queue and answers in `mainstay`.
  ///   - lease: How long a process that does not answer keeps what it is at; the default is ten
  ///     seconds.
  /// - Returns: The places, of which items and answers are open.
  /// - Throws: `InventoryError` that names the database.
  package static func postgres(
    _ address: PostgresAddress, lease: Duration = .seconds(10)
  ) async throws(InventoryError) -> SharedPlaces {
    let items = try await PostgresItems(address)
    let answers = PostgresIdempotencyStore(at: address, lease: lease, maximumConnections: 2)
    do {
      try await answers.open()
    } catch {
      items.close()
      await answers.close()
      throw InventoryError(.database, path: address.description, underlying: error)
    }
    return SharedPlaces(
      name: address.description, items: items, outbox: PostgresStore(at: address, lease: lease),
      answers: answers, close: { await answers.close() })
  }
}
