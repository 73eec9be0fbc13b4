// SPDX-License-Identifier: Apache-2.0

package import InventoryCore
package import MainstayOutboxPostgres

extension SharedPlaces {
  /// Items and queue in one database, which any number of processes use.
  ///
  /// - Parameters:
  ///   - address: The database; its user may create schemas. The items are in the schema
  ///     `inventory`, the queue in `mainstay`.
  ///   - lease: How long a process that does not answer keeps what it is at; the default is ten
  ///     seconds.
  /// - Returns: The places, of which the items are open.
  /// - Throws: `InventoryError` that names the database.
  package static func postgres(
    _ address: PostgresAddress, lease: Duration = .seconds(10)
  ) async throws(InventoryError) -> SharedPlaces {
    SharedPlaces(
      name: address.description, items: try await PostgresItems(address),
      outbox: PostgresStore(at: address, lease: lease))
  }
}
