// SPDX-License-Identifier: Apache-2.0

internal import CLibpq
internal import Foundation
public import MainstayOutbox

/// Where a PostgreSQL server is, and how to sign in: a connection URL or a list of keywords.
///
/// All options of PostgreSQL's own library are known, such as `sslmode`, `sslrootcert`, `service`
/// and several hosts. What the text leaves out comes from the environment (`PGHOST`,
/// `PGPASSWORD`, …), the password file and the defaults, as for `psql`.
///
/// Two options have other defaults here. Each address of a host has 5 seconds to let a session in,
/// also where `connect_timeout` is 0. Of several hosts, one that takes changes is looked for:
/// `target_session_attrs` is `read-write` then.
///
/// Source: the PostgreSQL manual, section "Connection Strings".
public struct PostgresAddress: Sendable, Hashable {
  /// What the text says, by keyword.
  let options: [String: String]

  /// Reads an address.
  ///
  /// - Parameter text: Such as `postgresql://user@host:5432/database?sslmode=verify-full`, or
  ///   `host=/run/postgresql dbname=work`.
  /// - Throws: `OutboxError` `unavailable` with what to do; it never repeats the text, which may
  ///   hold a password.
  public init(_ text: String) throws(OutboxError) {
    guard !text.allSatisfy(\.isWhitespace) else { throw Self.unusable("it is empty") }
    guard !text.utf8.contains(0) else { throw Self.unusable("it holds a zero byte") }
    var problem: UnsafeMutablePointer<CChar>?
    guard let parsed = PQconninfoParse(text, &problem) else {
      defer { PQfreemem(problem) }
      throw Self.unusable(
        problem.map { Self.reason(String(cString: $0), of: text) } ?? "the memory is used up")
    }
    defer { PQconninfoFree(parsed) }
    var options: [String: String] = [:]
    var next = parsed
    while let keyword = next.pointee.keyword {
      if let value = next.pointee.val { options[String(cString: keyword)] = String(cString: value) }
      next += 1
    }
    for port in (options["port"] ?? "").split(separator: ",") {
      guard let number = Int(port), (1...65_535).contains(number) else {
        throw Self.unusable("a port is a number from 1 to 65535")
      }
    }
    self.options = options
  }

  private init(options: [String: String]) { self.options = options }

  /// Whether a text is meant as an address of a PostgreSQL server, and not as the path of a file.
  public static func isAddress(_ text: String) -> Bool {
    let text = text.lowercased()
    return text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// What the text says of an option, or else the environment.
  func setting(_ keyword: String) -> String? {
    if let value = options[keyword] { return value }
    return Self.variables[keyword].flatMap { ProcessInfo.processInfo.environment[$0] }
  }

  private static let variables = [
    "connect_timeout": "PGCONNECT_TIMEOUT", "host": "PGHOST", "hostaddr": "PGHOSTADDR",
    "load_balance_hosts": "PGLOADBALANCEHOSTS", "port": "PGPORT", "sslcert": "PGSSLCERT",
    "sslmode": "PGSSLMODE", "target_session_attrs": "PGTARGETSESSIONATTRS",
  ]

  /// Whether there is another host to go to where one is no use.
  var namesSeveralHosts: Bool {
    ["host", "hostaddr"].contains { setting($0)?.contains(",") == true }
  }

  /// The same without the hosts up to one that does not answer; nil where none is left.
  ///
  /// libpq goes on to the next host where a connection does not come about, and where one is there
  /// and says nothing only while it waits itself, which it does not do here.
  ///
  /// - Parameters:
  ///   - host: The host, as libpq names it.
  ///   - port: Its port.
  /// - Returns: An address of fewer hosts.
  func after(host: String, port: String) -> PostgresAddress? {
    func list(_ keyword: String) -> [String] {
      setting(keyword)?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        ?? []
    }
    // Chance decides there which one is next.
    guard namesSeveralHosts, setting("load_balance_hosts") ?? "disable" == "disable" else {
      return nil
    }
    let lists = ["host": list("host"), "hostaddr": list("hostaddr"), "port": list("port")]
    let names = lists["host"].flatMap { $0.isEmpty ? lists["hostaddr"] : $0 } ?? []
    let ports = lists["port"] ?? []
    let index = names.indices.first { index in
      let own = ports.count > 1 ? ports[index % ports.count] : ports.first ?? port
      return names[index] == host && (own.isEmpty || own == port)
    }
    guard let index, index + 1 < names.count else { return nil }
    var options = options
    for (keyword, list) in lists where list.count == names.count {
      options[keyword] = list[(index + 1)...].joined(separator: ",")
    }
    // What is said for several holds for the last of them, too.
    options["target_session_attrs"] = setting("target_session_attrs") ?? Self.takesChanges
    return PostgresAddress(options: options)
  }

  /// Which of several servers is looked for.
  static let takesChanges = "read-write"

  private static func unusable(_ reason: String) -> OutboxError {
    OutboxError(
      .unavailable,
      details: "This is no address of a PostgreSQL server, since \(reason): write it as "
        + "postgresql://user@host:5432/database.")
  }

  /// What libpq complains about, in words for whoever has not heard of its options.
  private static func reason(_ problem: String, of text: String) -> String {
    guard problem.hasPrefix("missing \"=\"") else { return withoutQuotes(problem) }
    return text.contains("=")
      ? "one of its options has no value"
      : "it is neither a PostgreSQL URL nor options such as host=localhost"
  }

  /// What libpq complains about, without the part of the text that it repeats.
  static func withoutQuotes(_ text: String) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines)
      .replacing(/"[^"]*"?/) { $0.output == "\"=\"" ? "an equals sign" : "a part of it" }
      .replacing(/:\s*a part of it/, with: "")
  }
}

extension PostgresAddress: CustomStringConvertible {
  /// User, host, port and database; never a password or another option.
  public var description: String {
    if let service = options["service"], options["host"] == nil { return "service \(service)" }
    let host = options["host"] ?? options["hostaddr"] ?? "localhost"
    let user = options["user"].map { $0 + "@" } ?? ""
    let port = options["port"].map { ":" + $0 } ?? ""
    let database = options["dbname"].map { "/" + Self.database($0) } ?? ""
    return "postgresql://\(user)\(host)\(port)\(database)"
  }

  /// The name of a database; libpq also takes a whole address for one.
  private static func database(_ text: String) -> String {
    text.contains { "=:".contains($0) } ? "…" : text
  }
}
