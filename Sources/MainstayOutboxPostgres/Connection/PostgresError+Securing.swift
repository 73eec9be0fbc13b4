// SPDX-License-Identifier: Apache-2.0

internal import Foundation

// Why no secure session came about. What libpq says of it names neither option nor cure, and some
// of its advice would leave the server unchecked.
extension PostgresError {
  /// Reads what libpq says of encryption and certificates; nil where it is about something else.
  ///
  /// - Parameters:
  ///   - message: What it says.
  ///   - address: Where it was tried.
  init?(securing message: String, address: PostgresAddress) {
    guard
      let (kind, text) = Self.ofTransport(message, address) ?? Self.ofServer(message, address)
        ?? Self.ofCaller(message, address)
    else { return nil }
    self.init(kind, text)
  }

  private typealias Reading = (kind: Kind, text: String)

  /// Whether there is TLS at all.
  private static func ofTransport(_ message: String, _ address: PostgresAddress) -> Reading? {
    func says(_ parts: String...) -> Bool { parts.contains { message.contains($0) } }
    switch true {
    case says("response to SSL negotiation", "wrong version number"):
      return (
        .unreachable,
        "What answers at \(address) is no PostgreSQL server: correct the host and the port."
      )
    case says("SSL SYSCALL error", "unexpected eof"):
      return (
        .unreachable,
        "The connection to \(address) was cut while it was being secured: wait a moment, or look "
          + "at what stands in between."
      )
    case says("does not support SSL"):
      return (
        .refused,
        "The server at \(address) takes no encrypted connections, which sslmode asks for: set "
          + "`ssl = on` there, with a certificate."
      )
    case says("protocol version", "unsupported protocol", "no protocols available"):
      return (
        .refused,
        "The server at \(address) and this side have no version of TLS in common: correct "
          + "ssl_min_protocol_version and ssl_max_protocol_version here and there."
      )
    case says("channel binding"):
      return (
        .refused,
        "The server at \(address) gives no channel binding, which the address asks for: use "
          + "sslmode=verify-full and a password by scram-sha-256, or take channel_binding out."
      )
    default: return nil
    }
  }

  /// Whether the server is who it has to be.
  private static func ofServer(_ message: String, _ address: PostgresAddress) -> Reading? {
    let absent = /root certificate file(?: "([^"]*)" does not exist|\s*$)/.anchorsMatchLineEndings()
    if let match = message.firstMatch(of: absent) {
      let file = match.1.map { " (\($0))" } ?? ""
      return (
        .refused,
        "The certificate to check the server at \(address) by is not there\(file): name the file "
          + "of its authority in sslrootcert."
      )
    }
    if let match = message.firstMatch(
      of: /could not read root certificate file "([^"]*)": ([^\n]*)/)
    {
      return (
        .refused,
        "The file of sslrootcert cannot be read (\(match.1): \(match.2)): it has to hold the "
          + "certificate of an authority as PEM."
      )
    }
    if message.contains("certificate verify failed") {
      // It does not tell a foreign authority from a time that is over.
      return (
        .refused,
        "The certificate of the server at \(address) is not to be trusted: name the authority that "
          + "issued it in sslrootcert, or renew it where its time is over."
      )
    }
    let other = /certificate for "([^"]*)"[^"\n]* does not match host name "([^"]*)"/
    if let match = message.firstMatch(of: other) {
      return (
        .refused,
        "The certificate of the server at \(address) is for \(match.1) and not for \(match.2): "
          + "write the host as the certificate does, or have one issued for this name."
      )
    }
    guard message.contains("host name must be specified") else { return nil }
    return (
      .address,
      "The address \(address) names no host to look for in a certificate: add `host` to it."
    )
  }

  /// Whether the caller has what it shows to the server.
  private static func ofCaller(_ message: String, _ address: PostgresAddress) -> Reading? {
    if let match = message.firstMatch(of: /private key file "([^"]*)" has group or world access/) {
      return (
        .refused,
        "The key file \(match.1) of sslkey may be read by others, so it is not used: chmod 600 it."
      )
    }
    if let match = message.firstMatch(of: /present, but not private key file "([^"]*)"/) {
      return (
        .refused,
        "The key to the certificate of sslcert is not there (\(match.1)): name it in sslkey."
      )
    }
    if let match = message.firstMatch(
      of: /could not (?:read|open) certificate file "([^"]*)": ([^\n]*)/)
    {
      return (
        .refused,
        "The file of sslcert cannot be read (\(match.1): \(match.2)): it has to hold a certificate "
          + "as PEM."
      )
    }
    let mismatch =
      /load private key file "([^"]*)": key values mismatch|match private key file "([^"]*)"/
    if let match = message.firstMatch(of: mismatch) {
      return (
        .refused,
        "The key of sslkey (\(match.1 ?? match.2 ?? "")) does not belong to the certificate of "
          + "sslcert: name two that were made together."
      )
    }
    if let match = message.firstMatch(of: /could not load private key file "([^"]*)": ([^\n]*)/) {
      return (
        .refused,
        "The key file \(match.1) of sslkey cannot be read (\(match.2)): it has to be PEM, and its "
          + "passphrase belongs into sslpassword."
      )
    }
    let alert = /alert ((?:[a-z]+ )?certificate(?: [a-z]+)?|unknown ca)/
    guard let match = message.firstMatch(of: alert) else { return nil }
    return (
      .refused,
      "The server at \(address) does not take the certificate of sslcert (\(match.1)): have one "
        + "issued that is in its time, and by an authority in the server's ssl_ca_file."
    )
  }
}

