// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import Mainstay
internal import MainstayOutbox

/// Why the inventory cannot be opened.
package struct InventoryError: AppErrorConvertible {
  /// What went wrong; the set is open.
  package struct Code: Sendable, Hashable {
    package let rawValue: String

    /// The folder or a file cannot be made, read or written.
    package static let unavailable = Code(rawValue: "unavailable")
    /// Another process uses the file of the items.
    package static let inUse = Code(rawValue: "inUse")
    /// The file was written by a newer version of the app.
    package static let newerFormat = Code(rawValue: "newerFormat")
    /// The address of the service is none.
    package static let address = Code(rawValue: "address")
    /// The database that several processes share cannot be used.
    package static let database = Code(rawValue: "database")
    /// The queue cannot be opened.
    package static let outbox = Code(rawValue: "outbox")
  }

  package let code: Code
  /// The folder, file or address that it is about.
  package let path: String
  package let underlying: (any Error)?

  package init(_ code: Code, path: String, underlying: (any Error)? = nil) {
    self.code = code
    self.path = path
    self.underlying = underlying
  }

  init(opening error: any Error, path: String) {
    self.init(.unavailable, path: path, underlying: error)
  }

  /// One sentence that says what is wrong, and one that says what to do; both name the path.
  package var appError: AppError {
    switch code {
    case .inUse:
      error(
        "inventory.in-use", .storage, "The inventory is in use",
        "The file \(path) is in use by another run of this app.",
        "Stop that one, or choose another folder with --data.")
    case .newerFormat:
      error(
        "inventory.newer-format", .configuration, "The inventory needs a newer version",
        "The file \(path) was written by a newer version of the app.",
        "Update the app; nothing was changed.")
    case .address:
      error(
        "inventory.upstream-address", .configuration, "The address of the service is wrong",
        "“\(path)” is no address of a service.",
        "Legal is one that begins with http:// or https:// and names a host.")
    case .database:
      error(
        "inventory.database", .storage, "The database can’t be used",
        "The database \(path) can’t be used: \(reason)",
        "Correct the address with --database, or make the database ready.")
    case .outbox:
      error(
        "inventory.outbox", .storage, "The queue can’t be opened",
        "The queue in \(path) can’t be opened: \(cause).",
        "Check the folder, or choose another one with --data.")
    default:
      error(
        "inventory.unavailable", .storage, "The inventory can’t be opened",
        "The place \(path) can’t be made, read or written.",
        "Check that the folder may be written to, or choose another one with --data.")
    }
  }

  /// What the database, or the way to it, says in words for whoever looks after it.
  private var reason: String {
    (underlying as? OutboxError)?.details ?? "\(cause)."
  }

  private var cause: String {
    underlying.map { AppError.from($0).message.description } ?? "unknown"
  }

  private func error(
    _ code: ErrorCode, _ kind: ErrorKind, _ title: LocalizableText, _ message: String,
    _ suggestion: LocalizableText
  ) -> AppError {
    AppError(
      code: code, kind: kind, disposition: .needsUser, severity: .critical, title: title,
      message: LocalizableText(verbatim: message), suggestion: suggestion,
      metadata: ["inventory.path": path], underlying: underlying.map { [$0] } ?? [])
  }
}
