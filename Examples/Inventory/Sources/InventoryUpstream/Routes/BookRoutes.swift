// SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// The product catalog.
struct BookRoutes: Sendable {
  let catalog: Catalog

  func add(to table: RouteTable) { table.add("books/:isbn", [.get: read]) }

  @Sendable func read(_ request: Request, _ context: UpstreamContext) async throws -> Response {
    let isbn = try context.part("isbn")
    guard let book = catalog[isbn] else {
      throw Problem.notFound("The catalog does not know the ISBN \(isbn).")
    }
    return try .json(book)
  }
}
