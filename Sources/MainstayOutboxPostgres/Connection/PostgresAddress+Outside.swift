// SPDX-License-Identifier: Apache-2.0

internal import CLibpq
internal import Foundation

extension PostgresAddress {
  /// What is said outside of the address, by keyword, of the options that are set for each session
  /// here: the entry of a service goes before the environment, as with libpq.
  ///
  /// libpq asks neither of them for what is set.
  var outside: [String: String] {
    var found = service
    let own = ProcessInfo.processInfo.environment["PGOPTIONS"]
    if let own, !own.isEmpty, found["options"] == nil { found["options"] = own }
    return found
  }

  /// The options that are set here, or looked at, though somebody may say otherwise.
  private static let settable: Set = [
    "connect_timeout", "keepalives_count", "keepalives_idle", "keepalives_interval", "options",
    "sslpassword", "target_session_attrs", "tcp_user_timeout",
  ]

  /// What the entry of a service says of them; nothing where none is named.
  ///
  /// Only libpq knows where services are listed, and it tells what it read there as that of a
  /// connection. So one is begun that ends at once, since no server has the port 0.
  private var service: [String: String] {
    let environment = ProcessInfo.processInfo.environment
    guard let name = options["service"] ?? environment["PGSERVICE"], !name.isEmpty else {
      return [:]
    }
    let text = "service='\(name.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))' port=0"
    CryptoLibrary.stayWhole()
    let started = PQconnectStart(text)
    defer { PQfinish(started) }
    guard let all = PQconninfo(started) else { return [:] }
    defer { PQconninfoFree(all) }
    var found: [String: String] = [:]
    var next = all
    while let word = next.pointee.keyword {
      defer { next += 1 }
      let keyword = String(cString: word)
      guard Self.settable.contains(keyword), let value = next.pointee.val, value[0] != 0 else {
        continue
      }
      found[keyword] = String(cString: value)
    }
    // That is what it is where nobody says anything.
    if found["target_session_attrs"] == "any" { found["target_session_attrs"] = nil }
    return found
  }
}
