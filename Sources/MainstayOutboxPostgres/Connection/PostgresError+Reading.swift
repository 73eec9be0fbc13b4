// SPDX-License-Identifier: Apache-2.0

internal import CLibpq
internal import Foundation

// What a server says, read by its five letters; its words may be in any language.
extension PostgresError {
  /// Reads the failure of a statement.
  init(result: OpaquePointer) {
    func field(_ code: UnicodeScalar) -> String? {
      PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
    }
    let message = field("M") ?? PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
    self.init(sqlState: field("C"), message: message, constraint: field("n"), at: nil)
  }

  /// Reads why no session could be opened.
  ///
  /// - Parameters:
  ///   - message: What libpq says, with the letters in front of what a server said.
  ///   - address: Where it was tried.
  init(opening message: String, address: PostgresAddress) {
    let message = Self.withoutRetry(message)
    // Several hosts may each have said something; the last one decides.
    // What stands before the letters is a word of the server's language.
    let words = /[^\s:]+:\s+((?=[A-Z]{0,4}[0-9])[0-9A-Z]{5}):\s+([^\n]*)/
    if let match = message.matches(of: words).last {
      self.init(
        sqlState: String(match.1), message: String(match.2), constraint: nil, at: address)
      return
    }
    func says(_ parts: String...) -> Bool { parts.contains { message.contains($0) } }
    // A line that is moved in is a hint of libpq, below the line that says why.
    let lines = message.split(separator: "\n")
    let line =
      lines.last { $0.first?.isWhitespace == false }.map(String.init)
      ?? "no reason was given"
    switch true {
    case says("could not translate host name"):
      self.init(
        .unreachable, "The name of the host in \(address) is not known: correct the address.")
    case says("no password supplied"):
      self.init(
        .refused,
        "The server at \(address) wants a password and got none: set it in the address, "
          + "in PGPASSWORD or in the password file.")
    case says("invalid integer value", "invalid value", "connection option", "weak sslmode"),
      says("sslmode value"),
      says("definition of service", "service file", "could not match"),
      message.contains(/invalid \w+ value|invalid SSL protocol version range/):
      let reason = PostgresAddress.withoutQuotes(line)
      self.init(.address, "The address \(address) cannot be used (\(reason)): correct it.")
    case says("SSL", "certificate", "private key", "channel binding", "GSSAPI", "unexpected eof"),
      says("host name must be specified"):
      let reason = line.replacing(/^connection to server .*? failed:[ ]/, with: "")
      self =
        PostgresError(securing: message, address: address)
        ?? PostgresError(
          .refused,
          "No secure connection to \(address) came about (\(reason)): correct sslmode and "
            + "the certificates.")
    case says("session is read-only", "server is in hot standby"):
      self.init(readOnlyAt: address)
    default:
      self.init(
        .unreachable,
        "No PostgreSQL server answers at \(address): start it, or correct the "
          + "address (\(line)).")
    }
  }

  private init(readOnlyAt address: PostgresAddress?) {
    self.init(
      .readOnly, sqlState: "25006",
      "The server\(Self.place(address)) takes no changes: give the "
        + "address of the primary, or wait until this one is the primary again.")
  }

  private static func place(_ address: PostgresAddress?) -> String {
    address.map { " at \($0)" } ?? ""
  }

  private init(
    sqlState: String?, message: String, constraint: String?, at address: PostgresAddress?
  ) {
    let state = sqlState ?? ""
    let place = Self.place(address)
    let words = Self.withoutValues(message, state)
    let (kind, text): (Kind, String) =
      switch state {
      case "25006": (.readOnly, PostgresError(readOnlyAt: address).text)
      case "28P01": (.refused, Self.wrongPassword(at: address))
      case "28000": (.refused, Self.shutOut(words, at: address))
      case "3D000":
        (.refused, "The server\(place) has no such database (\(words)): create it.")
      case "42501":
        (.refused, "The user of the database lacks a right (\(words)): grant it.")
      case "53300":
        (
          .tooMany,
          "The server\(place) has no connection left: raise its max_connections, or "
            + "make the pools smaller."
        )
      case "53100", "53200", "53400":
        (.full, "The server has no room left (\(words)): give it more.")
      case "57P03": (.unreachable, "The server\(place) is not ready (\(words)): wait a moment.")
      case "40001", "40P01":
        (.conflict, "Another transaction was in the way (\(words)): do it again.")
      case "55P03": (.timeout, "A lock was not free in time: try again.")
      case "57014": (.timeout, "The statement took longer than it may, and was ended.")
      case "25P03", "25P04": (.lost, "The transaction took longer than it may, and was ended.")
      case "57P01", "57P02", "57P05":
        (.lost, "The server ended the connection (\(words)): try again.")
      case "XX001", "XX002":
        (.damaged, "The server's files are damaged (\(words)): restore them from a backup.")
      case "08P01" where address != nil && words.contains("startup parameter"):
        (
          .refused,
          "The pooler\(place) takes no settings with a session (\(words)): give `pooled: true` "
            + "(`mainstay outbox`: --pooled), and no options in the address."
        )
      case _ where state.hasPrefix("08"):
        (.lost, "The connection to the server was lost (\(words)): try again.")
      default:
        (.statement, "The server refused the statement (\(words)).")
      }
    self.init(kind, sqlState: sqlState, constraint: constraint, text)
  }

  /// The words without what a statement was given: values stand behind a colon in data errors.
  private static func withoutValues(_ message: String, _ state: String) -> String {
    let line = message.split(separator: "\n").first.map(String.init) ?? "no reason was given"
    guard state.hasPrefix("22"), let colon = line.firstIndex(of: ":") else { return line }
    return String(line[..<colon])
  }
}
