// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import Mainstay

/// The address of a page of this app, and of nothing else: where a form leads back to.
struct LocalPage: Sendable, Hashable {
  static let list = LocalPage(unchecked: "/")
  static let conflicts = LocalPage(unchecked: "/conflicts")
  static let status = LocalPage(unchecked: "/status")
  static let gallery = LocalPage(unchecked: "/gallery")
  static let live = LocalPage(unchecked: "/gallery/live")

  private static let names: Set = ["/", "/conflicts", "/status", "/errors", "/help", "/gallery"]
  private static let maximumLength = 2_000

  /// Path and query, as they stand in a header.
  let address: String

  private init(unchecked address: String) { self.address = address }

  /// Takes path and query of a page; nil for anything else, such as an address of another host.
  init?(_ address: String) {
    // Browsers drop tabs and line breaks, and read a backslash as a slash.
    guard address.utf8.count <= Self.maximumLength,
      address.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") })
    else { return nil }
    let path = address.prefix { $0 != "?" && $0 != "#" }
    guard Self.names.contains(String(path)) || Self.isItem(path) || Self.isState(path) else {
      return nil
    }
    self.address = address
  }

  /// What the query says.
  func fields() throws(AppError) -> Form {
    let query = address.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
    return try Form(query.utf8, path: address)
  }

  /// The page of an item.
  static func item(_ id: UUID) -> LocalPage {
    LocalPage(unchecked: "/items/\(id.uuidString.lowercased())")
  }

  private static func isState(_ path: Substring) -> Bool {
    let name = path.dropFirst("/gallery/".count)
    return path.hasPrefix("/gallery/") && !name.isEmpty
      && name.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (0x61...0x7a).contains($0) }
  }

  private static func isItem(_ path: Substring) -> Bool {
    path.hasPrefix("/items/") && UUID(uuidString: String(path.dropFirst("/items/".count))) != nil
  }
}

extension Response {
  /// Leads to a page after a form was sent.
  static func seeOther(_ page: LocalPage) -> Response {
    Response(
      status: .seeOther, headers: [.location: page.address, .cacheControl: "no-store"])
  }
}
