// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import GRDB
package import Mainstay
internal import MainstayAsyncHTTPClient
internal import MainstayHTTP
internal import MainstayOutbox
internal import NIOCore
internal import NIOPosix

extension ErrorMapping {
  /// How the errors of the app's libraries are classified; set once at launch by `bootstrap`.
  ///
  /// What happened decides: a connection that was never made, an answer that never came, and a
  /// database that is full are different things, and what is none of them stays unclassified.
  package static let inventory =
    libraries
    .adding(HTTPClientError.self) { AppError.inWords(libraries.map($0), of: $0) }
    .adding(NIOConnectionError.self) { .unreachable($0) }
    .adding(IOError.self) { AppError.inWords(libraries.map($0), of: $0) ?? .connectionLost($0) }
    .adding(ChannelError.self) { AppError.inWords(libraries.map($0), of: $0) }
    .adding(NIOTooManyBytesError.self) { .portal(cause: $0) }
    .adding(DatabaseError.self) { AppError.database($0) }

  /// What the libraries' errors mean, whoever meets them.
  private static let libraries = ErrorMapping.standard.addingHTTPErrors()
    .addingAsyncHTTPClientErrors().addingDatabaseErrors()
}

extension AppError {
  /// What the app says about a failure on the way to the service; nil for all that is not one.
  fileprivate static func inWords(_ error: AppError, of cause: any Error) -> AppError? {
    switch error.kind {
    case .offline, .network: error.mayHaveBeenSent ? .connectionLost(cause) : .unreachable(cause)
    case .timeout where !error.mayHaveBeenSent: .unreachable(cause)
    case .configuration where error.code == "network.bad-address" && !error.mayHaveBeenSent:
      .misconfigured(cause)
    default: nil
    }
  }

  /// Nothing was sent.
  static func unreachable(_ cause: any Error) -> AppError {
    AppError(
      code: "inventory.unreachable", kind: .network, disposition: .transient(),
      title: "The service can’t be reached",
      message: "No connection to the service could be made.",
      suggestion: "Your changes are kept and sent as soon as it can be reached.",
      metadata: ["http.sent": "no"], underlying: [cause])
  }

  /// The connection broke; what was sent may have arrived.
  static func connectionLost(_ cause: any Error) -> AppError {
    AppError(
      code: "inventory.connection-lost", kind: .network, disposition: .transient(),
      title: "The connection was lost",
      message: "The connection to the service broke before it answered.",
      suggestion: "Your changes are kept and sent as soon as it can be reached.",
      metadata: ["http.sent": "maybe"], underlying: [cause])
  }

  private static func misconfigured(_ cause: any Error) -> AppError {
    AppError(
      code: "inventory.upstream-address", kind: .configuration, disposition: .permanent,
      title: "The address of the service is wrong",
      message: "The app was started with an address that it can’t use.",
      suggestion: "Start it with --upstream and an address like http://127.0.0.1:8081.",
      metadata: ["http.sent": "no"], underlying: [cause])
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