extension PostgresError {
  /// What to do where a server lets a user in under other conditions alone.
  static func shutOut(_ words: String, at address: PostgresAddress?) -> String {
    let place = address.map { " at \($0)" } ?? ""
    let certificate = address?.setting("sslcert")
    if let certificate, !FileManager.default.fileExists(atPath: certificate) {
      return "The server\(place) does not let this user in (\(words)), and the file of sslcert is "
        + "not there (\(certificate)): correct it."
    }
    if words.contains("client certificate") {
      return "The server\(place) lets nobody in without a certificate: name its file in sslcert, "
        + "and that of its key in sslkey."
    }
    if words.contains("certificate authentication failed") {
      return "The server\(place) finds another user in the certificate of sslcert: have one issued "
        + "for this user, or map its name in pg_ident.conf."
    }
    guard address?.setting("sslmode") == "disable" else {
      return "The server\(place) does not let this user in (\(words)): correct the user, "
        + "or allow it in pg_hba.conf."
    }
    return "The server\(place) does not let this user in without encryption (\(words)): set "
      + "sslmode to verify-full, or correct the user."
  }

  /// What to do where a server refuses a password; it says the same of a certificate that is for
  /// another user.
  static func wrongPassword(at address: PostgresAddress?) -> String {
    let place = address.map { " at \($0)" } ?? ""
    let isCertified = address?.setting("sslcert") != nil
    return "The server\(place) refuses the password"
      + (isCertified ? ", or the certificate of sslcert is for another user" : "")
      + ": correct it in the address, in PGPASSWORD or in the password file"
      + (isCertified ? ", or have a certificate issued for this user." : ".")
  }

  /// What libpq says, without what it heard when it tried another time without encryption.
  ///
  /// By default it does so where a session was refused that was encrypted. A server that wants
  /// encryption then complains that there is none, which is not why.
  static func withoutRetry(_ message: String) -> String {
    var parts: [(place: Substring?, text: String)] = []
    for line in message.split(separator: "\n", omittingEmptySubsequences: false) {
      let place = line.firstMatch(of: /^connection to server .*? failed:[ ]/)?.0
      if place == nil, let last = parts.indices.last {
        parts[last].text += "\n" + line
      } else {
        parts.append((place, String(line)))
      }
    }
    let kept = parts.enumerated().filter { index, part in
      guard let place = part.place, part.text.contains(":  28000: ") else { return true }
      let others = parts.enumerated().filter { $0.offset != index && $0.element.place == place }
      return others.allSatisfy { $0.element.text.contains(":  28000: ") && index < $0.offset }
    }
    return kept.map(\.element.text).joined(separator: "\n")
  }
}
