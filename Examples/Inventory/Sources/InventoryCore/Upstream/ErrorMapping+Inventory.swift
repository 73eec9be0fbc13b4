// SPDX-License-Identifier: Apache-2.0

internal import GRDB
package import Mainstay
internal import MainstayAsyncHTTPClient
internal import MainstayHTTP
internal import MainstayOutbox

extension ErrorMapping {
  /// How the errors of the app's libraries are classified; set once at launch by `bootstrap`.
  ///
  /// What happened decides: a connection that was never made, an answer that never came, and a
  /// database that is full are different things, and what is none of them stays unclassified.
  package static let inventory = ErrorMapping.standard.addingHTTPErrors()
    .addingAsyncHTTPClientErrors().addingDatabaseErrors()
    .adding(DatabaseError.self) { AppError.database($0) }
}

extension AppError {
  /// The same in the app's own words, where it is about the way to the service.
  var inWords: AppError {
    switch kind {
    case .offline, .network: mayHaveBeenSent ? .connectionLost(self) : .unreachable(self)
    case .timeout where !mayHaveBeenSent: .unreachable(self)
    // What cannot be read is no answer of the service, though it may have been sent there.
    case .decoding: .portal(cause: self).adding(metadata: ["http.sent": "maybe"])
    default: self
    }
  }

  /// Nothing was sent.
  private static func unreachable(_ cause: AppError) -> AppError {
    AppError(
      code: "inventory.unreachable", kind: .network, disposition: .transient(),
      title: "The service can’t be reached",
      message: "No connection to the service could be made.",
      suggestion: "Your changes are kept and sent as soon as it can be reached.",
      metadata: ["http.sent": "no"], underlying: [cause])
  }

  /// The connection broke; what was sent may have arrived.
  private static func connectionLost(_ cause: AppError) -> AppError {
    AppError(
      code: "inventory.connection-lost", kind: .network, disposition: .transient(),
      title: "The connection was lost",
      message: "The connection to the service broke before it answered.",
      suggestion: "Your changes are kept and sent as soon as it can be reached.",
      metadata: ["http.sent": "maybe"], underlying: [cause])
  }

  fileprivate static func database(_ error: DatabaseError) -> AppError {
    switch error.resultCode {
    case .SQLITE_FULL:
      .storage(
        "inventory.disk-full", .storageFull, .needsUser, "Not enough space",
        "There is no room left to save your change.", "Free up some space, then try again.", error)
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
      .storage(
        "inventory.damaged", .corrupted, .permanent, "The inventory is damaged",
        "A part of what is saved can’t be read.", "Start the app again.", error)
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      .storage(
        "inventory.busy", .storage, .transient(), "The storage is in use",
        "Something else is working with the inventory.", "Try again in a moment.", error)
    default:
      .storage(
        "inventory.storage", .storage, .transient(), "Your change could not be saved",
        "The storage of this device did not respond properly.", "Try again.", error)
    }
  }

  private static func storage(
    _ code: ErrorCode, _ kind: ErrorKind, _ disposition: Disposition, _ title: LocalizableText,
    _ message: LocalizableText, _ suggestion: LocalizableText, _ cause: DatabaseError
  ) -> AppError {
    AppError(
      code: code, kind: kind, disposition: disposition, title: title, message: message,
      suggestion: suggestion, details: "SQLite \(cause.extendedResultCode.rawValue)",
      underlying: [cause])
  }
}
